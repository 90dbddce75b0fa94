#include "channel/grpc/receive_memory.h"

#include <gtest/gtest.h>

#include <barrier>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace tributary {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

// Anonymous memory of this process, in bytes.
size_t Held() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    size_t kib = 0;
    if (std::sscanf(line.c_str(), "RssAnon: %zu", &kib) == 1) return kib << 10;
  }
  ADD_FAILURE() << "no RssAnon in /proc/self/status";
  return 0;
}

// Each of `threads` fills and frees `blocks`, all at the same time.
void FillAndFree(int threads, int blocks, size_t block_bytes) {
  std::barrier full(threads);
  std::vector<std::jthread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&] {
      std::vector<std::unique_ptr<char[]>> held;
      for (int i = 0; i < blocks; ++i) {
        held.push_back(std::make_unique<char[]>(block_bytes));  // zeroed
      }
      full.arrive_and_wait();
    });
  }
}

// First, for heaps that have grown would take them in.
TEST(ReceiveMemory, LargeBlocksGoBackAtOnce) {
  KeepReceiveMemory();
  const size_t before = Held();
  FillAndFree(/*threads=*/4, /*blocks=*/8, 2 * kMiB);
  EXPECT_LE(Held(), before + 8 * kMiB);
}

// Sixteen fill 18 MiB each.
TEST(ReceiveMemory, WhatHeapsKeepOfManyThreadsIsBounded) {
  KeepReceiveMemory();
  const size_t before = Held();
  FillAndFree(/*threads=*/16, /*blocks=*/36, kMiB / 2);
  EXPECT_LE(Held(), before + 64 * kMiB);
}

}  // namespace
}  // namespace tributary
