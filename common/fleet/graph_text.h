// The text of graph.json on its way from a server: its limits, and how a client
// puts its pages together.
#ifndef TRIBUTARY_COMMON_FLEET_GRAPH_TEXT_H_
#define TRIBUTARY_COMMON_FLEET_GRAPH_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/hash/sha256.h"

namespace tributary {

// The most bytes of the text in one reply of GetGraphJson.
inline constexpr size_t kGraphPageBytes = size_t{256} << 10;
// The most that a DescribeReply carries: half a message's header, because the
// states of peers are beside it.
inline constexpr size_t kMaxGraphTextInReply = size_t{512} << 10;
// The longest text that is served.
inline constexpr size_t kMaxGraphTextBytes = size_t{64} << 20;

// Collects the pages of a text whose length and digest are known. A text that
// a server makes longer than it said is refused before it is kept. Not
// thread-safe.
class GraphTextPages {
 public:
  // DATA_LOSS if there is no text, or more than kMaxGraphTextBytes of it.
  static absl::StatusOr<GraphTextPages> Start(uint64_t bytes,
                                              const Sha256Digest& digest);

  // Returns where the next page begins.
  uint64_t offset() const { return text_.size(); }
  bool complete() const { return text_.size() == bytes_; }
  // Appends the page at offset(). DATA_LOSS if it exceeds the text, or has less
  // than kGraphPageBytes though more is left: a server that sends small pages
  // would be read for hours.
  absl::Status Add(absl::Span<const uint8_t> page);
  // Returns the text. DATA_LOSS if it does not have the digest. Requires
  // complete(). Call once.
  absl::StatusOr<std::string> Take();

 private:
  GraphTextPages(uint64_t bytes, const Sha256Digest& digest)
      : bytes_(bytes), digest_(digest) {}

  uint64_t bytes_;
  Sha256Digest digest_;
  std::string text_;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_FLEET_GRAPH_TEXT_H_
