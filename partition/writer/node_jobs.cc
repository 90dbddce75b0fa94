#include "partition/writer/node_jobs.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/types/span.h"
#include "partition/format/node_map.h"
#include "partition/format/paths.h"

namespace tributary {
namespace {

constexpr size_t kRowsAtOnce = 256;

// Writes the rows of `ids`, in that order.
void PushRows(ArrayWriter& out, const RowSource& source,
              absl::Span<const int64_t> ids) {
  const size_t row_bytes = source.schema().row_bytes();
  while (!ids.empty()) {
    const auto rows = ids.subspan(0, kRowsAtOnce);
    source.CopyRows(rows, out.Extend(rows.size() * row_bytes));
    ids.remove_prefix(rows.size());
  }
}

void PushMap(ArrayWriter& out, absl::Span<const uint16_t> map, bool narrow) {
  for (uint16_t p : map) {
    if (narrow) {
      out.Push(static_cast<uint8_t>(p));
    } else {
      out.Push(p);
    }
  }
}

}  // namespace

void AddNodeMapJobs(const NodeContent& type, const Placement& placement,
                    uint32_t num_partitions, std::vector<ArrayJob>& jobs) {
  const absl::Span<const uint16_t> map = placement.partition_of();
  const bool narrow = NodeMap::IsNarrow(num_partitions);
  jobs.push_back(
      {NodeMapPath(type.name),
       narrow ? kNpyUint8 : kNpyUint16,
       {static_cast<int64_t>(map.size())},
       [map, narrow](ArrayWriter& out) { PushMap(out, map, narrow); }});
  std::vector<uint64_t> ranks = NodeMap::MakeRanks(map, num_partitions);
  const auto blocks = static_cast<int64_t>(ranks.size() / num_partitions);
  jobs.push_back({NodeRanksPath(type.name),
                  kNpyUint64,
                  {blocks, int64_t{num_partitions}},
                  [ranks = std::move(ranks)](ArrayWriter& out) {
                    for (uint64_t rank : ranks) out.Push(rank);
                  }});
}

void AddNodeJobs(const NodeContent& type, const Placement& placement,
                 uint32_t partition, std::vector<ArrayJob>& jobs) {
  const auto ids = placement.original_ids(partition);
  const auto rows = static_cast<int64_t>(ids.size());
  jobs.push_back({NodeArrayPath(partition, type.name, "orig_id"),
                  kNpyInt64,
                  {rows},
                  [ids](ArrayWriter& out) {
                    for (int64_t id : ids) out.Push(id);
                  }});
  const auto add_column = [&](const std::shared_ptr<const RowSource>& source,
                              const char* name) {
    if (source == nullptr) return;
    jobs.push_back(
        {NodeArrayPath(partition, type.name, name),
         source->schema().array_type(), source->schema().array_shape(rows),
         [ids, source](ArrayWriter& out) { PushRows(out, *source, ids); }});
  };
  add_column(type.x, "x");
  add_column(type.y, "y");
  add_column(type.time, "time");
}

}  // namespace tributary
