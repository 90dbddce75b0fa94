// What every channel must do, whoever makes the batches and however they come:
// one suite for the collocated, the mp and the remote mode.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "common/hash/sha256.h"
#include "common/observe/log.h"
#include "partition/format/testing/graph_builder.h"
#include "tests/channels/channel_harness.h"
#include "trainer_client/core/dist_neighbor_loader.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kNodes = 120;
constexpr int64_t kHub = 60;
constexpr int64_t kDim = 256;  // 1 KiB a node
constexpr uint64_t kKiB = 1024;

// Node v has v % 8 neighbours, but for the hub, whose neighbours are all, and
// the last ten, which have none.
GraphSpec Uneven() {
  GraphSpec graph;
  graph.num_nodes = kNodes;
  graph.num_partitions = 2;
  graph.x_dim = kDim;
  for (int64_t v = 0; v < kNodes; ++v) {
    const int64_t degree = v == kHub ? kNodes : v >= kNodes - 10 ? 0 : v % 8;
    for (int64_t i = 0; i < degree; ++i) {
      graph.edges.push_back({(v + 1 + i) % kNodes, v});
    }
    for (int64_t i = 0; i < kDim; ++i) {
      graph.x.push_back(static_cast<float>(v * 1000 + i));
    }
  }
  return graph;
}

NeighborLoaderOptions Sampling() {
  NeighborLoaderOptions options;
  for (int64_t v = 0; v < kNodes; ++v) options.input_nodes.push_back(v);
  options.num_neighbors = {-1};
  options.batch_size = 1;
  options.shuffle = ShuffleMode::kNone;  // batch v is node v's
  options.random_seed = 3;
  return options;
}

std::string DigestOf(const BatchLease& lease) {
  return ToHex(lease.view().Digest());
}

template <typename Channel>
class ChannelConformance : public ::testing::Test {
 protected:
  using Loader = std::unique_ptr<DistLoader>;

  ChannelConformance() {
    SetLogLevel(LogLevel::kError);
    WriteGraphTo(Uneven(), folder_.File("graph"));
    options_.graph = folder_.File("graph");
    CollocatedChannel plain;
    const auto workers = plain.Open({.graph = options_.graph});
    const Loader loader = LoaderOver(*workers);
    while (auto lease = Take(*loader)) expected_.push_back(DigestOf(*lease));
    EXPECT_EQ(expected_.size(), static_cast<size_t>(kNodes));
  }

  void Open() { workers_ = channel_.Open(options_); }

  static Loader LoaderOver(SamplingWorkers& workers) {
    auto loader = DistNeighborLoader::Create(Sampling(), workers.loader(),
                                             workers.environment());
    EXPECT_TRUE(loader.ok()) << loader.status();
    EXPECT_TRUE((*loader)->StartEpoch(0).ok());
    return *std::move(loader);
  }
  Loader NewLoader() { return LoaderOver(*workers_); }

  // The next batch; none at the end. Errors fail the test.
  static std::optional<BatchLease> Take(DistLoader& loader) {
    auto next = loader.Next();
    EXPECT_TRUE(next.ok()) << next.status();
    if (!next.ok()) return std::nullopt;
    return *std::move(next);
  }
  // What is left of the epoch: each batch once, in order, every byte right.
  void ExpectRest(DistLoader& loader, uint64_t from) {
    for (uint64_t v = from; v < expected_.size(); ++v) {
      const auto lease = Take(loader);
      ASSERT_TRUE(lease.has_value()) << v;
      ASSERT_EQ(lease->index(), v);
      ASSERT_EQ(DigestOf(*lease), expected_[v]) << v;
    }
    EXPECT_FALSE(Take(loader).has_value());
  }

  TemporaryFolder folder_;
  ChannelOptions options_;
  Channel channel_;
  std::unique_ptr<SamplingWorkers> workers_;
  std::vector<std::string> expected_;
};

TYPED_TEST_SUITE_P(ChannelConformance);

TYPED_TEST_P(ChannelConformance, EveryBatchOnceInOrderToTheByte) {
  this->Open();
  const auto loader = this->NewLoader();
  this->ExpectRest(*loader, 0);
}

TYPED_TEST_P(ChannelConformance, EmptyAndLargeBatches) {
  this->Open();
  const auto loader = this->NewLoader();
  const auto edges = [](const BatchLease& lease) {
    return lease.view().Find("e_id")->shape[0];
  };
  for (int64_t v = 0; v < kNodes; ++v) {
    const auto lease = this->Take(*loader);
    ASSERT_TRUE(lease.has_value());
    if (v == kHub) {
      EXPECT_EQ(edges(*lease), kNodes);
    } else if (v >= kNodes - 10) {
      EXPECT_EQ(edges(*lease), 0);
    }
  }
}

TYPED_TEST_P(ChannelConformance, LeasesReturnInAnyOrder) {
  this->options_.ring_bytes = 512 * kKiB;
  this->Open();
  const auto loader = this->NewLoader();
  std::map<uint64_t, BatchLease> held;
  for (uint64_t v = 0; v < static_cast<uint64_t>(kNodes); ++v) {
    auto lease = this->Take(*loader);
    ASSERT_TRUE(lease.has_value());
    held.emplace(v, *std::move(lease));
    if (held.size() < 7) continue;
    for (const auto& [index, kept] : held) {
      ASSERT_EQ(DigestOf(kept), this->expected_[index]);
    }
    auto middle = std::next(held.begin(), static_cast<int64_t>(v * 5 % 7));
    held.erase(middle);
    held.erase(std::prev(held.end()));
  }
}

// One held tensor does not pin what comes after it.
TYPED_TEST_P(ChannelConformance, ALeaseThatIsKeptHoldsUpNothingElse) {
  this->options_.ring_bytes = 512 * kKiB;
  this->Open();
  const auto loader = this->NewLoader();
  for (uint64_t v = 0; v < 5; ++v) ASSERT_TRUE(this->Take(*loader));
  const auto kept = this->Take(*loader);
  ASSERT_TRUE(kept.has_value());
  for (int epoch = 0; epoch < 5; ++epoch) {
    ASSERT_TRUE(loader->StartEpoch(0).ok());
    this->ExpectRest(*loader, 0);
  }
  EXPECT_EQ(DigestOf(*kept), this->expected_[5]);
}

TYPED_TEST_P(ChannelConformance, OwnLeasesThatFillTheRingAreNamed) {
  this->options_.ring_bytes = 256 * kKiB;
  this->Open();
  const auto loader = this->NewLoader();
  std::vector<BatchLease> held;
  absl::Status status;
  while (status.ok()) {
    auto next = loader->Next();
    status = next.status();
    if (status.ok()) {
      ASSERT_TRUE(next->has_value());
      held.push_back(**std::move(next));
    }
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr(absl::StrCat("bytes of ", TypeParam::kRingOption)));
  const uint64_t next = held.size();
  held.clear();
  this->ExpectRest(*loader, next);
}

TYPED_TEST_P(ChannelConformance, ABatchThatTheRingCannotHoldIsNamed) {
  this->options_.ring_bytes = 64 * kKiB;  // the hub's takes twice as much
  this->Open();
  const auto loader = this->NewLoader();
  for (int64_t v = 0; v < kNodes; ++v) {
    const auto next = loader->Next();
    if (v == kHub) {
      EXPECT_EQ(next.status().code(), absl::StatusCode::kInvalidArgument);
      EXPECT_THAT(std::string(next.status().message()),
                  HasSubstr(absl::StrCat("raise ", TypeParam::kRingOption,
                                         " to at least")));
      continue;
    }
    ASSERT_TRUE(next.ok()) << next.status();
    ASSERT_EQ(DigestOf(**next), this->expected_[static_cast<size_t>(v)]);
  }
}

// First credits are for smaller ones: NEEDS, and whatever it takes.
TYPED_TEST_P(ChannelConformance, BatchesThatGrowFindRoom) {
  this->options_.ring_bytes = 160 * kKiB;
  this->options_.prefetch_size = 16;
  this->Open();
  const auto loader = this->NewLoader();
  this->ExpectRest(*loader, 0);
  EXPECT_GT(loader->stats().needs, 0u);
}

TYPED_TEST_P(ChannelConformance, EpochsStartAgainInTheMiddle) {
  this->Open();
  const auto loader = this->NewLoader();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(loader->StartEpoch(0).ok());
    const auto lease = this->Take(*loader);
    ASSERT_TRUE(lease.has_value());
    EXPECT_EQ(DigestOf(*lease), this->expected_[0]);
  }
  this->ExpectRest(*loader, 1);
}

TYPED_TEST_P(ChannelConformance, CancelEndsAWaitAndAllLaterOnes) {
  this->Open();
  const auto loader = this->NewLoader();
  ASSERT_TRUE(this->Take(*loader));
  std::thread other([&] { loader->Cancel(); });
  absl::Status status;
  while (status.ok()) {
    auto next = loader->Next();
    status = next.status();
    // At its end again, where the other thread is late.
    if (next.ok() && !next->has_value()) status = loader->StartEpoch(0);
  }
  other.join();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
  EXPECT_EQ(loader->Next().status().code(), absl::StatusCode::kCancelled);
}

// Train, validation and test of one job.
TYPED_TEST_P(ChannelConformance, LoadersBesideEachOther) {
  this->Open();
  const auto a = this->NewLoader(), b = this->NewLoader(),
             c = this->NewLoader();
  for (const std::string& digest : this->expected_) {
    for (const auto* loader : {&a, &b, &c}) {
      const auto lease = this->Take(**loader);
      ASSERT_TRUE(lease.has_value());
      ASSERT_EQ(DigestOf(*lease), digest);
    }
  }
}

TYPED_TEST_P(ChannelConformance, TrainersBesideEachOther) {
  this->Open();
  const auto others = this->channel_.Open(this->options_);
  const auto a = this->NewLoader(), b = this->LoaderOver(*others);
  this->ExpectRest(*a, 0);
  this->ExpectRest(*b, 0);
}

TYPED_TEST_P(ChannelConformance, ALoaderMayGoWhileBatchesAreUnderWay) {
  this->options_.prefetch_size = 16;
  this->Open();
  for (int i = 0; i < 10; ++i) {
    const auto loader = this->NewLoader();
    ASSERT_TRUE(this->Take(*loader));
  }
  const auto loader = this->NewLoader();
  this->ExpectRest(*loader, 0);
}

TYPED_TEST_P(ChannelConformance, ALeaseOutlivesLoaderAndWorkers) {
  this->Open();
  auto loader = this->NewLoader();
  const auto lease = this->Take(*loader);
  ASSERT_TRUE(lease.has_value());
  loader.reset();
  this->workers_.reset();
  EXPECT_EQ(DigestOf(*lease), this->expected_[0]);
}

// Of those whose batches are made by others than the trainer itself.
template <typename Channel>
class ChannelDeaths : public ChannelConformance<Channel> {};
TYPED_TEST_SUITE_P(ChannelDeaths);

TYPED_TEST_P(ChannelDeaths, OneThatDiesChangesNothing) {
  this->Open();
  const auto loader = this->NewLoader();
  for (uint64_t v = 0; v < 10; ++v) ASSERT_TRUE(this->Take(*loader));
  this->channel_.KillOne(*this->workers_);
  this->ExpectRest(*loader, 10);
}

TYPED_TEST_P(ChannelDeaths, NobodyLeftIsSaidInTime) {
  this->options_.rpc_timeout = absl::Seconds(2);
  this->Open();
  const auto loader = this->NewLoader();
  for (uint64_t v = 0; v < 10; ++v) ASSERT_TRUE(this->Take(*loader));
  this->channel_.KillAll(*this->workers_);
  const auto begin = std::chrono::steady_clock::now();
  absl::Status status;
  for (int64_t v = 10; v < kNodes && status.ok(); ++v) {
    status = loader->Next().status();
  }
  EXPECT_THAT(status.ToString(),
              HasSubstr("did not come within rpc_timeout = 2s"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

// A process is killed, or frozen, at each step of a batch's way: its batches
// come from the other, and once it has thawed it serves on.
TYPED_TEST_P(ChannelDeaths, StruckAtEachStep) {
  this->options_.rpc_timeout = absl::Seconds(8);  // silent after a second
  const std::string file = this->folder_.File("strike");
  for (const char* point : {"batch.credit", "batch.start", "batch.gather",
                            "batch.filled", "batch.send", "batch.sent"}) {
    for (const int signal : {SIGKILL, SIGSTOP}) {
      SCOPED_TRACE(absl::StrCat(point, " ", signal));
      TypeParam channel;
      setenv("TRIBUTARY_STRIKE",
             absl::StrCat(point, " ", signal, " ", file).c_str(), 1);
      const auto workers = channel.Open(this->options_);
      unsetenv("TRIBUTARY_STRIKE");
      const auto loader = this->LoaderOver(*workers);
      const auto kept = this->Take(*loader);
      ASSERT_TRUE(kept.has_value());
      std::ofstream(file).close();
      this->ExpectRest(*loader, 1);
      EXPECT_FALSE(std::filesystem::exists(file)) << "nobody was struck";
      channel.ThawAll(*workers);
      ASSERT_TRUE(loader->StartEpoch(0).ok());
      this->ExpectRest(*loader, 0);
      EXPECT_EQ(DigestOf(*kept), this->expected_[0]);
    }
  }
}

// Not in frames over the socket.
TEST(MpChannelTest, WorkersWriteIntoTheTrainersRing) {
  TemporaryFolder folder;
  WriteGraphTo(Uneven(), folder.File("graph"));
  MpChannel channel;
  const auto workers = channel.Open({.graph = folder.File("graph")});
  const auto loader = DistNeighborLoader::Create(Sampling(), workers->loader(),
                                                 workers->environment());
  ASSERT_TRUE(loader.ok()) << loader.status();
  ASSERT_TRUE((*loader)->StartEpoch(0).ok());
  ASSERT_TRUE((*loader)->Next().ok());
  int mapped = 0;
  for (const pid_t pid : workers->pids()) {
    std::ifstream maps(absl::StrCat("/proc/", pid, "/maps"));
    const std::string text(std::istreambuf_iterator<char>(maps), {});
    mapped += absl::StrContains(text, "/memfd:tributary") ? 1 : 0;
  }
  EXPECT_GT(mapped, 0);
}

// Its batches come from the other, and the rooms that it holds come back: the
// ring has room for few batches, so one that stays as it is stops the loader.
TEST(MpChannelTest, AWorkerThatHangsIsReplacedInBoundedTime) {
  TemporaryFolder folder;
  WriteGraphTo(Uneven(), folder.File("graph"));
  MpChannel channel;
  const auto workers = channel.Open(
      {.graph = folder.File("graph"), .rpc_timeout = absl::Seconds(60)});
  const auto loader = DistNeighborLoader::Create(Sampling(), workers->loader(),
                                                 workers->environment());
  ASSERT_TRUE(loader.ok()) << loader.status();
  ASSERT_TRUE((*loader)->StartEpoch(0).ok());
  ASSERT_TRUE((*loader)->Next().ok());
  const std::vector<pid_t> before = workers->pids();
  ASSERT_EQ(before.size(), 2);
  ASSERT_EQ(kill(before[0], SIGSTOP), 0);
  const auto begin = std::chrono::steady_clock::now();
  bool replaced = false;
  for (uint64_t epoch = 1; !replaced; ++epoch) {
    ASSERT_TRUE((*loader)->StartEpoch(epoch).ok());
    for (auto next = (*loader)->Next(); !next.ok() || next->has_value();
         next = (*loader)->Next()) {
      ASSERT_TRUE(next.ok()) << next.status();
    }
    const std::vector<pid_t> now = workers->pids();
    replaced = now.size() == 2 && now[0] != before[0];
    ASSERT_LT(std::chrono::steady_clock::now() - begin,
              std::chrono::seconds(40));
  }
}

REGISTER_TYPED_TEST_SUITE_P(
    ChannelConformance, EveryBatchOnceInOrderToTheByte, EmptyAndLargeBatches,
    LeasesReturnInAnyOrder, ALeaseThatIsKeptHoldsUpNothingElse,
    OwnLeasesThatFillTheRingAreNamed, ABatchThatTheRingCannotHoldIsNamed,
    BatchesThatGrowFindRoom, EpochsStartAgainInTheMiddle,
    CancelEndsAWaitAndAllLaterOnes, LoadersBesideEachOther,
    TrainersBesideEachOther, ALoaderMayGoWhileBatchesAreUnderWay,
    ALeaseOutlivesLoaderAndWorkers);
REGISTER_TYPED_TEST_SUITE_P(ChannelDeaths, OneThatDiesChangesNothing,
                            NobodyLeftIsSaidInTime, StruckAtEachStep);

INSTANTIATE_TYPED_TEST_SUITE_P(Collocated, ChannelConformance,
                               CollocatedChannel);
INSTANTIATE_TYPED_TEST_SUITE_P(Mp, ChannelConformance, MpChannel);
INSTANTIATE_TYPED_TEST_SUITE_P(Remote, ChannelConformance, RemoteChannel);
INSTANTIATE_TYPED_TEST_SUITE_P(Mp, ChannelDeaths, MpChannel);
INSTANTIATE_TYPED_TEST_SUITE_P(Remote, ChannelDeaths, RemoteChannel);

}  // namespace
}  // namespace tributary
