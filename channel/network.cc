#include "channel/network.h"

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"

namespace tributary {

absl::StatusOr<Carrier> ParseCarrier(absl::string_view text) {
  if (text == "auto") return Carrier::kAuto;
  if (text == "grpc") return Carrier::kGrpc;
  if (text == "tcp") return Carrier::kTcp;
  return absl::InvalidArgumentError(
      absl::StrCat("'", TerminalLine(std::string(text)),
                   "' carries no streams; allowed: auto, grpc, tcp"));
}

absl::Status CheckServerOptions(const NetworkServerOptions& options) {
  RETURN_IF_ERROR(CheckTlsFiles(options.tls));
  if (!options.tls.empty() || options.insecure ||
      IsLoopback(options.listen.host)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "listening on ", options.listen.ToString(),
      " without TLS would serve the graph to anyone who reaches it: listen "
      "on a loopback address, or allow it with --insecure"));
}

}  // namespace tributary
