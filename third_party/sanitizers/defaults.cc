// Defaults of the sanitizers, linked into every test, and whatever speaks gRPC.
//
// Debian's libraries are not instrumented, so ThreadSanitizer sees memory that
// they hand from thread to thread and not the synchronisation that orders it.
// What is named here is theirs; races in our own code are still reported.
#if defined(__SANITIZE_THREAD__)
#define TRIBUTARY_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TRIBUTARY_TSAN 1
#endif
#endif

#ifdef TRIBUTARY_TSAN
extern "C" const char* __tsan_default_options();
extern "C" const char* __tsan_default_suppressions();

const char* __tsan_default_options() {
  return "ignore_noninstrumented_modules=1:second_deadlock_stack=1";
}

const char* __tsan_default_suppressions() {
  return "called_from_lib:libgrpc.so\n"
         "called_from_lib:libgrpc++.so\n"
         // The last of several owners frees; the count is theirs.
         "race:absl::debian3::Status::UnrefNonInlined\n"
         // What a gRPC thread runs was ordered by locks inside libgrpc.
         "race:grpc::\n"
         "race:grpc_\n";
}
#endif
