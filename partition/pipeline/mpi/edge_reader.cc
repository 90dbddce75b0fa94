#include "partition/pipeline/mpi/edge_reader.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::Status ReadIds(const Column& column, int64_t begin,
                     std::vector<int64_t>& out) {
  return column.Read(begin, static_cast<int64_t>(out.size()),
                     reinterpret_cast<uint8_t*>(out.data()));
}

absl::Status CheckId(const Column& column, int64_t row, int64_t id,
                     const NodeSource& type) {
  if (id >= 0 && id < type.num_nodes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(column.Where(row), ": node ", id, " of type ", type.name,
                   "; allowed: 0 to ", type.num_nodes - 1));
}

}  // namespace

std::vector<int64_t> TypeStarts(const GraphSource& source) {
  std::vector<int64_t> starts = {0};
  for (const NodeSource& type : source.node_types) {
    starts.push_back(starts.back() + type.num_nodes);
  }
  return starts;
}

int64_t ShareBegin(int64_t rows, int rank, int ranks) {
  return static_cast<int64_t>(static_cast<__int128>(rows) * rank / ranks);
}

SourceEdgeReader::SourceEdgeReader(const GraphSource& source, int rank,
                                   int ranks)
    : source_(source),
      starts_(TypeStarts(source)),
      rank_(rank),
      ranks_(ranks) {}

absl::StatusOr<size_t> SourceEdgeReader::Read(absl::Span<EdgeEnds> out) {
  for (; type_ < source_.edge_types.size(); ++type_, row_ = 0) {
    const EdgeSource& type = source_.edge_types[type_];
    if (type.reverse) continue;
    const int64_t begin = ShareBegin(type.num_rows(), rank_, ranks_) + row_;
    const int64_t end = ShareBegin(type.num_rows(), rank_ + 1, ranks_);
    if (begin == end) continue;
    const auto count = std::min<size_t>(out.size(), end - begin);
    from_.resize(count);
    to_.resize(count);
    RETURN_IF_ERROR(ReadIds(*type.from, begin, from_));
    RETURN_IF_ERROR(ReadIds(*type.to, begin, to_));
    for (size_t i = 0; i < count; ++i) {
      const auto row = begin + static_cast<int64_t>(i);
      RETURN_IF_ERROR(CheckId(*type.from, row, from_[i],
                              source_.node_types[type.src_type]));
      RETURN_IF_ERROR(
          CheckId(*type.to, row, to_[i], source_.node_types[type.dst_type]));
      out[i] = {starts_[type.src_type] + from_[i],
                starts_[type.dst_type] + to_[i]};
    }
    row_ += static_cast<int64_t>(count);
    return count;
  }
  return 0;
}

}  // namespace tributary
