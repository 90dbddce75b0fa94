// Random numbers of the simulation: a separate stream for each node and link.
#ifndef TRIBUTARY_COMMON_TESTING_SIM_RANDOM_H_
#define TRIBUTARY_COMMON_TESTING_SIM_RANDOM_H_

#include <cstdint>
#include <string_view>

#include "absl/time/time.h"

namespace tributary {

// SplitMix64 (Steele, Lea, Flood 2014). Streams with different names are
// independent, so removing one node or link from a run does not change the
// draws of the others. Not thread-safe.
class SimRandom {
 public:
  explicit SimRandom(uint64_t seed) : state_(seed) {}
  SimRandom(uint64_t seed, std::string_view name)
      : state_(seed * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019) {
    for (const char c : name) {
      state_ = (state_ ^ static_cast<uint8_t>(c)) * 0x100000001B3;
      (void)Next();
    }
  }

  // Returns the next 64 random bits.
  uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  // Returns a number uniform in [0, n). Requires n > 0.
  uint64_t Below(uint64_t n) { return Next() % n; }
  // Returns true with probability `p`.
  bool Chance(double p) {
    return p > 0 && static_cast<double>(Next() >> 11) * 0x1p-53 < p;
  }
  // Returns a duration uniform in [from, to]. Requires from <= to.
  absl::Duration Between(absl::Duration from, absl::Duration to) {
    const auto spread =
        static_cast<uint64_t>(absl::ToInt64Nanoseconds(to - from));
    return from + absl::Nanoseconds(static_cast<int64_t>(Below(spread + 1)));
  }

 private:
  uint64_t state_;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TESTING_SIM_RANDOM_H_
