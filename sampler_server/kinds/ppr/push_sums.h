// Computes one input's personalised PageRank by forward push, in integers.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_PPR_PUSH_SUMS_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_PPR_PUSH_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/runtime/stop_check.h"
#include "sampler_server/kinds/ppr/seen_graph.h"

namespace tributary {

// The sum of an input's residuals and scores: its residual at the start.
inline constexpr uint64_t kPushMass = uint64_t{1} << 62;

// Both parameters are shares of 2^32.
struct PushRule {
  uint64_t alpha = 0;    // part of a residual that becomes score
  uint64_t epsilon = 0;  // a node pushes from epsilon x degree on

  // Whether a residual is at least epsilon x degree of kPushMass.
  bool IsEnough(uint64_t residual, uint64_t degree) const {
    return static_cast<unsigned __int128>(epsilon) * degree << 30 <= residual;
  }
  // Returns a bound of the edges that all pushes of an input read together,
  // without its own first push.
  uint64_t most_edges() const {
    const auto product = static_cast<unsigned __int128>(alpha) * epsilon;
    return static_cast<uint64_t>(((unsigned __int128){1} << 64) / product);
  }
};

// The residuals and scores of one input (R. Andersen, F. Chung, K. Lang, "Local
// Graph Partitioning using PageRank Vectors", FOCS 2006), in synchronous
// rounds: Choose(), then Push(), until no node pushes. Nodes are identified by
// their numbers in a SeenGraph. Sums are of integers, so that their order does
// not matter. Not thread-safe.
class PushSums {
 public:
  PushSums(const PushRule& rule, uint32_t input);

  // Chooses the nodes that push in this round: of those that the last round
  // touched, whose degrees the graph must have, those with enough residual. A
  // share of it becomes score, the rest is to be pushed. The input pushes in
  // the first round whatever its degree. Returns false if no node pushes: the
  // scores are final.
  // Stops early when `stop` says so; then only destroy it.
  bool Choose(const SeenGraph& graph, StopCheck* stop = nullptr);
  // A node that pushes in this round.
  struct Pushing {
    uint32_t number = 0;
    uint64_t each = 0;  // what every neighbour gets
  };
  absl::Span<const Pushing> pushing() const { return pushing_; }
  // Adds to the residuals of the neighbours of pushing(), which the graph must
  // have. Stops early as Choose.
  void Push(const SeenGraph& graph, StopCheck* stop = nullptr);

  // A node that may be among the k of the largest scores.
  struct Scored {
    uint64_t score = 0;
    uint32_t number = 0;
  };
  // Sets largest() to the nodes of the k largest scores and those that tie with
  // the smallest of them, in no order, and frees all other memory.
  void KeepLargest(size_t k);
  std::vector<Scored>& largest() { return largest_; }

  // Memory held; and the most that is held during Choose(), with a
  // KeepLargest() after it, and during a Push() that reaches `nodes` nodes.
  size_t bytes() const;
  size_t BytesToChoose() const;
  size_t BytesToPush(uint64_t nodes) const;

 private:
  struct Entry {
    uint64_t residual = 0;
    uint64_t score = 0;
    uint32_t number = 0;
    uint32_t round = 0;  // the last one that touched it
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
