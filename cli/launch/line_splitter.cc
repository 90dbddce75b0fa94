#include "cli/launch/line_splitter.h"

#include <algorithm>

namespace tributary {

void LineSplitter::Feed(absl::string_view bytes, Each each) {
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    const size_t taken = std::min(end, max_bytes_ - rest_.size());
    rest_.append(bytes.data(), taken);
    bytes.remove_prefix(taken);
    const bool ended = taken == end && !bytes.empty();
    if (ended) bytes.remove_prefix(1);
    if (ended || rest_.size() == max_bytes_) Finish(each);
  }
}

void LineSplitter::Finish(Each each) {
  if (rest_.empty()) return;
  each(rest_);
  rest_.clear();
}

}  // namespace tributary
