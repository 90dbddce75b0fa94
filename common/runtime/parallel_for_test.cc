#include "common/runtime/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/runtime/mutex.h"
#include "common/runtime/usable_cores.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using Piece = std::pair<size_t, size_t>;

std::vector<Piece> PiecesOf(size_t n, size_t grain) {
  Mutex mutex;
  std::vector<Piece> pieces;
  const absl::Status status = ParallelFor(n, grain, [&](size_t b, size_t e) {
    MutexLock lock(mutex);
    pieces.emplace_back(b, e);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return pieces;
}

TEST(ParallelForTest, CoversTheRangeInPiecesOfTheGrain) {
  EXPECT_THAT(PiecesOf(7, 3), testing::UnorderedElementsAre(
                                  Piece(0, 3), Piece(3, 6), Piece(6, 7)));
  EXPECT_THAT(PiecesOf(2, 100), testing::ElementsAre(Piece(0, 2)));
}

TEST(ParallelForTest, DoesNothingForAnEmptyRange) {
  EXPECT_THAT(PiecesOf(0, 3), testing::IsEmpty());
}

// Which pieces run before the first failure depends on the threads; the error
// must be that of the lowest of them.
TEST(ParallelForTest, ReturnsTheErrorOfTheLowestFailedPiece) {
  std::atomic<size_t> lowest_failed{1000};
  const absl::Status status =
      ParallelFor(1000, 1, [&](size_t begin, size_t) -> absl::Status {
        if (begin < 10) return absl::OkStatus();
        size_t lowest = lowest_failed.load();
        while (begin < lowest &&
               !lowest_failed.compare_exchange_weak(lowest, begin)) {
        }
        return absl::OutOfRangeError(std::to_string(begin));
      });
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(status.message(), std::to_string(lowest_failed.load()));
}

TEST(ParallelForTest, StartsNoPieceAfterAFailure) {
  std::atomic<size_t> calls{0};
  const absl::Status status = ParallelFor(1 << 20, 1, [&](size_t, size_t) {
    ++calls;
    return absl::AbortedError("stop");
  });
  EXPECT_EQ(status.message(), "stop");
  // Each thread stops after its own failure.
  EXPECT_LE(calls.load(), UsableCores());
}

}  // namespace
}  // namespace tributary
