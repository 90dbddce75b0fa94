#include "common/machine/memory_limits.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "common/buffer.h"

namespace tributary {
namespace {

constexpr size_t kCopyBuffer = size_t{64} << 20;
constexpr size_t kAllCopyBuffers = size_t{1} << 30;

AlignedBuffer Touched(size_t bytes) {
  AlignedBuffer buffer(bytes);
  std::memset(buffer.data(), 1, bytes);
  return buffer;
}

}  // namespace

MeasuredRate RandomLineRate(int threads, uint64_t bytes, absl::Duration time) {
  const uint64_t lines =
      std::clamp<uint64_t>(bytes / kCacheLine, 1, UINT32_MAX);
  const AlignedBuffer memory = Touched(lines * kCacheLine);
  std::atomic<uint64_t> sink = 0;  // so that the reads are not left out
  std::atomic<uint64_t> seed = 88172645463325252u;
  return MeasureRate(threads, time, [&](int) {
    constexpr uint64_t kReads = 1 << 16;
    const uint8_t* base = memory.data();
    uint64_t x = seed.fetch_add(0x9E3779B97F4A7C15u), sum = 0;
    for (uint64_t i = 0; i < kReads; ++i) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      sum += base[((x >> 32) * lines >> 32) * kCacheLine];
    }
    sink += sum;
    return kReads;
  });
}

MeasuredRate MemcpyRate(int threads, absl::Duration time) {
  const size_t bytes =
      std::min(kCopyBuffer, kAllCopyBuffers / 2 / static_cast<size_t>(threads));
  std::vector<AlignedBuffer> from, to;
  for (int t = 0; t < threads; ++t) {
    from.push_back(Touched(bytes));
    to.push_back(Touched(bytes));
  }
  return MeasureRate(threads, time, [&](int t) {
    std::memcpy(to[t].data(), from[t].data(), bytes);
    return uint64_t{bytes};
  });
}

}  // namespace tributary
