// What every program of the preset "tsan" tells ThreadSanitizer. No suppression names a function of this tree.

extern "C" const char* __tsan_default_options() {
  // What libraries that are not instrumented do to memory, by memcpy or free, is not judged: what orders it is not
  // seen. Nor are threads of gRPC that have ended at exit and that nobody joined: its resolver's.
  return "ignore_noninstrumented_modules=1 halt_on_error=1 second_deadlock_stack=1 report_thread_leaks=0";
}

// Two threads may begin an operation of gRPC's and hear of its end. What orders them is in gRPC's queue, which is not
// instrumented; what they touch is in its headers, which are.
extern "C" const char* __tsan_default_suppressions() { return "race:grpc::internal::CallOpSet\n"; }
