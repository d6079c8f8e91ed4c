// ThreadSanitizer's options for every program of the preset "tsan". No suppression names a function of this tree.

extern "C" const char* __tsan_default_options() {
  // Accesses to memory by libraries without instrumentation, by memcpy or free, are not judged: their order is
  // invisible. Nor are gRPC's threads that end at exit without a join: its resolver's.
  return "ignore_noninstrumented_modules=1 halt_on_error=1 second_deadlock_stack=1 report_thread_leaks=0";
}

// Two threads may begin an operation of gRPC's and hear of its end. gRPC's queue orders both threads, without
// instrumentation; the touched memory is in gRPC's headers, with instrumentation.
extern "C" const char* __tsan_default_suppressions() { return "race:grpc::internal::CallOpSet\n"; }
