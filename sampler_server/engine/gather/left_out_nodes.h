// The nodes of a batch whose rows its trainer holds.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_LEFT_OUT_NODES_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_LEFT_OUT_NODES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "common/runtime/stop_check.h"
#include "partition/format/hot_list.h"

namespace tributary {

// The rows that a trainer holds: the first ones of a hot list.
struct TrainerRows {
  std::shared_ptr<const HotList> list;
  std::vector<uint32_t> num_rows;  // by node type of the schema
};

// Nodes of one type, by their local numbers in the batch.
struct LeftOutNodes {
  std::vector<uint32_t> place;  // local number, ascending
  std::vector<uint32_t> rank;   // of each, in the hot list

  size_t size() const { return place.size(); }
  bool empty() const { return place.empty(); }
  size_t bytes() const {
    return (place.capacity() + rank.capacity()) * sizeof(uint32_t);
  }
};

// Finds the nodes whose rank is below `num_rows`. `rank` is that of the list.
// `ids`: internal ids; with `trees` those of TreeIds. Stops early if `stop`
// says so.
LeftOutNodes FindLeftOut(absl::Span<const uint32_t> rank, uint32_t num_rows,
                         absl::Span<const uint64_t> ids, bool trees,
                         StopCheck* stop);

// Returns the others of `ids`, in order.
std::vector<uint64_t> WithoutLeftOut(absl::Span<const uint64_t> ids,
                                     const LeftOutNodes& left_out);

// Completes the original ids of a type's nodes: those of the others lie at the
// end of `n_id`, in order, and move to their places; `order` has those that are
// left out.
void SpreadIds(const LeftOutNodes& left_out, absl::Span<const int64_t> order,
               absl::Span<int64_t> n_id);

// Puts -1 - rank in place of the original ids of nodes that are left out.
void MarkRanks(const LeftOutNodes& left_out, absl::Span<int64_t> n_id);

// Returns the sum of the list's CRC32Cs of their rows.
uint64_t SumCrcs(const LeftOutNodes& left_out, absl::Span<const uint32_t> crc);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_LEFT_OUT_NODES_H_
