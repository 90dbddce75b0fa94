#include "channel/grpc/grpc_log.h"

#include <grpc/support/log.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "channel/grpc/tls/handshake_failure.h"
#include "channel/tls/refused_connections.h"
#include "common/observe/log.h"

namespace tributary {
namespace {

absl::string_view FileName(absl::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

void Take(gpr_log_func_args* line) {
  thread_local HandshakeFailureReader handshakes;
  if (const auto failure =
          handshakes.Read({FileName(line->file), line->message})) {
    // Names in a certificate are the other end's words.
    RefusedConnections::OfProcess().Add(failure->reason,
                                        absl::CHexEscape(failure->text));
  }
  if (line->severity == GPR_LOG_SEVERITY_ERROR &&
      LogEnabled(LogLevel::kDebug)) {
    Log(LogLevel::kDebug,
        absl::StrCat("grpc: ", absl::CHexEscape(line->message)));
  }
}

}  // namespace

void TakeGrpcLog() {
  [[maybe_unused]] static const bool once = [] {
    gpr_set_log_function(Take);
    // Failed handshakes of servers are reported at this level only.
    gpr_set_log_verbosity(GPR_LOG_SEVERITY_DEBUG);
    return true;
  }();
}

}  // namespace tributary
