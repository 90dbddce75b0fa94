#include "partition/writer/streaming/sorted_edges.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

uint32_t DestinationOf(const uint8_t* record) {
  uint32_t offset = 0;
  std::memcpy(&offset, record, sizeof(offset));
  return offset;
}

// Source and id, so that keys compare as edges do.
template <typename Key>
Key KeyOf(const uint8_t* record) {
  const uint8_t* from = record + sizeof(uint32_t);
  if constexpr (std::is_same_v<Key, uint64_t>) {
    uint32_t key[2];
    std::memcpy(key, from, sizeof(key));
    return uint64_t{key[0]} << 32 | key[1];
  } else {
    uint64_t key[2];
    std::memcpy(key, from, sizeof(key));
    return static_cast<Key>(key[0]) << 64 | key[1];
  }
}

template <typename Key>
auto SourceOf(Key key) {
  return static_cast<uint64_t>(key >> (sizeof(Key) * 4));
}

// An edge and its record, sorted together.
template <typename Key>
struct KeyAndRecord {
  Key key;
  uint32_t record;
};

}  // namespace

uint64_t SortedEdges::BytesPerEdge(const EdgeRecordForm& form) {
  const uint64_t key = form.wide ? 16 : 8;
  return form.record_bytes() + key +
         (form.column_bytes == 0 ? 0 : sizeof(uint32_t));
}

absl::StatusOr<SortedEdges> SortedEdges::Read(const SpillReader& spill,
                                              size_t bucket, int64_t num_nodes,
                                              const EdgeRecordForm& form,
                                              bool dedupe) {
  ASSIGN_OR_RETURN(std::vector<uint8_t> records, spill.Read(bucket));
  SortedEdges sorted;
  if (form.wide) {
    RETURN_IF_ERROR(sorted.Sort<Wide>(std::move(records), num_nodes, form,
                                      dedupe, sorted.wide_));
  } else {
    RETURN_IF_ERROR(sorted.Sort<uint64_t>(std::move(records), num_nodes, form,
                                          dedupe, sorted.narrow_));
  }
  return sorted;
}

template <typename Key>
absl::Status SortedEdges::Sort(std::vector<uint8_t> records, int64_t num_nodes,
                               const EdgeRecordForm& form, bool dedupe,
                               std::vector<Key>& keys) {
  record_bytes_ = form.record_bytes();
  key_bytes_ = form.key_bytes();
  const size_t count = records.size() / record_bytes_;
  if (records.size() % record_bytes_ != 0 ||
      count > std::numeric_limits<uint32_t>::max()) {
    return absl::DataLossError("a spilled bucket is not of whole records");
  }
  const auto nodes = static_cast<size_t>(num_nodes);
  indptr_.assign(nodes + 1, 0);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t to = DestinationOf(records.data() + i * record_bytes_);
    if (to >= nodes) return absl::DataLossError("a spilled edge is damaged");
    ++indptr_[to + 1];
  }
  for (size_t v = 0; v < nodes; ++v) indptr_[v + 1] += indptr_[v];
  // Counting sort by destination: next[v] is where v's next edge goes.
  keys.resize(count);
  const bool has_columns = form.column_bytes != 0;
  if (has_columns) record_of_.resize(count);
  std::vector<uint64_t> next(indptr_.begin(), indptr_.end() - 1);
  for (size_t i = 0; i < count; ++i) {
    const uint8_t* record = records.data() + i * record_bytes_;
    const uint64_t at = next[DestinationOf(record)]++;
    keys[at] = KeyOf<Key>(record);
    if (has_columns) record_of_[at] = static_cast<uint32_t>(i);
  }
  std::vector<KeyAndRecord<Key>> row;
  uint64_t kept = 0, begin = 0;
  for (size_t v = 0; v < nodes; ++v) {
    const uint64_t end = indptr_[v + 1];
    if (!has_columns) {
      std::sort(keys.begin() + begin, keys.begin() + end);
    } else {
      row.clear();
      for (uint64_t i = begin; i < end; ++i) {
        row.push_back({keys[i], record_of_[i]});
      }
      std::sort(row.begin(), row.end(),
                [](const auto& a, const auto& b) { return a.key < b.key; });
      for (uint64_t i = begin; i < end; ++i) {
        keys[i] = row[i - begin].key;
        record_of_[i] = row[i - begin].record;
      }
    }
    for (uint64_t i = begin; dedupe && i < end; ++i) {
      if (i > begin && SourceOf(keys[i]) == SourceOf(keys[i - 1])) continue;
      keys[kept] = keys[i];
      if (has_columns) record_of_[kept] = record_of_[i];
      ++kept;
    }
    begin = end;
    if (dedupe) indptr_[v + 1] = kept;
  }
  if (dedupe) {
    keys.resize(kept);
    if (has_columns) record_of_.resize(kept);
  }
  if (has_columns) records_ = std::move(records);
  return absl::OkStatus();
}

}  // namespace tributary
