// One input's personalised PageRank by forward push, in integers.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_PPR_PUSH_SUMS_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_PPR_PUSH_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "sampler_server/kinds/ppr/seen_graph.h"

namespace tributary {

// All that there is to share out: an input's residual at first.
inline constexpr uint64_t kPushMass = uint64_t{1} << 62;

struct PushRule {
  uint64_t alpha = 0;    // share of 2^32 that stays
  uint64_t epsilon = 0;  // share of 2^32

  // Whether a residual is at least epsilon x degree of all there is.
  bool IsEnough(uint64_t residual, uint64_t degree) const {
    return static_cast<unsigned __int128>(epsilon) * degree << 30 <= residual;
  }
  // What all pushes of an input see together, but for its own first.
  uint64_t most_edges() const {
    const auto product = static_cast<unsigned __int128>(alpha) * epsilon;
    return static_cast<uint64_t>(((unsigned __int128){1} << 64) / product);
  }
};

// The residuals and scores of one input (R. Andersen, F. Chung, K. Lang, "Local
// Graph Partitioning using PageRank Vectors", FOCS 2006), in synchronous
// rounds: Choose(), then Push(), until nobody pushes. Nodes go by their numbers
// in a SeenGraph. Sums of integers: no order matters. Not thread-safe.
class PushSums {
 public:
  PushSums(const PushRule& rule, uint32_t input);

  // Of the nodes that the last round touched, whose degrees the graph knows,
  // takes the residuals that are enough: their share stays as score, the rest
  // waits to be pushed. The input pushes in the first round whatever its
  // degree. False when nobody pushes: the scores are made.
  bool Choose(const SeenGraph& graph);
  // Nodes that push in this round, whose neighbours Push() reads.
  struct Pushing {
    uint32_t number = 0;
    uint64_t each = 0;  // for every neighbour
  };
  absl::Span<const Pushing> pushing() const { return pushing_; }
  // Requires the neighbours of pushing().
  void Push(const SeenGraph& graph);

  // A node that may be among the k of the largest scores.
  struct Scored {
    uint64_t score = 0;
    uint32_t number = 0;
  };
  // Those of the k largest scores and those as large as the least of them, in
  // no order; lets go of all else.
  void KeepLargest(size_t k);
  std::vector<Scored>& largest() { return largest_; }

  // Held; and what Choose(), with a KeepLargest() after it, and Push(), if it
  // comes to so many nodes, may hold at most meanwhile.
  size_t bytes() const;
  size_t BytesToChoose() const;
  size_t BytesToPush(uint64_t nodes) const;

 private:
  struct Entry {
    uint64_t residual = 0;
    uint64_t score = 0;
    uint32_t number = 0;
    uint32_t round = 0;  // that touched it last
  };

  void Add(uint32_t number, uint64_t amount);
  void ChooseOne(Entry& entry, uint64_t degree);
  void Rehash(size_t slots);
  size_t HomeOf(uint32_t number) const {
    return (number * uint64_t{0x9E3779B97F4A7C15}) >> (64 - bits_);
  }

  const PushRule rule_;
  uint32_t round_ = 1;
  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;    // 1 + place in entries_; 0: free
  int bits_ = 0;                   // 2^bits_ slots
  std::vector<uint32_t> touched_;  // places in entries_, in this round
  std::vector<Pushing> pushing_;
  std::vector<Scored> largest_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_PPR_PUSH_SUMS_H_
