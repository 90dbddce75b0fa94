#include "sampler_server/engine/gather/left_out_nodes.h"

#include <algorithm>

#include "common/io/prefetch.h"

namespace tributary {
namespace {

constexpr size_t kLooksAhead = 16;

}  // namespace

LeftOutNodes FindLeftOut(absl::Span<const uint32_t> rank, uint32_t num_rows,
                         absl::Span<const uint64_t> ids, bool trees,
                         StopCheck* stop) {
  LeftOutNodes found;
  const auto node = [&](size_t i) {
    return trees ? ids[i] % rank.size() : ids[i];
  };
  InPieces(stop, ids.size(), [&](size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
      if (i + kLooksAhead < to) Prefetch(&rank[node(i + kLooksAhead)]);
      const uint32_t r = rank[node(i)];
      if (r >= num_rows) continue;
      found.place.push_back(static_cast<uint32_t>(i));
      found.rank.push_back(r);
    }
  });
  return found;
}

std::vector<uint64_t> WithoutLeftOut(absl::Span<const uint64_t> ids,
                                     const LeftOutNodes& left_out) {
  std::vector<uint64_t> others;
  others.reserve(ids.size() - left_out.size());
  size_t from = 0;
  for (const uint32_t place : left_out.place) {
    others.insert(others.end(), ids.begin() + from, ids.begin() + place);
    from = size_t{place} + 1;
  }
  others.insert(others.end(), ids.begin() + from, ids.end());
  return others;
}

void SpreadIds(const LeftOutNodes& left_out, absl::Span<const int64_t> order,
               absl::Span<int64_t> n_id) {
  size_t from = left_out.size(), to = 0;  // to <= from
  for (size_t i = 0; i < left_out.size(); ++i) {
    while (to < left_out.place[i]) n_id[to++] = n_id[from++];
    n_id[to++] = order[left_out.rank[i]];
  }
}

void MarkRanks(const LeftOutNodes& left_out, absl::Span<int64_t> n_id) {
  for (size_t i = 0; i < left_out.size(); ++i) {
    n_id[left_out.place[i]] = -1 - int64_t{left_out.rank[i]};
  }
}

uint64_t SumCrcs(const LeftOutNodes& left_out, absl::Span<const uint32_t> crc) {
  uint64_t sum = 0;
  for (size_t i = 0; i < left_out.size(); ++i) {
    if (i + kLooksAhead < left_out.size()) {
      Prefetch(&crc[left_out.rank[i + kLooksAhead]]);
    }
    sum += crc[left_out.rank[i]];
  }
  return sum;
}

}  // namespace tributary
