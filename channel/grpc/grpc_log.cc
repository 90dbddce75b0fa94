#include "channel/grpc/grpc_log.h"

#include <grpc/support/log.h>

#include "absl/strings/str_cat.h"
#include "common/observe/log.h"

namespace tributary {
namespace {

void Take(gpr_log_func_args* line) {
  if (LogEnabled(LogLevel::kDebug)) {
    Log(LogLevel::kDebug, absl::StrCat("grpc: ", line->message));
  }
}

}  // namespace

void TakeGrpcLog() {
  [[maybe_unused]] static const bool once = [] {
    gpr_set_log_function(Take);
    return true;
  }();
}

}  // namespace tributary
