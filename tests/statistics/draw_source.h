// Sources of draws for statistical tests: the engine, or an implementation with
// a known fault, which the test must detect.
#ifndef TRIBUTARY_TESTS_STATISTICS_DRAW_SOURCE_H_
#define TRIBUTARY_TESTS_STATISTICS_DRAW_SOURCE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sampler_server/engine/testing/definition.h"
#include "sampler_server/engine/testing/one_batch.h"

namespace tributary {

// The shape of a draw: `roots` nodes of one degree are the inputs of every
// batch, and so have local numbers 0, 1, ...
struct DrawShape {
  uint64_t degree = 12;
  uint32_t roots = 50;  // even
  int32_t fanout = 1;
  uint32_t hops = 1;
  bool replace = false;
  uint32_t edge_types = 1;  // 2: both lead to the roots
  // False: the roots are drawn for in every hop (expand: all). True, with
  // fanout 1: each root's neighbour in the second (expand: new).
  bool chain = false;
  bool disjoint = false;  // each root has a tree of its own; one hop
};

// The positions drawn, ascending: [edge type][hop][root].
using BatchDraws = std::vector<std::vector<std::vector<std::vector<uint64_t>>>>;

// Draws batches of one shape. Owned by the test; not thread-safe.
class DrawSource {
 public:
  explicit DrawSource(const DrawShape& shape) : shape_(shape) {}
  virtual ~DrawSource() = default;
  const DrawShape& shape() const { return shape_; }
  // Returns the draws of one batch.
  virtual BatchDraws Batch(uint64_t random_seed, uint64_t epoch,
                           uint64_t batch) = 0;

 private:
  const DrawShape shape_;
};

// Returns a source that runs BatchTask on a graph of that shape and reads the
// draws from the edge ids of its batches. With 3 partitions two are a peer's.
std::unique_ptr<DrawSource> FromEngine(const DrawShape& shape,
                                       uint32_t partitions = 1);

// Known faults of a sampler.
enum class Fault {
  kNone,              // as docs/sampling.md defines it
  kModuloOfFiveBits,  // 5 random bits mod n
  kFloydTakesNext,    // a position already drawn gives the next free one
  kRunOfNeighbors,    // k positions in a row from a random one
  kDropsRepeats,      // with replacement, but without repeats
  kSameWordTwice,     // draws 2i and 2i + 1 share a word
  kSixteenBits,       // wide draws have 16 random bits
  kSeedNotInKey,
  kEpochNotInKey,
  kBatchNotInKey,
  kHopNotInKey,
  kTypeNotInKey,
  kNumberHalved,      // two adjacent local numbers share a stream
  kTreeNotInCounter,  // each root is number 0 of its tree
  kNumberWithinHop,   // numbers restart in each hop, and no hop in the key
};
// Returns a source that draws by definition but for the fault.
std::unique_ptr<DrawSource> WithFault(const DrawShape& shape, Fault fault);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_STATISTICS_DRAW_SOURCE_H_
