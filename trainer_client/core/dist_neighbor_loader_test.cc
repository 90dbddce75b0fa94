// The blocking loader over the in-process transport, on real threads.
#include "trainer_client/core/dist_neighbor_loader.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <set>
#include <thread>

#include "channel/in_process_transport.h"
#include "common/runtime/promised.h"
#include "common/runtime/thread_pool.h"
#include "partition/format/testing/graph_builder.h"
#include "trainer_client/core/dist_layerwise_loader.h"
#include "trainer_client/core/dist_ppr_loader.h"
#include "trainer_client/core/dist_random_walk_loader.h"
#include "trainer_client/core/testing/fake_sampler.h"

namespace tributary {
namespace {

constexpr int kNodes = 40;

GraphSchema MakeSchema(int num_nodes) {
  GraphSpec spec;
  spec.num_nodes = num_nodes;
  spec.edges = {{1, 0}, {2, 1}};
  for (int64_t i = 0; i < 25; ++i) spec.splits["train"].push_back(i);
  return BuildGraph(spec)->schema();
}

class DistNeighborLoaderTest : public ::testing::Test {
 protected:
  DistNeighborLoaderTest() {
    for (int i = 0; i < 25; ++i) split_.push_back(39 - i);
    worker_.servers = "a:1,b:2";
    worker_.rpc_timeout = absl::Seconds(20);
    worker_.buffer_size = 1 << 20;
    options_.num_neighbors = {2, 2};
    options_.input_split = "train";
    options_.batch_size = 4;
  }

  std::shared_ptr<FakeSampler> Serve(const Address& address, int num_nodes,
                                     uint64_t incarnation) {
    FakeSampler::Settings settings;
    settings.executor = &pool_;
    settings.incarnation = incarnation;
    settings.graph_json = MakeSchema(num_nodes).ToJson();
    settings.split_ids = split_;
    settings.page_ids = 7;
    auto server = std::make_shared<FakeSampler>(settings);
    transport_.Listen(address, server);
    return server;
  }
  auto Create() {
    return DistNeighborLoader::Create(options_, worker_, {&pool_, &transport_});
  }

  void ExpectRefused(const std::string& what) {
    const absl::Status status = Create().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_NE(status.message().find(what), std::string::npos) << status;
  }

  ThreadPool pool_{"loader_test", 1};
  InProcessTransport transport_{&pool_};
  std::vector<int64_t> split_;
  NeighborLoaderOptions options_;
  RemoteDistSamplingWorkerOptions worker_;
};

TEST_F(DistNeighborLoaderTest, RunsTwoEpochsOfASplit) {
  Serve({"a", 1}, kNodes, 1);
  Serve({"b", 2}, kNodes, 2);
  auto loader = Create();
  ASSERT_TRUE(loader.ok()) << loader.status();
  EXPECT_EQ((*loader)->num_inputs(), 25);
  EXPECT_EQ((*loader)->num_batches(), 7);
  EXPECT_EQ((*loader)->schema().node_types[0].num_nodes, kNodes);
  for (uint64_t epoch : {0, 1}) {
    ASSERT_TRUE((*loader)->StartEpoch(epoch).ok());
    EXPECT_EQ((*loader)->inputs_in_batch(6), 1);
    std::multiset<int64_t> ids;
    for (uint64_t index = 0; index < 7; ++index) {
      auto next = (*loader)->Next();
      ASSERT_TRUE(next.ok()) << next.status();
      ASSERT_TRUE(next->has_value());
      EXPECT_EQ((*next)->index(), index);
      const BatchView& view = (*next)->view();
      EXPECT_EQ(view.key().epoch, epoch);
      const auto numbers = view.Find("input_id")->As<int64_t>();
      const auto n_id = view.Find("n_id")->As<int64_t>();
      for (size_t i = 0; i < numbers.size(); ++i) {
        EXPECT_EQ(n_id[i], split_[numbers[i]]);
        ids.insert(n_id[i]);
      }
    }
    EXPECT_EQ(ids, std::multiset<int64_t>(split_.begin(), split_.end()));
    auto end = (*loader)->Next();
    ASSERT_TRUE(end.ok());
    EXPECT_FALSE(end->has_value());
    EXPECT_EQ((*loader)->CursorAfter(7).consumed, 25);
  }
  EXPECT_EQ((*loader)->stats().batches, 14);
}

bool IsReadable(int descriptor, int milliseconds) {
  pollfd polled{.fd = descriptor, .events = POLLIN, .revents = 0};
  return poll(&polled, 1, milliseconds) == 1;
}

// Keeps the executor's only thread busy, so that no answer can come.
class HeldExecutor {
 public:
  explicit HeldExecutor(ThreadPool& pool) {
    pool.Post([go = go_] { go->Wait(absl::Minutes(1)); });
  }
  void Release() { go_->Set(true); }

 private:
  const std::shared_ptr<Promised<bool>> go_ =
      std::make_shared<Promised<bool>>();
};

TEST_F(DistNeighborLoaderTest, IsWaitedForInStepsAndByADescriptor) {
  Serve({"a", 1}, kNodes, 1);
  auto loader = Create().value();
  const int ready = loader->ReadyDescriptor().value();
  EXPECT_EQ(loader->ReadyDescriptor().value(), ready);
  ASSERT_TRUE(loader->StartEpoch(0).ok());
  for (uint64_t index = 0; index < 7; ++index) {
    HeldExecutor held(pool_);
    EXPECT_FALSE(loader->TryNext(absl::ZeroDuration()).has_value());
    EXPECT_FALSE(loader->TryNext(absl::Milliseconds(5)).has_value());
    EXPECT_FALSE(IsReadable(ready, 0));
    held.Release();
    EXPECT_TRUE(IsReadable(ready, 20'000));
    // The one that was asked for, however it is taken.
    const auto batch = index % 2 == 0
                           ? loader->Next()
                           : loader->TryNext(absl::ZeroDuration()).value();
    ASSERT_TRUE(batch.ok()) << batch.status();
    ASSERT_TRUE(batch->has_value());
    EXPECT_EQ((*batch)->index(), index);
    EXPECT_FALSE(IsReadable(ready, 0));
  }
  const auto end = loader->TryNext(absl::InfiniteDuration());
  ASSERT_TRUE(end.has_value() && end->ok());
  EXPECT_FALSE((*end)->has_value());
  loader->Cancel();
  EXPECT_EQ(loader->Next().status().code(), absl::StatusCode::kCancelled);
}

TEST_F(DistNeighborLoaderTest, AnotherEpochDropsWhatWasAskedFor) {
  const auto server = Serve({"a", 1}, kNodes, 1);
  server->settings().act = [](const v1::Credit& credit) {
    const bool never = credit.epoch() == 0 && credit.index() == 1;
    return FakeAct{.kind =
                       never ? FakeAct::Kind::kSlow : FakeAct::Kind::kServe};
  };
  auto loader = Create().value();
  const int ready = loader->ReadyDescriptor().value();
  ASSERT_TRUE(loader->StartEpoch(0).ok());
  {
    HeldExecutor held(pool_);
    EXPECT_FALSE(loader->TryNext(absl::ZeroDuration()).has_value());
    held.Release();
  }
  EXPECT_TRUE(IsReadable(ready, 20'000));
  // A cursor that is refused leaves the epoch and its batch.
  EXPECT_FALSE(loader->Resume(Cursor()).ok());
  EXPECT_EQ((*loader->Next().value()).index(), 0);
  // The next one does not come before the user leaves.
  EXPECT_FALSE(loader->TryNext(absl::Milliseconds(20)).has_value());
  ASSERT_TRUE(loader->StartEpoch(1).ok());
  EXPECT_FALSE(IsReadable(ready, 0));
  for (uint64_t index = 0; index < 7; ++index) {
    const auto batch = loader->Next();
    ASSERT_TRUE(batch.ok()) << batch.status();
    EXPECT_EQ((*batch)->view().key().epoch, 1);
    EXPECT_EQ((*batch)->index(), index);
  }
}

TEST_F(DistNeighborLoaderTest, TakesIdsFromTheUser) {
  Serve({"a", 1}, kNodes, 1);
  options_.input_split.clear();
  options_.input_nodes = {3, 3, 39};
  auto loader = Create();
  ASSERT_TRUE(loader.ok()) << loader.status();
  EXPECT_EQ((*loader)->num_inputs(), 3);
  options_.input_nodes = {3, 40};
  const absl::Status status = Create().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("input_nodes[1] is 40"), std::string::npos)
      << status;
}

// As PyG's input_nodes=data.train_mask and input_nodes=None.
TEST_F(DistNeighborLoaderTest, TakesAMaskOrAllNodes) {
  Serve({"a", 1}, kNodes, 1);
  options_.input_split.clear();
  options_.input_mask.resize(kNodes);
  options_.input_mask[3] = options_.input_mask[39] = true;
  auto loader = Create();
  ASSERT_TRUE(loader.ok()) << loader.status();
  EXPECT_EQ((*loader)->num_inputs(), 2);
  options_.all_nodes = true;
  ExpectRefused("input_nodes is given beside another list");
  options_.input_mask.clear();
  loader = Create();
  ASSERT_TRUE(loader.ok()) << loader.status();
  EXPECT_EQ((*loader)->num_inputs(), kNodes);

  options_.all_nodes = false;
  ExpectRefused("input_nodes is empty; allowed: one of");
  options_.input_mask.resize(kNodes - 1);
  ExpectRefused("input_mask is 39 long; allowed: 40, one for each node");
  options_.input_mask.resize(kNodes);
  ExpectRefused("input_mask is false everywhere");
}

// As every loader's options do: inputs, order and share of the batches.
TEST_F(DistNeighborLoaderTest, OtherKindsTakeTheCommonOptions) {
  Serve({"a", 1}, kNodes, 1);
  const LoaderEnvironment environment{&pool_, &transport_};
  CommonLoaderOptions common;
  common.all_nodes = true;
  common.input_weight.assign(kNodes, 1.5);
  common.batch_size = 7;
  const auto expect = [&](const auto& loader) {
    ASSERT_TRUE(loader.ok()) << loader.status();
    EXPECT_EQ((*loader)->num_inputs(), kNodes);
    EXPECT_EQ((*loader)->num_batches(), 6);
  };
  RandomWalkLoaderOptions walks;
  static_cast<CommonLoaderOptions&>(walks) = common;
  walks.walk_length = 3;
  expect(DistRandomWalkLoader::Create(walks, worker_, environment));
  PprLoaderOptions ppr;
  static_cast<CommonLoaderOptions&>(ppr) = common;
  ppr.top_k = 4;
  expect(DistPprLoader::Create(ppr, worker_, environment));
  LayerwiseLoaderOptions layers;
  static_cast<CommonLoaderOptions&>(layers) = common;
  layers.nodes_per_layer = {4, 2};
  expect(DistLayerwiseLoader::Create(layers, worker_, environment));
}

TEST_F(DistNeighborLoaderTest, DrawsInputsByWeight) {
  Serve({"a", 1}, kNodes, 1);
  options_.input_split.clear();
  options_.input_nodes = {30, 31, 32, 33, 34};
  options_.input_weight = {1, 2, 0, 3, 4};
  options_.random_seed = 11;
  options_.batch_size = 10;
  auto loader = Create();
  ASSERT_TRUE(loader.ok()) << loader.status();
  ASSERT_TRUE((*loader)->StartEpoch(2).ok());
  const auto batch = (*loader)->Next();
  ASSERT_TRUE(batch.ok() && batch->has_value()) << batch.status();
  // docs/sampling.md.
  EXPECT_EQ((*batch)->view().Find("input_id")->As<int64_t>(),
            (std::vector<int64_t>{1, 3, 3, 3, 3}));

  const Cursor cursor = (*loader)->CursorAfter(1);
  options_.input_weight[0] = 2;
  loader = Create();
  ASSERT_TRUE(loader.ok()) << loader.status();
  EXPECT_EQ((*loader)->Resume(cursor).code(),
            absl::StatusCode::kFailedPrecondition);

  options_.input_weight.pop_back();
  ExpectRefused("input_weight is 4 weights; allowed: 5, one for each input");
  options_.input_weight = {1, 1, 1, 1, -1};
  ExpectRefused("input_weight: weight 4 is -1; allowed: finite");
  options_.input_weight = {1, 1, 1, 1, 1};
  options_.shuffle = ShuffleMode::kNone;
  ExpectRefused("input_weight is given with another shuffle");
  options_.input_weight.clear();
  options_.shuffle = ShuffleMode::kWeighted;
  ExpectRefused("shuffle is weighted; allowed: global, with input_weight");
}

// A server that accepts no stream of this trainer.
class RefusingServer final : public StreamAcceptor {
 public:
  explicit RefusingServer(absl::Status why) : why_(std::move(why)) {}
  std::shared_ptr<StreamHandler> Accept(StreamMethod, CallerPtr,
                                        std::shared_ptr<Stream>,
                                        absl::Status* why) override {
    *why = why_;
    return nullptr;
  }

 private:
  const absl::Status why_;
};

TEST_F(DistNeighborLoaderTest, EndsAtOnceWhenServersKnowOrTrustItNot) {
  for (const absl::Status& why : {absl::UnauthenticatedError("another CA"),
                                  absl::PermissionDeniedError("no trainer")}) {
    transport_.Listen({"a", 1}, std::make_shared<RefusingServer>(why));
    transport_.Listen({"b", 2}, std::make_shared<RefusingServer>(why));
    const absl::Time began = pool_.Now();
    const absl::Status status = Create().status();
    EXPECT_EQ(status.code(), why.code()) << status;
    EXPECT_NE(status.message().find(why.message()), std::string::npos);
    EXPECT_LT(pool_.Now() - began, worker_.rpc_timeout / 2);
  }
}

TEST_F(DistNeighborLoaderTest, RefusesWhatCannotBeSampled) {
  Serve({"a", 1}, kNodes, 1);
  options_.input_split = "trainn";
  EXPECT_EQ(Create().status().code(), absl::StatusCode::kNotFound);
  options_.input_split = "train";
  options_.num_neighbors = {-2};
  EXPECT_EQ(Create().status().code(), absl::StatusCode::kInvalidArgument);
  options_.num_neighbors = {2};
  options_.batch_size = 0;
  EXPECT_EQ(Create().status().code(), absl::StatusCode::kInvalidArgument);
  options_.batch_size = 4;
  options_.rank = 2;
  options_.world = 2;
  EXPECT_EQ(Create().status().code(), absl::StatusCode::kInvalidArgument);
  options_.rank = 0;
  options_.shuffle = ShuffleMode::kLocal;
  ExpectRefused("shuffle is local; allowed: global, none; local with own");
  options_.shuffle = ShuffleMode::kGlobal;
  options_.own_inputs = true;
  ExpectRefused("this rank's own (own_inputs); allowed: local, none");
  options_.own_inputs = false;
  options_.agree_rounds = [](uint64_t own) { return own; };
  ExpectRefused("agree_rounds is set; allowed: with own_inputs");
  options_.agree_rounds = nullptr;
  options_.shuffle = ShuffleMode::kNone;
  worker_.prefetch_size = 0;
  EXPECT_EQ(Create().status().code(), absl::StatusCode::kInvalidArgument);
}

// Rank 1 of 3 takes all batches of a list of its own, in rounds that the ranks
// agree on, and resumes as that rank alone.
TEST_F(DistNeighborLoaderTest, OwnInputsAreNotSharedOut) {
  Serve({"a", 1}, kNodes, 1);
  options_.input_split = "";
  for (int64_t id = 5; id < 15; ++id) options_.input_nodes.push_back(id);
  options_.own_inputs = true;
  options_.shuffle = ShuffleMode::kLocal;
  options_.rank = 1;
  options_.world = 3;
  uint64_t told = 0;
  options_.agree_rounds = [&](uint64_t own) -> absl::StatusOr<uint64_t> {
    told = own;
    return 5;
  };
  auto loader = Create().value();
  EXPECT_EQ(loader->rounds(), 0u);
  ASSERT_TRUE(loader->StartEpoch(0).ok());
  EXPECT_EQ(told, 3u);  // of 4, 4 and 2 inputs
  EXPECT_EQ(loader->rounds(), 5u);
  uint64_t batches = 0;
  while (true) {
    auto batch = loader->Next();
    ASSERT_TRUE(batch.ok()) << batch.status();
    if (!batch->has_value()) break;
    EXPECT_EQ((*batch)->index(), batches);
    ++batches;
  }
  EXPECT_EQ(batches, 3u);
  const Cursor cursor = loader->CursorAfter(2);
  EXPECT_EQ(cursor.consumed, 8u);
  ASSERT_TRUE(loader->Resume(cursor).ok());
  EXPECT_EQ(told, 1u);

  options_.world = 2;
  const absl::Status other = Create().value()->Resume(cursor);
  EXPECT_EQ(other.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(other.message().find("of rank 1 alone, in a world of 3"),
            std::string::npos)
      << other;
  options_.world = 3;
  options_.agree_rounds = [](uint64_t) { return uint64_t{2}; };
  EXPECT_EQ(Create().value()->StartEpoch(0).code(),
            absl::StatusCode::kFailedPrecondition);
}

// Whoever makes the ring pins it: a loader does not say yes and do nothing.
TEST_F(DistNeighborLoaderTest, PinMemoryNeedsAMakerOfRings) {
  Serve({"a", 1}, kNodes, 1);
  worker_.pin_memory = true;
  ExpectRefused("pin_memory is true; allowed: with an environment of");
  uint64_t asked = 0;
  const LoaderEnvironment environment{.executor = &pool_,
                                      .transport = &transport_,
                                      .make_ring = [&](uint64_t bytes) {
                                        asked = bytes;
                                        return SlotRing::Create(bytes);
                                      }};
  auto loader = DistNeighborLoader::Create(options_, worker_, environment);
  ASSERT_TRUE(loader.ok()) << loader.status();
  EXPECT_EQ(asked, worker_.buffer_size);
}

TEST_F(DistNeighborLoaderTest, WithoutAServerItNamesThem) {
  worker_.rpc_timeout = absl::Milliseconds(300);
  const absl::Status status = Create().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  for (const char* part : {"a:1", "b:2", "300ms"}) {
    EXPECT_NE(status.message().find(part), std::string::npos) << status;
  }
}

TEST_F(DistNeighborLoaderTest, CancelFromAnotherThreadEndsNext) {
  Serve({"a", 1}, kNodes, 1)->settings().act = [](const v1::Credit&) {
    return FakeAct{.kind = FakeAct::Kind::kSlow};
  };
  auto loader = Create();
  ASSERT_TRUE(loader.ok()) << loader.status();
  ASSERT_TRUE((*loader)->StartEpoch(0).ok());
  std::thread canceller([&] { (*loader)->Cancel(); });
  EXPECT_EQ((*loader)->Next().status().code(), absl::StatusCode::kCancelled);
  canceller.join();
  EXPECT_EQ((*loader)->Next().status().code(), absl::StatusCode::kCancelled);
}

TEST_F(DistNeighborLoaderTest, LeasesOutliveTheLoader) {
  Serve({"a", 1}, kNodes, 1);
  auto loader = Create();
  ASSERT_TRUE(loader.ok()) << loader.status();
  ASSERT_TRUE((*loader)->StartEpoch(0).ok());
  auto next = (*loader)->Next();
  ASSERT_TRUE(next.ok() && next->has_value());
  const auto room = (*next)->room();
  const BatchView view = (*next)->view();
  loader->reset();
  EXPECT_EQ(view.Find("x")->data.size(), 1000);
}

}  // namespace
}  // namespace tributary
