#include "common/fleet/graph_text.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {

absl::StatusOr<GraphTextPages> GraphTextPages::Start(
    uint64_t bytes, const Sha256Digest& digest) {
  if (bytes > 0 && bytes <= kMaxGraphTextBytes) {
    return GraphTextPages(bytes, digest);
  }
  return absl::DataLossError(absl::StrCat("a server has a graph.json of ",
                                          bytes, " bytes; allowed: 1 to ",
                                          kMaxGraphTextBytes));
}

absl::Status GraphTextPages::Add(absl::Span<const uint8_t> page) {
  const uint64_t left = bytes_ - text_.size();
  if (page.size() > left ||
      page.size() < std::min<uint64_t>(left, kGraphPageBytes)) {
    return absl::DataLossError(absl::StrCat("a page of graph.json has ",
                                            page.size(), " bytes where ", left,
                                            " of ", bytes_, " are left"));
  }
  // Grows by what has arrived, not by what was announced.
  text_.append(reinterpret_cast<const char*>(page.data()), page.size());
  return absl::OkStatus();
}

absl::StatusOr<std::string> GraphTextPages::Take() {
  const Sha256Digest digest = Sha256Of(text_);
  if (digest == digest_) return std::move(text_);
  return absl::DataLossError(
      absl::StrCat("the pages of graph.json have the SHA-256 ", ToHex(digest),
                   "; the server says ", ToHex(digest_)));
}

}  // namespace tributary
