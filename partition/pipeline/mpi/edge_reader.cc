#include "partition/pipeline/mpi/edge_reader.h"

#include <algorithm>

#include "common/text/status.h"

namespace tributary {

int64_t ShareBegin(int64_t rows, int rank, int ranks) {
  return static_cast<int64_t>(static_cast<__int128>(rows) * rank / ranks);
}

SourceEdgeReader::SourceEdgeReader(const GraphSource& source, int rank,
                                   int ranks)
    : source_(source),
      nodes_(source),
      ends_(source, nodes_),
      rank_(rank),
      ranks_(ranks) {}

absl::StatusOr<size_t> SourceEdgeReader::Read(absl::Span<HomogeneousEdge> out) {
  for (; type_ < source_.edge_types.size(); ++type_, row_ = 0) {
    const EdgeSource& type = source_.edge_types[type_];
    if (!IsRead(type)) continue;
    const int64_t begin = ShareBegin(type.num_rows(), rank_, ranks_) + row_;
    const int64_t end = ShareBegin(type.num_rows(), rank_ + 1, ranks_);
    if (begin == end) continue;
    const int64_t count =
        std::min({static_cast<int64_t>(out.size()), end - begin, kRowsAtOnce});
    RETURN_IF_ERROR(ends_.Read(type, begin, count));
    for (size_t i = 0; i < ends_.from().size(); ++i) {
      out[i] = {static_cast<int64_t>(ends_.from()[i]),
                static_cast<int64_t>(ends_.to()[i])};
    }
    row_ += count;
    return static_cast<size_t>(count);
  }
  return 0;
}

}  // namespace tributary
