// Keys and draws as docs/sampling.md words them, written down once more and as
// slowly as they read: only Philox and SHA-256, which have vectors of others,
// are shared with the engine.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_DEFINITION_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_DEFINITION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/random/philox.h"

namespace tributary {

// The parts of a key; `purpose` by its number in the format.
struct DefinedKeyParts {
  uint64_t random_seed = 0, epoch = 0, batch = 0;
  uint32_t purpose = 2;
  uint32_t hop = 0;
  std::string name = "node,to,node";
};
PhiloxKey DefinedKey(const DefinedKeyParts& parts);

// Word j of a node's stream.
using Words = std::function<uint32_t(uint32_t j)>;
Words DefinedWords(PhiloxKey key, uint32_t local_number, uint32_t tree = 0);

// below(i, n), in 32 or 64 bits.
uint64_t DefinedBelow(const Words& words, uint32_t i, uint64_t n, bool wide);

// True when all d positions are taken and no word is read.
bool DefinedTakesAll(uint64_t d, int64_t k, bool replace);

// The positions that a node of degree d emits at fanout k.
std::vector<uint64_t> DefinedDraw(const Words& words, uint64_t d, int64_t k,
                                  bool replace);

// A node's weights as integers.
std::vector<uint64_t> DefinedWeights(const std::vector<double>& weights);

// The positions that a node with these integer weights emits.
std::vector<uint64_t> DefinedWeightedDraw(const Words& words,
                                          const std::vector<uint64_t>& weights,
                                          int64_t k, bool replace);

// The request of a node whose neighbours have times.
struct DefinedTime {
  int64_t bound = 0;
  bool strict = false;
  bool latest = false;
};
// The positions that a node emits whose neighbours have these times, by
// position.
std::vector<uint64_t> DefinedTimedDraw(const Words& words,
                                       const std::vector<int64_t>& times,
                                       const DefinedTime& asked, int64_t k,
                                       bool replace);

// LABOR-0's variate of a neighbour, and the positions that a node emits whose
// neighbours have these original ids, by position.
uint64_t DefinedVariate(PhiloxKey key, uint64_t original_id);
std::vector<uint64_t> DefinedLaborDraw(PhiloxKey key,
                                       const std::vector<uint64_t>& ids,
                                       int64_t k);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_DEFINITION_H_
