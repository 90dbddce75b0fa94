// The nodes that negatives are drawn from: a pure function of (try, negative).
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_NEGATIVE_DRAW_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_NEGATIVE_DRAW_H_

#include <cstdint>

#include "common/session/philox.h"

namespace tributary {

// Uniform over all original ids of the ends' types.
class NegativeDraw {
 public:
  NegativeDraw(PhiloxKey key, uint64_t num_sources, uint64_t num_destinations)
      : key_(key),
        num_sources_(num_sources),
        num_destinations_(num_destinations) {}

  struct Ends {
    int64_t source = 0;
    int64_t destination = 0;
  };
  // Words 0 and 1 are for the source, 2 and 3 for the destination.
  Ends Draw(uint32_t tried, uint32_t negative) const {
    const PhiloxBlock words = Philox4x32(key_, {{tried, negative, 0, 0}});
    return {Below(words.word[0], words.word[1], num_sources_),
            Below(words.word[2], words.word[3], num_destinations_)};
  }

 private:
  static constexpr uint64_t kWideThreshold = 65536;

  static int64_t Below(uint32_t low, uint32_t high, uint64_t n) {
    if (n <= kWideThreshold) {
      return static_cast<int64_t>((uint64_t{low} * n) >> 32);
    }
    const uint64_t word = low | uint64_t{high} << 32;
    return static_cast<int64_t>((static_cast<unsigned __int128>(word) * n) >>
                                64);
  }

  const PhiloxKey key_;
  const uint64_t num_sources_, num_destinations_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_NEGATIVE_DRAW_H_
