// What every program of the preset "tsan" tells ThreadSanitizer. No suppression names a function of this tree.

extern "C" const char* __tsan_default_options() {
  // What libraries that are not instrumented do to memory, by memcpy or free, is not judged: what orders it is not
  // seen. Nor are threads of gRPC that have ended at exit and that nobody joined: its resolver's.
  return "ignore_noninstrumented_modules=1 halt_on_error=1 second_deadlock_stack=1 report_thread_leaks=0";
}
