// Draws the ends of negatives, as a pure function of (try, negative).
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_NEGATIVE_DRAW_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_NEGATIVE_DRAW_H_

#include <cstdint>

#include "common/random/philox.h"
#include "partition/format/graph.h"
#include "sampler_server/kinds/shared/degree_table.h"

namespace tributary {

// Draws from all nodes of the ends' types, by original id. Thread-safe.
class NegativeDraw {
 public:
  // The nodes of one end: drawn uniformly, or by degree if there is a table,
  // which must be summed up and outlive this.
  struct Over {
    uint64_t num_nodes = 0;
    const DegreeTable* table = nullptr;
    IdArray degrees;
  };
  NegativeDraw(PhiloxKey key, const Over& sources, const Over& destinations)
      : key_(key), sources_(sources), destinations_(destinations) {}

  struct Ends {
    int64_t source = 0;
    int64_t destination = 0;
  };
  // Returns original ids. Random words 0 and 1 draw the source, 2 and 3 the
  // destination.
  Ends Draw(uint32_t tried, uint32_t negative) const {
    const PhiloxBlock words = Philox4x32(key_, {{tried, negative, 0, 0}});
    return {NodeOf(sources_, words.word[0], words.word[1]),
            NodeOf(destinations_, words.word[2], words.word[3])};
  }

  // Returns the nodes that Draw looks at, at most.
  uint64_t work() const { return 1 + WorkOf(sources_) + WorkOf(destinations_); }

 private:
  static uint64_t WorkOf(const Over& over) {
    return over.table == nullptr ? 1 : over.table->work_of_draw();
  }
  static int64_t NodeOf(const Over& over, uint32_t low, uint32_t high) {
    const uint64_t word = low | uint64_t{high} << 32;
    const uint64_t n = over.num_nodes;
    if (over.table != nullptr) return over.table->Draw(over.degrees, word);
    if (n <= kWideThreshold) {
      return static_cast<int64_t>((uint64_t{low} * n) >> 32);
    }
    return static_cast<int64_t>((static_cast<unsigned __int128>(word) * n) >>
                                64);
  }

  const PhiloxKey key_;
  const Over sources_, destinations_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_NEGATIVE_DRAW_H_
