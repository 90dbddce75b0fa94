// Small random graphs with their corner cases, a batch of each, and its digest
// by the engine and by definition.
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
  std::set<uint32_t> here;       // the local partitions; others are a peer's
  uint64_t edges_per_reply = 1;  // edges in each part of a peer's reply
};

// Returns a case that depends on the seed alone. 1 to 3 node types, some empty,
// 1 to 200 nodes, no edge to 2000, hubs, parallel edges, self loops, isolated
// nodes; 1 to 5 partitions, some empty; 1 to 3 hops with fanouts from -1 to
// 100; 1 to 30 inputs with duplicates; with and without features, labels,
// attributes.
RandomCase MakeRandomCase(uint64_t seed);

// Returns a case on a graph that stores its edges both ways, most often with
// edge_dir out or both.
RandomCase MakeDirectedCase(uint64_t seed);

// Returns a case with one hub of 65,535 to 70,001 in-edges from a few other
// nodes: degrees on both sides of the threshold of wide draws.
RandomCase MakeHubCase(uint64_t seed);

// Return the digest of the engine's batch: with all partitions local, or with
// those of `here` local and the others behind a peer.
std::string EngineDigest(const RandomCase& c);
std::string EngineDigestWithPeer(const RandomCase& c);
// Returns the digest that docs/sampling.md defines (ExpectedDigest).
std::string DefinedDigest(const RandomCase& c);

// Returns the whole case as text; a few lines for a small one.
std::string Describe(const RandomCase& c);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_BRUTE_FORCE_RANDOM_CASE_H_
