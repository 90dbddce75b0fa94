#include "sampler_server/server/server_pools.h"

#include <gtest/gtest.h>

#include <functional>
#include <latch>
#include <memory>
#include <thread>

namespace tributary {
namespace {

// Keeps all threads of a pool in a task until it is destroyed.
class Occupied {
 public:
  Occupied(ThreadPool& pool, int threads)
      : state_(std::make_shared<State>(threads)) {
    for (int i = 0; i < threads; ++i) {
      pool.Post([state = state_] {
        state->started.count_down();
        state->release.wait();
      });
    }
    state_->started.wait();
  }
  ~Occupied() { state_->release.count_down(); }

 private:
  struct State {
    explicit State(int threads) : started(threads), release(1) {}
    std::latch started, release;
  };
  const std::shared_ptr<State> state_;
};

// Whatever a share is divided by, it grows as time does while all threads of
// its pool are in use.
void ExpectGrowsLikeTime(const ServerPools& pools,
                         const std::function<absl::Duration()>& share) {
  const absl::Time from = pools.protocol.Now();
  const absl::Duration before = share();
  const absl::Time read = pools.protocol.Now();
  while (pools.protocol.Now() < read + absl::Milliseconds(20)) {
    std::this_thread::yield();
  }
  const absl::Time again = pools.protocol.Now();
  const absl::Duration grown = share() - before;
  const absl::Time to = pools.protocol.Now();
  EXPECT_GE(grown, again - read);
  EXPECT_LE(grown, to - from);
}

TEST(ServerPools, EachPoolIsMeasuredByItsOwnThreads) {
  ServerPools pools(8);
  {
    const Occupied leaf(pools.leaf, 2);
    ExpectGrowsLikeTime(pools, [&] { return pools.UsedTimes({}).leaf; });
  }
  const Occupied batches(pools.batches, 8);
  ExpectGrowsLikeTime(pools, [&] { return pools.UsedTimes({}).sampling; });
}

TEST(ServerPools, CpuTimeIsSharedByTheThreadsThatSample) {
  const ServerPools pools(8);
  EXPECT_EQ(pools.UsedTimes(absl::Seconds(80)).cpu, absl::Seconds(10));
}

TEST(ServerPools, HaveAThreadForPeersWhateverTheirNumber) {
  EXPECT_EQ(ServerPools(1).leaf_threads, 1);
  EXPECT_EQ(ServerPools(7).leaf_threads, 1);
  EXPECT_EQ(ServerPools(8).leaf_threads, 2);
}

}  // namespace
}  // namespace tributary
