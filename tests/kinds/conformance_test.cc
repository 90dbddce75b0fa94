// The conformance suite that every kind of sampling must pass. A kind joins it
// by its fixture (kind_fixture.h).
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "common/proto/session.pb.h"
#include "sampler_server/engine/testing/filled_batch.h"
#include "sampler_server/kinds/registry.h"
#include "tests/kinds/kind_fixture.h"

namespace tributary {
namespace {

class Conformance : public testing::TestWithParam<const KindFixture*> {
 protected:
  KindCase Make(uint64_t seed) const { return GetParam()->MakeCase(seed); }
};

std::string Defined(const KindCase& c) {
  const auto graph = MemoryGraph::Make(c.graph);
  return c.defined(RequestOf(graph->schema(), c.batch));
}

// Makes the batch with the partitions p % servers == 0 local and all others
// behind a peer.
std::string Made(const KindCase& c, uint32_t partitions, uint32_t servers) {
  MemoryGraphSpec spec = c.graph;
  spec.num_partitions = partitions;
  for (auto& type : spec.node_types) type.partition_of.clear();
  const auto graph = MemoryGraph::Make(spec);
  if (servers == 1) return DigestOf(*OneBatchWorld(graph).Run(c.batch));
  std::set<uint32_t> here;
  for (uint32_t p = 0; p < partitions; p += servers) here.insert(p);
  OneBatchWorld world(graph->Only(here), graph);
  world.remote()->edges_per_reply = 3;
  return DigestOf(*world.Run(c.batch));
}

// Likewise, without some rows, which are filled in afterwards.
std::string MadeWithTrainerRows(const KindCase& c, uint64_t seed) {
  MemoryGraphSpec spec = c.graph;
  spec.num_partitions = 3;
  for (auto& type : spec.node_types) type.partition_of.clear();
  const auto graph = MemoryGraph::Make(spec);
  OneBatchWorld world(graph->Only({0, 2}), graph);
  return DigestWithTrainerRows(world, *graph, c.batch, seed);
}

TEST(Registry, EveryKindHasAFixtureAndAName) {
  std::set<std::string> kinds, fixtures;
  for (const SamplingKind* kind : AllKinds()) {
    EXPECT_TRUE(kinds.emplace(kind->name()).second) << kind->name();
    EXPECT_EQ(FindKind(kind->field()), kind);
  }
  for (const KindFixture* fixture : AllFixtures()) {
    EXPECT_TRUE(fixtures.emplace(fixture->kind()).second) << fixture->kind();
  }
  EXPECT_EQ(kinds, fixtures) << "tests/kinds/kind_fixtures.cc";
}

TEST_P(Conformance, IsTheSameWhereTheTrainerHoldsRows) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const KindCase c = Make(seed);
    ASSERT_EQ(MadeWithTrainerRows(c, seed), Defined(c))
        << "seed " << seed << "\n"
        << c.description;
  }
}

TEST_P(Conformance, IsTheSameWhereEdgesAreCompact) {
  uint64_t saved = 0, all = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const KindCase c = Make(seed);
    const auto graph = MemoryGraph::Make(c.graph);
    OneBatchWorld world(graph);
    ASSERT_EQ(DigestWithCompactEdges(world, *graph, c.batch, &saved, &all),
              Defined(c))
        << "seed " << seed << "\n"
        << c.description;
  }
  EXPECT_EQ(saved > 0, all > 0) << "batches with edges, and none is compact";
}

TEST_P(Conformance, IsWhatIsDefined) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const KindCase c = Make(seed);
    const auto graph = MemoryGraph::Make(c.graph);
    ASSERT_EQ(DigestOf(*OneBatchWorld(graph).Run(c.batch)), Defined(c))
        << "seed " << seed << "\n"
        << c.description;
  }
}

TEST_P(Conformance, PartitionsAndServersDoNotMatter) {
  for (uint64_t seed = 1000; seed < 1060; ++seed) {
    const KindCase c = Make(seed);
    for (const uint32_t partitions : {1, 2, 3, 5}) {
      for (const uint32_t servers : {1, 3}) {
        ASSERT_EQ(Made(c, partitions, servers), Defined(c))
            << "seed " << seed << ", " << partitions << " partitions, "
            << servers << " servers\n"
            << c.description;
      }
    }
  }
}

// Whatever room is offered first, a few tries give the same batch. The exact
// size is enough; for one byte less the answer names the exact size.
TEST_P(Conformance, EveryRoomConverges) {
  for (uint64_t seed = 2000; seed < 2150; ++seed) {
    const KindCase c = Make(seed);
    const auto graph = MemoryGraph::Make(c.graph);
    BatchCase batch = c.batch;
    batch.max_bytes = 1 + seed * 7919 % 3000;
    auto sink = OneBatchWorld(graph).Run(batch);
    int tries = 1;
    for (; sink->needs.has_value() && tries < 12; ++tries) {
      ASSERT_GT(*sink->needs, batch.max_bytes) << "seed " << seed;
      batch.max_bytes = *sink->needs;
      sink = OneBatchWorld(graph).Run(batch);
    }
    ASSERT_EQ(DigestOf(*sink), Defined(c)) << c.description;
    batch.max_bytes = *sink->ready - 1;
    sink = OneBatchWorld(graph).Run(batch);
    ASSERT_TRUE(sink->needs.has_value()) << "seed " << seed;
    batch.max_bytes = *sink->needs;
    sink = OneBatchWorld(graph).Run(batch);
    ASSERT_TRUE(sink->ready.has_value()) << "seed " << seed << c.description;
    ASSERT_EQ(*sink->ready, batch.max_bytes) << "seed " << seed;
  }
}

// An unknown field might change what is sampled.
TEST_P(Conformance, AFieldThatNobodyKnowsIsRefused) {
  KindCase c = Make(1);
  const auto graph = MemoryGraph::Make(c.graph);
  v1::SessionSpec spec = PlanOf(graph->schema(), c.batch)->spec;
  ASSERT_TRUE(MakePlan(graph->schema(), spec.SerializeAsString()).ok());
  const auto* field = v1::SessionSpec::descriptor()->FindFieldByNumber(
      static_cast<int>(spec.kind_case()));
  google::protobuf::Message* message =
      spec.GetReflection()->MutableMessage(&spec, field);
  message->GetReflection()->MutableUnknownFields(message)->AddVarint(999, 1);
  const absl::Status status =
      MakePlan(graph->schema(), spec.SerializeAsString()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("field 999 is unknown"), std::string::npos)
      << status;
}

TEST_P(Conformance, APeerThatFailsOrLiesIsAnErrorInTheBatchsPlace) {
  int failed = 0, lied = 0;
  for (uint64_t seed = 3000; seed < 3060; ++seed) {
    KindCase c = Make(seed);
    c.graph.num_partitions = 3;
    for (auto& type : c.graph.node_types) type.partition_of.clear();
    const auto graph = MemoryGraph::Make(c.graph);
    const std::string right = Defined(c);
    OneBatchWorld without(graph->Only({0}));
    failed += DigestOf(*without.Run(c.batch)) == right ? 0 : 1;
    OneBatchWorld lying(graph->Only({0}), graph);
    lying.remote()->damaged_neighbor = true;
    const auto sink = lying.Run(c.batch);
    ASSERT_EQ(sink->ends, 1);
    if (!sink->failed.ok()) {
      ++lied;
      EXPECT_EQ(sink->failed.code(), absl::StatusCode::kDataLoss)
          << sink->failed;
    }
  }
  EXPECT_GT(failed, 10);
  EXPECT_GT(lied, 10);
}

TEST_P(Conformance, NoCallAfterCancel) {
  const KindCase c = Make(7);
  MemoryGraphSpec spec = c.graph;
  spec.num_partitions = 2;
  for (auto& type : spec.node_types) type.partition_of.clear();
  const auto graph = MemoryGraph::Make(spec);
  for (int steps = 0; steps < 60; ++steps) {
    OneBatchWorld world(graph->Only({0}), graph);
    BatchRequest request = RequestOf(graph->schema(), c.batch);
    const CancelToken cancel = request.cancel;
    auto sink = world.Start(std::move(request));
    for (int i = 0; i < steps; ++i) world.world().Step();
    const int ends = sink->ends;
    cancel.Cancel();
    world.world().Drain(10'000);
    EXPECT_EQ(sink->ends, ends);
    EXPECT_EQ(sink.use_count(), 1);
    for (const CancelToken& call : world.remote()->cancels) {
      EXPECT_TRUE(call.cancelled()) << "a peer works for nobody";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Conformance,
                         testing::ValuesIn(AllFixtures().begin(),
                                           AllFixtures().end()),
                         [](const auto& info) {
                           return std::string(info.param->kind());
                         });

}  // namespace
}  // namespace tributary
