#include "sampler_server/engine/gather/hot_split.h"

#include <cstddef>

namespace tributary {
namespace {

constexpr size_t kLooksAhead = 16;
// Marks a row of the cache among rows of the partition.
constexpr uint64_t kHot = uint64_t{1} << 63;

// Replaces each row that the cache has by its row there, marked. Returns how
// many there are.
size_t MarkHot(const HotNodes& cache, uint64_t base,
               std::vector<uint64_t>& rows) {
  size_t hot = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i + kLooksAhead < rows.size()) {
      cache.Prefetch(base + rows[i + kLooksAhead]);
    }
    const uint64_t at = cache.Find(base + rows[i]);
    if (at == RowSet::kNone) continue;
    rows[i] = at | kHot;
    ++hot;
  }
  return hot;
}

}  // namespace

PlacedRows TakeHotRows(const HotNodes& cache, uint64_t base, PlacedRows& rows) {
  PlacedRows hot;
  const size_t count = MarkHot(cache, base, rows.rows);
  if (count == 0) return hot;
  hot.rows.reserve(count);
  hot.to.reserve(count);
  const bool in_order = rows.to.empty();
  if (in_order) rows.to.resize(rows.rows.size());
  size_t cold = 0;
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    const uint64_t row = rows.rows[i];
    const uint32_t to = in_order ? static_cast<uint32_t>(i) : rows.to[i];
    if ((row & kHot) != 0) {
      hot.rows.push_back(row & ~kHot);
      hot.to.push_back(to);
    } else {
      rows.rows[cold] = row;
      rows.to[cold++] = to;
    }
  }
  rows.rows.resize(cold);
  rows.to.resize(cold);
  return hot;
}

}  // namespace tributary
