#include "partition/writer/streaming/bucket_pass.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/random/integer_weight.h"
#include "common/runtime/fault_point.h"
#include "common/runtime/mutex.h"
#include "common/runtime/parallel_for.h"
#include "common/text/status.h"
#include "partition/writer/streaming/spill_file.h"

namespace tributary {
namespace {

// Rows that are read at a time, for each thread.
constexpr int64_t kBlockRows = int64_t{1} << 16;
// Rows that a thread counts before it hands its counts over.
constexpr int64_t kTaskRows = int64_t{1} << 22;

absl::Status ReadIds(const Column& column, int64_t begin, int64_t count,
                     std::vector<int64_t>& ids) {
  ids.resize(static_cast<size_t>(count));
  return column.Read(begin, count, reinterpret_cast<uint8_t*>(ids.data()));
}

absl::Status CheckEnds(const Column& column, int64_t begin,
                       const std::vector<int64_t>& ids, int64_t num_nodes,
                       const std::string& type) {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (static_cast<uint64_t>(ids[i]) < static_cast<uint64_t>(num_nodes)) {
      continue;
    }
    return absl::OutOfRangeError(absl::StrCat(
        column.Where(begin + static_cast<int64_t>(i)), ": ", ids[i],
        " is no node of type ", type, "; allowed: 0 to ", num_nodes - 1));
  }
  return absl::OkStatus();
}

absl::Status CheckWeights(const EdgeSource& edges, int64_t begin,
                          const std::vector<uint8_t>& rows) {
  const bool is_float = edges.weight->schema().dtype == DType::kFloat32;
  const size_t bytes = edges.weight->schema().row_bytes();
  for (size_t i = 0; i * bytes < rows.size(); ++i) {
    double weight = 0;
    if (is_float) {
      float narrow = 0;
      std::memcpy(&narrow, rows.data() + i * bytes, sizeof(narrow));
      weight = narrow;
    } else {
      std::memcpy(&weight, rows.data() + i * bytes, sizeof(weight));
    }
    if (IsWeight(weight)) continue;
    return absl::OutOfRangeError(
        absl::StrCat(edges.weight->Where(begin + static_cast<int64_t>(i)),
                     ": weight ", weight, "; allowed: finite, not negative"));
  }
  return absl::OkStatus();
}

absl::Status CheckMask(const Column& mask, int64_t begin,
                       const std::vector<uint8_t>& rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] <= 1) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(mask.Where(begin + static_cast<int64_t>(i)), ": ",
                     int{rows[i]}, "; allowed: 0 or 1"));
  }
  return absl::OkStatus();
}

// Distributes blocks of rows; one for each thread.
class Distributor {
 public:
  Distributor(const EdgeSource& edges, const EdgeRecordForm& form,
              const NodeRanges& ranges, size_t flush_at, SpillWriter& spill)
      : edges_(edges),
        form_(form),
        ranges_(ranges),
        flush_at_(flush_at),
        spill_(spill),
        buffers_(ranges.size()),
        columns_(form.columns.size()) {}

  absl::Status Add(int64_t begin, int64_t count) {
    RETURN_IF_ERROR(ReadIds(*edges_.from, begin, count, from_));
    RETURN_IF_ERROR(ReadIds(*edges_.to, begin, count, to_));
    RETURN_IF_ERROR(ReadColumns(begin, count));
    for (int64_t i = 0; i < count; ++i) {
      const auto row = static_cast<size_t>(i);
      if (!edges_.add_reverse) {
        RETURN_IF_ERROR(Put(from_[row], to_[row], begin + i, row));
        continue;
      }
      RETURN_IF_ERROR(Put(from_[row], to_[row], 2 * (begin + i), row));
      RETURN_IF_ERROR(Put(to_[row], from_[row], 2 * (begin + i) + 1, row));
    }
    return absl::OkStatus();
  }

  absl::Status Flush() {
    for (size_t bucket = 0; bucket < buffers_.size(); ++bucket) {
      RETURN_IF_ERROR(spill_.Append(bucket, buffers_[bucket]));
      buffers_[bucket].clear();
    }
    return absl::OkStatus();
  }

 private:
  absl::Status ReadColumns(int64_t begin, int64_t count) {
    for (size_t c = 0; c < columns_.size(); ++c) {
      const Column& column = *form_.columns[c];
      columns_[c].resize(static_cast<size_t>(count) *
                         column.schema().row_bytes());
      RETURN_IF_ERROR(column.Read(begin, count, columns_[c].data()));
      if (form_.columns[c] == edges_.weight) {
        RETURN_IF_ERROR(CheckWeights(edges_, begin, columns_[c]));
      } else if (column.schema().dtype == DType::kBool) {
        RETURN_IF_ERROR(CheckMask(column, begin, columns_[c]));
      }
    }
    return absl::OkStatus();
  }

  absl::Status Put(int64_t from, int64_t to, int64_t id, size_t row) {
    const size_t bucket = ranges_.RangeOf(to);
    std::vector<uint8_t>& buffer = buffers_[bucket];
    if (buffer.capacity() == 0) buffer.reserve(flush_at_);
    const size_t at = buffer.size();
    buffer.resize(at + form_.record_bytes());
    uint8_t* out = buffer.data() + at;
    const auto offset = static_cast<uint32_t>(to - ranges_.begins[bucket]);
    std::memcpy(out, &offset, sizeof(offset));
    out += sizeof(offset);
    if (form_.wide) {
      const int64_t key[] = {from, id};
      std::memcpy(out, key, sizeof(key));
      out += sizeof(key);
    } else {
      const uint32_t key[] = {static_cast<uint32_t>(from),
                              static_cast<uint32_t>(id)};
      std::memcpy(out, key, sizeof(key));
      out += sizeof(key);
    }
    for (size_t c = 0; c < columns_.size(); ++c) {
      const size_t bytes = form_.columns[c]->schema().row_bytes();
      std::memcpy(out, columns_[c].data() + row * bytes, bytes);
      out += bytes;
    }
    if (buffer.size() + form_.record_bytes() <= flush_at_) {
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(spill_.Append(bucket, buffer));
    buffer.clear();
    return absl::OkStatus();
  }

  const EdgeSource& edges_;
  const EdgeRecordForm& form_;
  const NodeRanges& ranges_;
  const size_t flush_at_;
  SpillWriter& spill_;
  std::vector<std::vector<uint8_t>> buffers_;
  std::vector<int64_t> from_, to_;
  std::vector<std::vector<uint8_t>> columns_;
};

}  // namespace

absl::StatusOr<EdgeCounts> CountEdges(const EdgeSource& edges,
                                      const std::vector<NodeTable>& nodes,
                                      int threads, const RowsDone& rows_done) {
  const NodeTable& sources = nodes[edges.src_type];
  const NodeTable& destinations = nodes[edges.dst_type];
  const size_t partitions = destinations.base().size() - 1;
  EdgeCounts total{DestinationCounts(destinations.num_nodes()),
                   std::vector<int64_t>(partitions)};
  Mutex mutex;
  const auto count_rows = [&](size_t task_begin, size_t task_end) {
    EdgeCounts counts{DestinationCounts(destinations.num_nodes()),
                      std::vector<int64_t>(partitions)};
    const auto add = [&](const std::vector<int64_t>& ids) {
      const auto partition_of = destinations.partition_of();
      for (int64_t id : ids) {
        counts.by_range.Add(id);
        ++counts.by_partition[partition_of[static_cast<size_t>(id)]];
      }
    };
    std::vector<int64_t> from, to;
    const auto end = static_cast<int64_t>(task_end);
    for (auto begin = static_cast<int64_t>(task_begin); begin < end;) {
      const int64_t count = std::min(kBlockRows, end - begin);
      RETURN_IF_ERROR(ReadIds(*edges.from, begin, count, from));
      RETURN_IF_ERROR(
          CheckEnds(*edges.from, begin, from, sources.num_nodes(), edges.src));
      RETURN_IF_ERROR(ReadIds(*edges.to, begin, count, to));
      RETURN_IF_ERROR(
          CheckEnds(*edges.to, begin, to, destinations.num_nodes(), edges.dst));
      add(to);
      if (edges.add_reverse) add(from);
      rows_done(count);
      begin += count;
    }
    MutexLock lock(mutex);
    total.by_range.Add(counts.by_range);
    for (size_t p = 0; p < partitions; ++p) {
      total.by_partition[p] += counts.by_partition[p];
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(ParallelFor(static_cast<size_t>(edges.num_rows()), kTaskRows,
                              threads, count_rows));
  return total;
}

absl::Status SpillEdges(const EdgeSource& edges, const EdgeRecordForm& form,
                        const NodeRanges& ranges, const std::string& path,
                        uint64_t buffer_bytes, int threads,
                        const RowsDone& rows_done) {
  constexpr uint64_t kMostAtOnce = uint64_t{256} << 10;
  const uint64_t buffers =
      std::max<uint64_t>(1, ranges.size()) * static_cast<uint64_t>(threads);
  const uint64_t flush_at = std::max<uint64_t>(
      form.record_bytes(), std::min(kMostAtOnce, buffer_bytes / buffers));
  ASSIGN_OR_RETURN(auto spill, SpillWriter::Create(path, ranges.size()));
  // Buffers outlive the tasks, so that blocks are not cut short at their ends.
  Mutex mutex;
  std::vector<std::unique_ptr<Distributor>> idle;
  const auto spill_rows = [&](size_t task_begin, size_t task_end) {
    RETURN_IF_ERROR(FaultPoint("streaming.spill"));
    std::unique_ptr<Distributor> distributor;
    {
      MutexLock lock(mutex);
      if (!idle.empty()) {
        distributor = std::move(idle.back());
        idle.pop_back();
      }
    }
    if (distributor == nullptr) {
      distributor =
          std::make_unique<Distributor>(edges, form, ranges, flush_at, *spill);
    }
    const auto end = static_cast<int64_t>(task_end);
    for (auto begin = static_cast<int64_t>(task_begin); begin < end;) {
      const int64_t count = std::min(kBlockRows, end - begin);
      RETURN_IF_ERROR(distributor->Add(begin, count));
      rows_done(count);
      begin += count;
    }
    MutexLock lock(mutex);
    idle.push_back(std::move(distributor));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(ParallelFor(static_cast<size_t>(edges.num_rows()), kTaskRows,
                              threads, spill_rows));
  for (const auto& distributor : idle) RETURN_IF_ERROR(distributor->Flush());
  return spill->Finish();
}

}  // namespace tributary
