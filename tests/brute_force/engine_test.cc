// Compares the engine with the definition on thousands of small random graphs.
// A failure prints the smallest case found that also fails.
#include <gtest/gtest.h>

#include "tests/brute_force/random_case.h"
#include "tests/brute_force/shrink.h"

namespace tributary {
namespace {

using Digest = std::string (*)(const RandomCase&);

// Returns false, and prints the case, if `made` differs from the definition.
bool Agrees(const RandomCase& c, Digest made) {
  if (made(c) == DefinedDigest(c)) return true;
  const RandomCase small = Shrink(c, [made](const RandomCase& some) {
    return made(some) != DefinedDigest(some);
  });
  ADD_FAILURE() << "smallest case found, from this seed:\n"
                << Describe(small) << "made:    " << made(small)
                << "\ndefined: " << DefinedDigest(small);
  return false;
}

TEST(BruteForce, AllPartitionsHere) {
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    if (!Agrees(MakeRandomCase(seed), EngineDigest)) return;
  }
}

TEST(BruteForce, PeersThatAnswerInPieces) {
  for (uint64_t seed = 10'000; seed < 13'000; ++seed) {
    if (!Agrees(MakeRandomCase(seed), EngineDigestWithPeer)) return;
  }
}

TEST(BruteForce, EdgesOfOtherDirections) {
  int of_each[3] = {};
  for (uint64_t seed = 30'000; seed < 32'000; ++seed) {
    const RandomCase c = MakeDirectedCase(seed);
    ++of_each[static_cast<int>(c.batch.options.draws.edge_dir)];
    if (!Agrees(c, seed % 2 == 0 ? EngineDigest : EngineDigestWithPeer)) return;
  }
  EXPECT_GT(of_each[1], 400);
  EXPECT_GT(of_each[2], 400);
}

TEST(BruteForce, HubsOnBothSidesOfWideDraws) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    if (!Agrees(MakeHubCase(seed), EngineDigest)) return;
    if (!Agrees(MakeHubCase(seed), EngineDigestWithPeer)) return;
  }
}

// Far more edges may be drawn than a subgraph has: repeats, parallel edges.
bool IsMadeOfItsEdges(const RandomCase& c) {
  switch (c.batch.options.subgraph.type) {
    case SubgraphType::kDirectional:
      return true;
    case SubgraphType::kBidirectional:
      return false;
    case SubgraphType::kInduced:
      return !c.batch.options.replace;
  }
  return false;
}

// Whatever room is offered first, a few tries give the same batch, each with
// more room than the one before; enough room is never refused.
TEST(BruteForce, EveryRoomConverges) {
  for (uint64_t seed = 20'000; seed < 21'000; ++seed) {
    const RandomCase c = MakeRandomCase(seed);
    const auto graph = MemoryGraph::Make(c.graph);
    const auto run = [&](const BatchCase& batch) {
      return OneBatchWorld(graph->Only(c.here), graph).Run(batch);
    };
    BatchCase batch = c.batch;
    batch.max_bytes = 1 + seed * 7919 % 3000;
    auto sink = run(batch);
    int tries = 1;
    for (; sink->needs.has_value() && tries < 12; ++tries) {
      ASSERT_GT(*sink->needs, batch.max_bytes) << "seed " << seed;
      batch.max_bytes = *sink->needs;
      sink = run(batch);
    }
    ASSERT_EQ(DigestOf(*sink), DefinedDigest(c)) << Describe(c);
    ASSERT_EQ(sink->ends, 1);
    if (!IsMadeOfItsEdges(c)) continue;
    // One byte less is too little, and the answer names the exact size.
    batch.max_bytes = *sink->ready - 1;
    sink = run(batch);
    ASSERT_TRUE(sink->needs.has_value());
    batch.max_bytes = *sink->needs;
    sink = run(batch);
    ASSERT_EQ(*sink->ready, batch.max_bytes) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tributary
