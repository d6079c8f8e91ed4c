// MKL, which LibTorch multiplies with, asks this function whether the CPU is Intel's, and takes its slow paths where it
// is not, whatever the CPU can do: on an AMD Zen 5, training runs at 13,900 tokens a second on one thread, and at
// 25,100 with this answer. MKL still looks at the CPU's features before it uses them; on an Intel CPU nothing changes.
//
// A program that exports the symbol (target mkl_intel_cpu does) is asked instead of the library: the dynamic linker
// takes the program's symbols first. The name is MKL's own, and not documented: where MKL asks another way, the answer
// is never heard and all is as before.

extern "C" int mkl_serv_intel_cpu_true();
extern "C" int mkl_serv_intel_cpu_true() { return 1; }
