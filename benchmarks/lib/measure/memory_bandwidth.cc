#include "benchmarks/lib/measure/memory_bandwidth.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <vector>

#include "common/io/buffer.h"
#include "common/io/prefetch.h"

namespace tributary {
namespace {

constexpr size_t kCopyBuffer = size_t{64} << 20;
constexpr size_t kAllCopyBuffers = size_t{1} << 30;

AlignedBuffer Touched(size_t bytes) {
  AlignedBuffer buffer(bytes);
  std::memset(buffer.data(), 1, bytes);
  return buffer;
}

constexpr uint64_t kReads = 1 << 16;

// Reads lines at addresses that do not depend on earlier reads, so the
// processor overlaps them by itself.
uint64_t ReadLines(const uint8_t* base, uint64_t lines, uint64_t seed) {
  uint64_t x = seed, sum = 0;
  for (uint64_t i = 0; i < kReads; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    sum += base[((x >> 32) * lines >> 32) * kCacheLine];
  }
  return sum;
}

// Prefetches each line `ahead` reads before it is read, as the sampling kernel
// does: on some machines this keeps more reads in flight.
uint64_t ReadPrefetchedLines(const uint8_t* base, uint64_t lines, uint64_t seed,
                             uint64_t ahead) {
  const auto line = [=](uint64_t i) {
    uint64_t x = (seed + i) * 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    return base + ((x >> 32) * lines >> 32) * kCacheLine;
  };
  uint64_t sum = 0;
  for (uint64_t i = 0; i < kReads; ++i) {
    Prefetch(line(i + ahead));
    sum += *line(i);
  }
  return sum;
}

}  // namespace

MeasuredRate MeasureRandomLineRate(int threads, uint64_t bytes,
                                   absl::Duration time) {
  const uint64_t lines =
      std::clamp<uint64_t>(bytes / kCacheLine, 1, UINT32_MAX);
  const AlignedBuffer memory = Touched(lines * kCacheLine);
  std::atomic<uint64_t> sink = 0;  // prevents that reads are optimised away
  std::atomic<uint64_t> seed = 88172645463325252u;
  const uint8_t* base = memory.data();
  constexpr uint64_t kAhead[] = {0, 64, 128};  // 0: not prefetched
  MeasuredRate best;
  for (const uint64_t ahead : kAhead) {
    const MeasuredRate rate =
        MeasureRate(threads, time / std::size(kAhead), [&](int) {
          const uint64_t start = seed.fetch_add(0x9E3779B97F4A7C15u);
          sink += ahead == 0 ? ReadLines(base, lines, start)
                             : ReadPrefetchedLines(base, lines, start, ahead);
          return kReads;
        });
    if (rate.per_second > best.per_second) best = rate;
  }
  return best;
}

MeasuredRate MeasureMemcpyRate(int threads, absl::Duration time) {
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
