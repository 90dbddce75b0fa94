// Loops that stop when they are cancelled or their time is over.
#include "common/runtime/stop_check.h"

#include <cstdint>
#include <random>
#include <vector>

#include "common/runtime/stoppable_sort.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

class SetClock final : public Clock {
 public:
  absl::Time Now() const override { return now; }
  absl::Time now = absl::UnixEpoch();
};

TEST(StopCheckTest, StopsWithinSomeWorkAfterACancel) {
  CancelToken cancel;
  StopCheck stop(cancel, absl::InfiniteFuture(), nullptr);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(stop.After(1000));
  cancel.Cancel();
  int more = 0;
  while (!stop.After(1000)) ++more;
  EXPECT_LE(more, StopCheck::kEvery / 1000 + 1);
  EXPECT_TRUE(stop.After(0)) << "it stays stopped";
  EXPECT_EQ(stop.why().code(), absl::StatusCode::kCancelled);
}

TEST(StopCheckTest, StopsAtTheDeadline) {
  SetClock clock;
  StopCheck stop({}, clock.now + absl::Seconds(1), &clock);
  EXPECT_FALSE(stop.After(UINT64_MAX));
  clock.now += absl::Milliseconds(999);
  EXPECT_FALSE(stop.After(StopCheck::kEvery));
  EXPECT_TRUE(stop.why().ok());
  clock.now += absl::Milliseconds(1);
  EXPECT_TRUE(stop.After(StopCheck::kEvery));
  EXPECT_EQ(stop.why().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(StopCheckTest, PiecesCoverEverythingUntilStopped) {
  CancelToken cancel;
  StopCheck stop(cancel, absl::InfiniteFuture(), nullptr);
  uint64_t next = 0;
  const auto see = [&](uint64_t from, uint64_t to) {
    EXPECT_EQ(from, next);
    EXPECT_EQ(from % 64, 0);
    next = to;
  };
  EXPECT_TRUE(InPieces(&stop, 0, see));
  EXPECT_TRUE(InPieces(nullptr, 100'000, see));
  EXPECT_EQ(next, 100'000);
  next = 0;
  cancel.Cancel();
  EXPECT_FALSE(InPieces(&stop, uint64_t{1} << 40, see));
  EXPECT_LE(next, 2 * StopCheck::kEvery);
}

std::vector<uint64_t> Random(size_t n, uint64_t below) {
  std::mt19937_64 random(n + below);
  std::vector<uint64_t> values(n);
  for (uint64_t& value : values) value = random() % below;
  return values;
}

TEST(StoppableSortTest, SortsAsStdSort) {
  for (const size_t n : {0, 1, 2, 1000, 40'000, 100'000}) {
    for (const uint64_t below : {1, 2, 3, 1000, 1'000'000'000}) {
      std::vector<uint64_t> values = Random(n, below), sorted = values;
      std::sort(sorted.begin(), sorted.end());
      for (int again = 0; again < 2; ++again) {  // unsorted, then sorted
        EXPECT_TRUE(StoppableSort(values.data(), values.data() + n,
                                  std::less<>(), nullptr));
        ASSERT_TRUE(values == sorted) << n << " below " << below;
      }
      std::reverse(values.begin(), values.end());
      EXPECT_TRUE(StoppableSort(values.data(), values.data() + n, std::less<>(),
                                nullptr));
      ASSERT_TRUE(values == sorted) << n << " reversed";
    }
  }
}

TEST(StoppableSortTest, StopsAndLosesNoValue) {
  CancelToken cancel;
  StopCheck stop(cancel, absl::InfiniteFuture(), nullptr);
  std::vector<uint64_t> values = Random(300'000, 1'000'000'000);
  std::vector<uint64_t> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  int64_t compared = 0;
  const auto less = [&](uint64_t a, uint64_t b) {
    if (++compared == 200'000) cancel.Cancel();
    return a < b;
  };
  EXPECT_FALSE(
      StoppableSort(values.data(), values.data() + values.size(), less, &stop));
  EXPECT_LT(compared, 1'200'000);
  std::sort(values.begin(), values.end());
  EXPECT_TRUE(values == sorted);
}

}  // namespace
}  // namespace tributary
