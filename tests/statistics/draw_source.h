// Where the statistics take their draws from: the engine, or a drawer with a
// known fault, which a statistic must find.
#ifndef TRIBUTARY_TESTS_STATISTICS_DRAW_SOURCE_H_
#define TRIBUTARY_TESTS_STATISTICS_DRAW_SOURCE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sampler_server/engine/testing/definition.h"
#include "sampler_server/engine/testing/one_batch.h"

namespace tributary {

// What is drawn: `roots` nodes of one degree, the inputs of every batch and so
// its local numbers 0, 1, ...
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
  bool disjoint = false;  // each root is a tree's; one hop
};

// The positions drawn, ascending: [edge type][hop][root].
using BatchDraws = std::vector<std::vector<std::vector<std::vector<uint64_t>>>>;

class DrawSource {
 public:
  explicit DrawSource(const DrawShape& shape) : shape_(shape) {}
  virtual ~DrawSource() = default;
  const DrawShape& shape() const { return shape_; }
  virtual BatchDraws Batch(uint64_t random_seed, uint64_t epoch,
                           uint64_t batch) = 0;

 private:
  const DrawShape shape_;
};

// Runs BatchTask on a graph of that shape and reads the draws out of its
// batches' edge ids. With 3 partitions two of them are a peer's.
std::unique_ptr<DrawSource> FromEngine(const DrawShape& shape,
                                       uint32_t partitions = 1);

enum class Fault {
  kNone,              // the definition
  kModuloOfFiveBits,  // word mod n, of 5 bits only
  kFloydTakesNext,    // a position that is taken gives the next free one
  kRunOfNeighbors,    // one random place, then k in a row
  kDropsRepeats,      // with replacement, but no position comes twice
  kSameWordTwice,     // draws 2i and 2i + 1 share a word
  kSixteenBits,       // wide draws have 16 random bits
  kSeedNotInKey,
  kEpochNotInKey,
  kBatchNotInKey,
  kHopNotInKey,
  kTypeNotInKey,
  kNumberHalved,      // neighbouring local numbers share a stream
  kTreeNotInCounter,  // each root is number 0 of its tree
  kNumberWithinHop,   // and no hop in the key: each hop starts again
};
std::unique_ptr<DrawSource> WithFault(const DrawShape& shape, Fault fault);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_STATISTICS_DRAW_SOURCE_H_
