/* What ThreadSanitizer is told of the programs here. Debian's gRPC and Abseil are
   not compiled for it, so that it sees neither their locks nor the last use of
   an absl::Status; LLVM 16 does not know pthread_mutex_clocklock, by which the
   library waits for its turn, and takes the unlocking for a fault. */

const char* __tsan_default_options(void);
const char* __tsan_default_suppressions(void);

const char* __tsan_default_options(void) { return "report_mutex_bugs=0"; }

const char* __tsan_default_suppressions(void) {
  return "race:absl::debian3::Status\n"
         "race:libabsl_\n"
         "race:grpc::\n"
         "race:grpc_core::\n"
         "race:grpc_event_engine::\n"
         "race:^grpc_\n"
         "race:grpcpp/impl\n";
}
