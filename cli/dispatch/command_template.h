// Command lines with places for what differs by host.
#ifndef TRIBUTARY_CLI_DISPATCH_COMMAND_TEMPLATE_H_
#define TRIBUTARY_CLI_DISPATCH_COMMAND_TEMPLATE_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tributary {

// A command for /bin/sh with places such as {host}; "{{" stands for "{". Values
// are quoted for this machine's shell where they are no plain words.
//
//   ASSIGN_OR_RETURN(auto copy, CommandTemplate::Parse(
//       "--copy-command", "scp -r {folder}/. {host}:{to}/", {"folder", ...}));
//   copy.Fill({{"folder", "a b"}, ...});  // scp -r 'a b'/. ...
class CommandTemplate {
 public:
  // INVALID_ARGUMENT, naming `flag` and the places that there are, for an
  // unknown place or a '{' without a '}'.
  static absl::StatusOr<CommandTemplate> Parse(
      absl::string_view flag, absl::string_view text,
      const std::vector<std::string>& places);

  bool Has(const std::string& place) const;
  // Requires a value for each place of the command.
  std::string Fill(const std::map<std::string, std::string>& values) const;

 private:
  struct Piece {
    std::string text;  // as it is, or the name of a place
    bool is_place = false;
  };
  std::vector<Piece> pieces_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_DISPATCH_COMMAND_TEMPLATE_H_
