// A small random graph and a batch of it, with all that goes wrong in graphs.
#ifndef TRIBUTARY_TESTS_BRUTE_FORCE_RANDOM_CASE_H_
#define TRIBUTARY_TESTS_BRUTE_FORCE_RANDOM_CASE_H_

#include <cstdint>
#include <set>
#include <string>

#include "sampler_server/engine/testing/one_batch.h"

namespace tributary {

struct RandomCase {
  uint64_t seed = 0;
  MemoryGraphSpec graph;
  BatchCase batch;
  std::set<uint32_t> here;       // partitions that are not a peer's; any number
  uint64_t edges_per_reply = 1;  // of a peer's reply, before it goes on
};

// A pure function of the seed. 1 to 3 node types, some empty, 1 to 200 nodes,
// no edge to 2000, hubs, parallel edges, self loops, isolated nodes; 1 to 5
// partitions, some empty; 1 to 3 hops with fanouts from -1 to 100; 1 to 30
// inputs with duplicates; with and without features, labels, attributes.
RandomCase MakeRandomCase(uint64_t seed);

// The same of a graph that stores its edges both ways: most often with edge_dir
// out or both.
RandomCase MakeDirectedCase(uint64_t seed);

// One hub of 65,535 to 70,001 in-edges, on both sides of where draws become
// wide, that a few other nodes lead to.
RandomCase MakeHubCase(uint64_t seed);

// What the engine makes of it, as DigestOf says: with all partitions here, or
// with those of `here`, the others being a peer's.
std::string EngineDigest(const RandomCase& c);
std::string EngineDigestWithPeer(const RandomCase& c);
// What docs/sampling.md makes of it.
std::string DefinedDigest(const RandomCase& c);

// All of it, in a few lines when it is small.
std::string Describe(const RandomCase& c);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_BRUTE_FORCE_RANDOM_CASE_H_
