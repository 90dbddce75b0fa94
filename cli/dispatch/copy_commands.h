// The commands by which files get to hosts over ssh.
#ifndef TRIBUTARY_CLI_DISPATCH_COPY_COMMANDS_H_
#define TRIBUTARY_CLI_DISPATCH_COPY_COMMANDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace tributary {

// How hosts are reached; all texts are plain words (IsPlainWord), or empty.
struct CopyRoute {
  bool use_scp = false;  // else rsync
  uint16_t port = 22;
  std::string user;                  // empty: as ssh's configuration says
  std::vector<std::string> options;  // NAME=VALUE, as of ssh -o
  std::string remote_program = "tributary";
};

// INVALID_ARGUMENT names the text that is no plain word.
absl::Status CheckRoute(const CopyRoute& route);

// Texts of CommandTemplates: the copy of a graph's files, their verification,
// and the copy of a file or folder of this machine into a folder at the host.
std::string CopyCommandOf(const CopyRoute& route);
std::string VerifyCommandOf(const CopyRoute& route);
std::string SendCommandOf(const CopyRoute& route, const std::string& path,
                          const std::string& folder);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_DISPATCH_COPY_COMMANDS_H_
