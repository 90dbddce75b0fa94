// Splits a stream of bytes into lines of bounded length.
#ifndef TRIBUTARY_CLI_LAUNCH_LINE_SPLITTER_H_
#define TRIBUTARY_CLI_LAUNCH_LINE_SPLITTER_H_

#include <cstddef>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace tributary {

// Lines end with '\n' or '\r', so that each state of a progress bar is one;
// empty lines are left out. A line of more than `max_bytes` comes in pieces, of
// which all but the last have that many bytes.
class LineSplitter {
 public:
  using Each = absl::FunctionRef<void(absl::string_view line)>;

  explicit LineSplitter(size_t max_bytes) : max_bytes_(max_bytes) {}
  // Calls `each` for every line that `bytes` complete.
  void Feed(absl::string_view bytes, Each each);
  // Calls `each` for what has come without an end.
  void Finish(Each each);

 private:
  const size_t max_bytes_;
  std::string rest_;  // at most max_bytes_
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_LAUNCH_LINE_SPLITTER_H_
