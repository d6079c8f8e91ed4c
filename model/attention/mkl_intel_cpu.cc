// LibTorch multiplies with MKL. MKL calls this function to ask if the CPU is Intel's, and takes slow paths on other
// CPUs, however capable. On an AMD Zen 5, training runs at 13,900 tokens a second on one thread, and at 25,100 with
// this answer. MKL still checks the CPU's features before use. On an Intel CPU nothing changes.
//
// A program that exports this symbol (target mkl_intel_cpu does) answers instead of the library, because the dynamic
// linker takes the program's symbols first. The name is MKL's own and not documented. If a later MKL asks in another
// way, nothing calls this function, and MKL behaves as without it.

extern "C" int mkl_serv_intel_cpu_true();
extern "C" int mkl_serv_intel_cpu_true() { return 1; }
