#include "partition/format/row_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/strings/match.h"
#include "common/runtime/fault_point.h"
#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

constexpr uint64_t kRows = 3000;
constexpr uint64_t kOffset = 64;

uint8_t ByteOf(uint64_t row, size_t at) {
  return static_cast<uint8_t>(row * 7 + at * 3);
}

class RowFileTest : public testing::Test {
 protected:
  // A table whose every byte depends on its position.
  std::unique_ptr<RowFile> Write(size_t row_bytes) {
    std::vector<uint8_t> bytes(kOffset, 0xEE);
    for (uint64_t row = 0; row < kRows; ++row) {
      for (size_t at = 0; at < row_bytes; ++at) {
        bytes.push_back(ByteOf(row, at));
      }
    }
    const UniqueFd fd(open(path_.c_str(), O_CREAT | O_TRUNC | O_RDWR, 0600));
    EXPECT_EQ(write(fd.get(), bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
    EXPECT_EQ(fsync(fd.get()), 0);
    return RowFile::Open(path_, {kOffset, row_bytes, kRows}).value();
  }
  // Drops the file from the page cache, if the file system supports it.
  void MakeCold() {
    const UniqueFd fd(open(path_.c_str(), O_RDONLY));
    (void)posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.File("rows");
};

std::vector<uint32_t> Order(const std::vector<uint64_t>& rows) {
  std::vector<uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return rows[a] < rows[b]; });
  return order;
}

// Rows that are adjacent, near, far apart and equal, and the last row; read
// from the disk and from the page cache.
TEST_F(RowFileTest, PutsEveryRowWhereItBelongs) {
  for (const size_t row_bytes : {1, 4, 100, 400, 5000}) {
    const auto file = Write(row_bytes);
    std::vector<uint64_t> rows = {kRows - 1, 0, 5, 5, 6, 7, 9, 200, 201, 1999};
    for (uint64_t i = 0; i < 200; ++i) rows.push_back(300 + i * 37 % 250);
    std::vector<uint32_t> to(rows.size());
    for (size_t i = 0; i < to.size(); ++i) to[i] = to.size() - 1 - i;
    const std::vector<uint32_t> order = Order(rows);
    for (const bool cold : {true, false}) {
      if (cold) MakeCold();
      for (const bool turned : {false, true}) {
        // One byte more on either side, to see that nobody writes there.
        std::vector<uint8_t> out(rows.size() * row_bytes + 2, 0xAB);
        RowPlaces places{rows, {}, out.data() + 1};
        if (turned) places.to = to;
        const auto counts = file->Read(places, order, CancelToken());
        ASSERT_TRUE(counts.ok()) << counts.status();
        EXPECT_EQ(counts->rows, rows.size());
        EXPECT_EQ(counts->bytes, rows.size() * row_bytes);
        EXPECT_EQ(out.front(), 0xAB);
        EXPECT_EQ(out.back(), 0xAB);
        for (size_t i = 0; i < rows.size(); ++i) {
          const size_t place = turned ? to[i] : i;
          for (size_t at = 0; at < row_bytes; ++at) {
            ASSERT_EQ(out[1 + place * row_bytes + at], ByteOf(rows[i], at))
                << row_bytes << " row " << rows[i];
          }
        }
      }
    }
  }
}

// A conversion: doubles each byte and appends one; the scale is the first byte.
void Doubled(const uint8_t* from, size_t width, uint8_t* to, uint8_t* scale) {
  for (size_t i = 0; i < width; ++i) to[i] = static_cast<uint8_t>(2 * from[i]);
  to[width] = 77;
  *scale = from[0];
}

TEST_F(RowFileTest, ConvertsRowsOnTheirWay) {
  const auto file = Write(10);
  const std::vector<uint64_t> rows = {7, 9, 2000, 7, 60};
  const std::vector<uint32_t> to = {4, 0, 1, 2, 3};
  for (const bool cold : {true, false}) {
    if (cold) MakeCold();
    std::vector<uint8_t> out(rows.size() * 11), scales(rows.size());
    const RowPlaces places{rows, to, out.data(),    Doubled,
                           10,   11, scales.data(), 1};
    ASSERT_TRUE(file->Read(places, Order(rows), CancelToken()).ok());
    for (size_t i = 0; i < rows.size(); ++i) {
      const uint8_t* row = &out[to[i] * 11];
      for (size_t at = 0; at < 10; ++at) {
        EXPECT_EQ(row[at], static_cast<uint8_t>(2 * ByteOf(rows[i], at)));
      }
      EXPECT_EQ(row[10], 77);
      EXPECT_EQ(scales[to[i]], ByteOf(rows[i], 0));
    }
  }
}

// Rows of 100 bytes: gaps of up to ten rows are read too. One read has at most
// 64 rows, and a row that is asked for twice begins another one.
TEST_F(RowFileTest, RowsNearEachOtherShareARead) {
  const auto file = Write(100);
  const auto reads = [&](std::vector<uint64_t> rows) {
    std::vector<uint8_t> out(rows.size() * 100);
    return file->Read({rows, {}, out.data()}, Order(rows), CancelToken())
        .value()
        .reads;
  };
  EXPECT_EQ(reads({}), 0u);
  EXPECT_EQ(reads({7}), 1u);
  EXPECT_EQ(reads({8, 7, 9}), 1u);
  EXPECT_EQ(reads({0, 11}), 1u);  // 1000 bytes between
  EXPECT_EQ(reads({0, 12}), 2u);  // 1100
  EXPECT_EQ(reads({4, 4}), 2u);
  std::vector<uint64_t> many(65);
  std::iota(many.begin(), many.end(), 0);
  EXPECT_EQ(reads(many), 2u);
}

// The second read never waits; the first one does if the pages could be
// dropped.
TEST_F(RowFileTest, CountsWhatThePageCacheDidNotHave) {
  const auto file = Write(400);
  const std::vector<uint64_t> rows = {0, 1000, 2000, 2999};
  std::vector<uint8_t> out(rows.size() * 400);
  const RowPlaces places{rows, {}, out.data()};
  MakeCold();
  (void)file->Read(places, Order(rows), CancelToken()).value();
  const auto warm = file->Read(places, Order(rows), CancelToken()).value();
  EXPECT_EQ(warm.reads, 4u);
  // On a file system without RWF_NOWAIT every read waits.
  EXPECT_TRUE(warm.waits == 0 || warm.waits == 4) << warm.waits;
}

TEST_F(RowFileTest, AFileThatWasCutIsAnErrorAndNoSignal) {
  const auto file = Write(400);
  ASSERT_EQ(truncate(path_.c_str(), kOffset + 2000 * 400 + 100), 0);
  const std::vector<uint64_t> rows = {1, 1999, 2000};
  std::vector<uint8_t> out(rows.size() * 400);
  const auto read =
      file->Read({rows, {}, out.data()}, Order(rows), CancelToken());
  EXPECT_EQ(read.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(read.status().message(),
            path_ +
                " ends at byte 800164, before row 2000 of 3000: it was cut "
                "while it is served; verify the graph");
}

// A folder can be opened and not read.
TEST_F(RowFileTest, WhatTheDiskSaysIsAnErrorThatMayPass) {
  UniqueFd fd(open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY));
  const RowFile file(std::move(fd), "x.npy", {kOffset, 400, kRows});
  const std::vector<uint64_t> rows = {7};
  std::vector<uint8_t> out(400);
  const auto read =
      file.Read({rows, {}, out.data()}, Order(rows), CancelToken());
  EXPECT_EQ(read.status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(read.status().message(),
            "cannot read row 7 of x.npy: Is a directory");
}

TEST_F(RowFileTest, StopsBetweenReadsOnceCancelled) {
  const auto file = Write(400);
  MakeCold();
  const std::vector<uint64_t> rows = {1, 1000};
  std::vector<uint8_t> out(rows.size() * 400);
  const CancelToken cancel;
  cancel.Cancel();
  const auto read = file->Read({rows, {}, out.data()}, Order(rows), cancel);
  // If the file system drops no pages, no read waits.
  if (!read.ok()) {
    EXPECT_EQ(read.status().code(), absl::StatusCode::kCancelled);
  }
}

TEST_F(RowFileTest, AFolderIsNoFile) {
  EXPECT_FALSE(RowFile::Open(folder_.path(), {kOffset, 400, kRows}).ok());
}

}  // namespace
}  // namespace tributary
