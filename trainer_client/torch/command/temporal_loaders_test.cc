// What `tributary-train --time` samples for links, by its own command line, on
// a graph that is small enough to list every edge.
#include <fstream>
#include <map>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "trainer_client/core/batch/hetero_batch.h"
#include "trainer_client/torch/command/train_arguments.h"
#include "trainer_client/torch/command/train_loaders.h"
#include "trainer_client/torch/real_batch_source.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

// By number in the split: the ids of the edges that were sampled for the link.
using EdgesOfLinks = std::map<int64_t, std::set<int64_t>>;

// Edges of times 1, 3, 2, 3, 5, 4, 6. Links to train on are 1->0 at 1, 1->0 at
// 3 and 2->0 at 4, which have the ids 0, 3 and 5; 0->4 at 6 is one to test on.
GraphSpec Mails(bool timed = true) {
  GraphSpec spec;
  spec.num_nodes = 5;
  spec.edges = {{1, 0}, {2, 0}, {3, 1}, {1, 0}, {4, 2}, {2, 0}, {0, 4}};
  if (timed) spec.edge_time = {1, 3, 2, 3, 5, 4, 6};
  spec.edge_splits = {{"train", {1, 0, 0, 1, 0, 3, 2, 0, 5}},
                      {"test", {0, 4, 6}}};
  return spec;
}

class TemporalLoadersTest : public ::testing::Test {
 protected:
  // Opens the loaders of a command line on `spec`.
  absl::Status Open(const GraphSpec& spec,
                    const std::vector<std::string>& flags,
                    const std::string& input = "train,,test",
                    const std::string& fanouts = "-1,-1") {
    WriteGraphTo(spec, folder_.File("graph"));
    std::ofstream(folder_.File("times")) << "1\n3\n2\n3\n5\n4\n6\n";
    std::vector<std::string> words{"tributary-train",
                                   "--graph",
                                   folder_.File("graph"),
                                   "--task",
                                   "link",
                                   "--edge-time",
                                   folder_.File("times"),
                                   "--input",
                                   input,
                                   "--num-neighbors=" + fanouts};
    words.insert(words.end(), flags.begin(), flags.end());
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    const auto parsed =
        ParseTrainArguments(static_cast<int>(argv.size()), argv.data());
    if (!parsed.arguments) return absl::InvalidArgumentError("usage");
    auto source = OpenRealBatchSource(parsed.arguments->source);
    if (!source.ok()) return source.status();
    source_ = *std::move(source);
    return loaders_.Open(*parsed.arguments, RankEnvironment(), *source_);
  }

  // Reads an epoch, for each link the edges of its tree.
  static EdgesOfLinks Epoch(DistLoader* loader) {
    EdgesOfLinks found;
    EXPECT_TRUE(loader->StartEpoch(0).ok());
    while (true) {
      auto lease = loader->Next();
      EXPECT_TRUE(lease.ok()) << lease.status();
      if (!lease.ok() || !*lease) return found;
      const auto batch = ToTypedBatch((*lease)->view(), loader->schema());
      EXPECT_TRUE(batch.ok()) << batch.status();
      Add(*batch, &found);
    }
  }

 private:
  static void Add(const HeteroBatch& batch, EdgesOfLinks* found) {
    const auto tree = batch.nodes.at("node").batch->As<int64_t>();
    const HeteroLinks& links = batch.links.at("node,to,node");
    const HeteroEdges& edges = batch.edges.at("node,to,node");
    for (const int64_t link : links.input_id) (*found)[link];
    for (size_t e = 0; e < edges.e_id.size(); ++e) {
      const int64_t link = links.input_id[tree[edges.dst[e]]];
      EXPECT_EQ(tree[edges.src[e]], tree[edges.dst[e]]);
      (*found)[link].insert(edges.e_id[e]);
    }
  }

 protected:
  TemporaryFolder folder_;
  std::unique_ptr<BatchSource> source_;
  OwnedTrainLoaders loaders_;
};

// Nodes 0, 1 and 2 are reached from the links' ends, so every edge of the past
// is there, whatever the negatives are.
const EdgesOfLinks kThePast = {{0, {}}, {1, {0, 2}}, {2, {0, 1, 2, 3}}};

// All links are in one batch; each is part of the past of the later ones.
TEST_F(TemporalLoadersTest, StrictLinksSeeWhatIsEarlierThanThey) {
  ASSERT_TRUE(Open(Mails(), {"--time", "edge", "--strict"}).ok());
  EXPECT_EQ(Epoch(loaders_.get().train), kThePast);
  EXPECT_EQ(Epoch(loaders_.get().test),
            (EdgesOfLinks{{0, {0, 1, 2, 3, 4, 5}}}));
}

TEST_F(TemporalLoadersTest, TripletsAndBatchesOfOneSeeTheSame) {
  ASSERT_TRUE(
      Open(Mails(), {"--time", "edge", "--strict", "--neg-sampling", "triplet",
                     "--neg-amount", "2", "--batch-size", "1"})
          .ok());
  EXPECT_EQ(Epoch(loaders_.get().train), kThePast);
}

// Edges 1 and 3 have the time of the link with id 3, which is left out itself.
TEST_F(TemporalLoadersTest, OthersSeeWhatIsNotLaterButNotTheLink) {
  ASSERT_TRUE(Open(Mails(), {"--time", "edge", "--batch-size", "1"}).ok());
  EXPECT_EQ(Epoch(loaders_.get().train),
            (EdgesOfLinks{{0, {}}, {1, {0, 1, 2}}, {2, {0, 1, 2, 3}}}));
}

// Of each node the latest earlier edge; of 1->0 and 2->0, both of time 3, that
// from the larger node. A negative may add edge 2, of node 1.
TEST_F(TemporalLoadersTest, TheLatestEdges) {
  ASSERT_TRUE(
      Open(Mails(),
           {"--time", "edge", "--strict", "--temporal-strategy", "last"},
           "train", "1,1")
          .ok());
  const EdgesOfLinks latest = Epoch(loaders_.get().train);
  EXPECT_EQ(latest.at(0), (std::set<int64_t>{}));
  EXPECT_EQ(latest.at(1), (std::set<int64_t>{0, 2}));
  EXPECT_TRUE(latest.at(2).contains(1));
  EXPECT_FALSE(latest.at(2).contains(0));
  EXPECT_FALSE(latest.at(2).contains(3));
}

TEST_F(TemporalLoadersTest, AGraphWithoutTimesIsRefused) {
  EXPECT_THAT(Open(Mails(false), {"--time", "edge"}).message(),
              HasSubstr("no times; allowed: a graph made with partition "
                        "--edge-time"));
}

}  // namespace
}  // namespace tributary
