#include "sampler_server/server/memory_bound.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

uint64_t PartOf(const std::vector<MemoryPart>& parts, const std::string& name) {
  for (const MemoryPart& part : parts) {
    if (part.name == name) return part.bytes;
  }
  ADD_FAILURE() << "no part " << name;
  return 0;
}

// 4096 streams with 16 KiB each; 16 tasks that ask 4 owners.
TEST(MemoryBoundTest, AddsUpTheBudgets) {
  SamplerServiceOptions options;
  options.memory_budget = 1024 * kMiB;
  options.leaf_budget = 128 * kMiB;
  options.tensor_memory = 256 * kMiB;
  options.admission.running = 16;
  MemoryBoundInput input;
  input.max_streams = 4096;
  input.partitions = 4;
  input.transport_bytes = 100 * kMiB;
  input.stream_bytes = 32 << 10;
  const auto parts = MemoryBound(options, input);
  EXPECT_EQ(PartOf(parts, "calls to peers"), 512 * kMiB);
  EXPECT_EQ(PartOf(parts, "small answers"), 128 * kMiB);
  EXPECT_EQ(PartOf(parts, "unhandled messages"), 128 * kMiB);
  EXPECT_EQ(PartOf(parts, "open rounds"), 64 * kMiB);
  EXPECT_EQ(PartOf(parts, "attempts"), (64 + 8) * kMiB);
  EXPECT_EQ(PartOf(parts, "traces of batches"), 4 * kMiB);
  EXPECT_EQ(PartOf(parts, "status of the fleet"), (1 + 20 + 32) * kMiB);
  const uint64_t counted = (1024 + 512 + 128 + 8 + 64 + 128 + 128 + 64 + 64 +
                            64 + 256 + 64 + 72 + 4 + 53 + 100 + 128) *
                           kMiB;
  EXPECT_EQ(TotalOf(parts), counted + counted / 8 + 192 * kMiB);
  input.graph_bytes = 6 * kMiB;  // no part of them is the allocator's
  EXPECT_EQ(TotalOf(MemoryBound(options, input)), TotalOf(parts) + 6 * kMiB);
}

}  // namespace
}  // namespace tributary
