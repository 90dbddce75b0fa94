#include "common/io/idle_blocks.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <random>
#include <vector>

namespace tributary {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr absl::Time kStart = absl::UnixEpoch();

TEST(IdleBlocksTest, SizesAreAnEighthLargerAtMost) {
  for (size_t bytes = kMiB; bytes < 300 * kMiB; bytes += bytes / 7 + 1) {
    const size_t block = IdleBlocks::BlockBytes(bytes);
    EXPECT_GE(block, bytes);
    EXPECT_LE(block, bytes + bytes / 8);
    EXPECT_EQ(block % 4096, 0u);
    EXPECT_EQ(IdleBlocks::BlockBytes(block), block);
  }
  EXPECT_EQ(IdleBlocks::BlockBytes(kMiB), kMiB);
  EXPECT_EQ(IdleBlocks::BlockBytes(2 * kMiB), 2 * kMiB);
}

TEST(IdleBlocksTest, ABlockIsUsedAgain) {
  IdleBlocks blocks(64 * kMiB);
  uint8_t* const first = blocks.Take(3 * kMiB - 5, kStart);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % (2 * kMiB), 0u);
  std::memset(first, 7, 3 * kMiB);
  blocks.Give(first, 3 * kMiB - 5, kStart);
  EXPECT_EQ(blocks.idle_bytes(), 3 * kMiB);
  // Of the same size of blocks, though not of bytes.
  EXPECT_EQ(blocks.Take(3 * kMiB - 1000, kStart), first);
  EXPECT_EQ(first[3 * kMiB - 1], 7) << "its pages were not cleared";
  EXPECT_EQ(blocks.idle_bytes(), 0u);
  blocks.Give(first, 3 * kMiB - 1000, kStart);
}

TEST(IdleBlocksTest, AnotherSizeTakesThePlaceOfIdleOnes) {
  IdleBlocks blocks(64 * kMiB);
  uint8_t* const four = blocks.Take(4 * kMiB, kStart);
  uint8_t* const one = blocks.Take(kMiB, kStart);
  blocks.Give(four, 4 * kMiB, kStart);
  blocks.Give(one, kMiB, kStart);
  uint8_t* const three = blocks.Take(3 * kMiB, kStart);
  EXPECT_EQ(blocks.idle_bytes(), kMiB) << "the oldest is gone";
  blocks.Give(three, 3 * kMiB, kStart);
  EXPECT_EQ(blocks.Take(kMiB, kStart), one);
  blocks.Give(one, kMiB, kStart);
}

TEST(IdleBlocksTest, WhatIsIdleForLongGoesBackToTheSystem) {
  IdleBlocks blocks(64 * kMiB);
  uint8_t* const block = blocks.Take(4 * kMiB, kStart);
  blocks.Give(block, 4 * kMiB, kStart);
  blocks.Trim(kStart + IdleBlocks::kKeepFor - absl::Milliseconds(1));
  EXPECT_EQ(blocks.idle_bytes(), 4 * kMiB);
  blocks.Trim(kStart + IdleBlocks::kKeepFor);
  EXPECT_EQ(blocks.idle_bytes(), 0u);
  unsigned char resident = 0;
  EXPECT_EQ(mincore(block, 4096, &resident), -1) << "it is still mapped";
}

TEST(IdleBlocksTest, IdleBytesAreLimited) {
  IdleBlocks blocks(5 * kMiB);
  std::vector<uint8_t*> taken;
  for (int i = 0; i < 4; ++i) taken.push_back(blocks.Take(2 * kMiB, kStart));
  for (uint8_t* const block : taken) blocks.Give(block, 2 * kMiB, kStart);
  EXPECT_EQ(blocks.idle_bytes(), 4 * kMiB);
  blocks.SetMostIdleBytes(3 * kMiB);
  EXPECT_EQ(blocks.idle_bytes(), 2 * kMiB);
  uint8_t* const large = blocks.Take(4 * kMiB, kStart);
  blocks.Give(large, 4 * kMiB, kStart);
  EXPECT_EQ(blocks.idle_bytes(), 0u) << "larger than all that may be idle";
}

// The peak of what is in use, with the eighth of each, bounds all of it.
TEST(IdleBlocksTest, AllIsNeverMoreThanWasInUseAtOnce) {
  IdleBlocks blocks(size_t{1} << 40);
  std::mt19937 random(7);
  std::vector<std::pair<uint8_t*, size_t>> used;
  size_t in_use = 0, peak = 0;
  absl::Time now = kStart;
  for (int i = 0; i < 3000; ++i) {
    now += absl::Milliseconds(random() % 30);
    if (used.empty() || (random() % 2 == 0 && used.size() < 20)) {
      const size_t bytes = kMiB + random() % (20 * kMiB);
      used.emplace_back(blocks.Take(bytes, now), bytes);
      ASSERT_NE(used.back().first, nullptr);
      in_use += IdleBlocks::BlockBytes(bytes);
      peak = std::max(peak, in_use);
    } else {
      std::swap(used[random() % used.size()], used.back());
      const auto [block, bytes] = used.back();
      used.pop_back();
      block[0] = block[bytes - 1] = 1;
      in_use -= IdleBlocks::BlockBytes(bytes);
      blocks.Give(block, bytes, now);
    }
    ASSERT_LE(in_use + blocks.idle_bytes(), peak);
  }
  for (const auto& [block, bytes] : used) blocks.Give(block, bytes, now);
}

}  // namespace
}  // namespace tributary
