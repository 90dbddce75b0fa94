#include "sampler_server/engine/questions/induced_edges.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/io/prefetch.h"
#include "common/text/status.h"
#include "partition/format/row_ends.h"

namespace tributary {
namespace {

// How many rows ahead indptr, and the first edges, are prefetched.
constexpr size_t kIndptrAhead = 32, kEdgesAhead = 16;

// `Id`: the type that the partition stores neighbours as.
template <typename Id>
class Scanner {
 public:
  Scanner(const InducedSource& source, absl::Span<const Id> indices,
          absl::Span<const InducedRow> rows)
      : source_(source),
        nodes_(source.nodes),
        indptr_(source.edges.indptr),
        indices_(indices),
        rows_(rows) {}

  absl::Status Count(const ScanLimits& limits, uint32_t* counts,
                     Scanned* done) {
    *done = Scanned();
    while (done->rows < rows_.size() && done->edges < limits.pause) {
      RETURN_IF_ERROR(Open(done->rows));
      done->edges += end_ - begin_;
      if (done->edges > limits.most) break;
      uint64_t count = 0;
      ForEach([&count](uint64_t, uint32_t) {
        ++count;
        return true;
      });
      // Fits: the limit of edges looked at is below 2^32.
      counts[done->rows++] = static_cast<uint32_t>(count);
    }
    return Good();
  }

  absl::Status Take(uint64_t skip, const InducedEdges& out) {
    for (size_t i = 0; i < rows_.size(); ++i) {
      RETURN_IF_ERROR(Open(i));
      const uint64_t left = TakeRow(rows_[i], i == 0 ? skip : 0, out);
      RETURN_IF_ERROR(WhyStopped(source_.stop));
      if (left > 0 && good_) {
        return absl::InvalidArgumentError(
            absl::StrCat("row ", rows_[i].row, " has ", left, " edges of ",
                         rows_[i].count, " less that are induced"));
      }
    }
    return Good();
  }

 private:
  void PrefetchAhead(size_t i) const {
    if (i + kIndptrAhead < rows_.size()) {
      const uint64_t row = rows_[i + kIndptrAhead].row;
      if (row < indptr_.size()) Prefetch(indptr_.data() + row);
    }
    if (i + kEdgesAhead < rows_.size()) {
      const uint64_t row = rows_[i + kEdgesAhead].row;
      if (row < indptr_.size()) Prefetch(indices_.data() + indptr_[row]);
    }
  }

  absl::Status Open(size_t i) {
    PrefetchAhead(i);
    const uint64_t row = rows_[i].row;
    if (indptr_.size() < 2 || row > indptr_.size() - 2) {
      return absl::OutOfRangeError(absl::StrCat(
          "row ", row, " of a partition with ",
          indptr_.size() - std::min<size_t>(1, indptr_.size()), " rows"));
    }
    const RowEnds ends = ReadRowEnds(indptr_, row);
    begin_ = ends.begin;
    end_ = ends.end;
    first_id_ = rows_[i].first_id;
    if (ShouldStop(source_.stop, 4)) return source_.stop->why();
    if (ends.IsWithin(indices_.size())) return absl::OkStatus();
    return absl::DataLossError(
        absl::StrCat("indptr of row ", row, " spans [", begin_, ", ", end_,
                     ") of ", indices_.size(), " edges: verify the graph"));
  }

  // Calls take(position, number) for the row's edges from the set, until it
  // returns false or the scan is stopped.
  template <typename Take>
  void ForEach(Take take) {
    bool more = true;
    InPieces(source_.stop, end_ - begin_, [&](uint64_t from, uint64_t to) {
      if (more) more = ForEachIn(begin_ + from, begin_ + to, take);
    });
  }
  template <typename Take>
  bool ForEachIn(uint64_t at, uint64_t end, Take& take) {
    const Id* const indices = indices_.data();
    for (; at < end; ++at) {
      const uint64_t index = indices[at];
      const uint64_t id = first_id_ + index;
      if (!nodes_.MayHold(id)) continue;
      const uint32_t number = nodes_.Find(id);
      if (number == NodeSet::kNone) continue;
      // Such an id would be a node of another tree.
      if (index >= source_.num_src_nodes) good_ = false;
      if (!take(at, number)) return false;
    }
    return true;
  }

  // Returns how many of row.count edges the row lacks.
  uint64_t TakeRow(const InducedRow& row, uint64_t skip,
                   const InducedEdges& out) {
    uint64_t to = row.to;
    const uint64_t end = row.to + row.count;
    if (to == end) return 0;
    ForEach([&](uint64_t at, uint32_t number) {
      if (skip > 0) {
        --skip;
        return true;
      }
      out.numbers[to] = number;
      if (out.edge_ids != nullptr) {
        out.edge_ids[to] = static_cast<int64_t>(source_.edges.edge_id[at]);
      }
      if (out.positions != nullptr) out.positions[to] = at;
      return ++to < end;
    });
    return end - to;
  }

  absl::Status Good() const {
    RETURN_IF_ERROR(WhyStopped(source_.stop));
    if (good_) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat(
        "indices hold a neighbour beyond the ", source_.num_src_nodes,
        " nodes of the source type: verify the graph"));
  }

  const InducedSource& source_;
  const NodeSet& nodes_;
  const absl::Span<const uint64_t> indptr_;
  const absl::Span<const Id> indices_;
  const absl::Span<const InducedRow> rows_;
  uint64_t begin_ = 0, end_ = 0, first_id_ = 0;  // of the current row
  bool good_ = true;
};

absl::Status CheckEdgeIds(const EdgePartition& edges) {
  if (edges.edge_id.size() == edges.indices.size()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      edges.edge_id.size(), " edge ids for ", edges.indices.size(), " edges"));
}

}  // namespace

absl::Status CountInduced(const InducedSource& source,
                          absl::Span<const InducedRow> rows,
                          const ScanLimits& limits, uint32_t* counts,
                          Scanned* done) {
  const IdArray& indices = source.edges.indices;
  if (indices.wide()) {
    return Scanner<uint64_t>(source, indices.wide_span(), rows)
        .Count(limits, counts, done);
  }
  return Scanner<uint32_t>(source, indices.narrow_span(), rows)
      .Count(limits, counts, done);
}

absl::Status TakeInduced(const InducedSource& source,
                         absl::Span<const InducedRow> rows, uint64_t skip,
                         const InducedEdges& out) {
  RETURN_IF_ERROR(CheckEdgeIds(source.edges));
  const IdArray& indices = source.edges.indices;
  if (indices.wide()) {
    return Scanner<uint64_t>(source, indices.wide_span(), rows).Take(skip, out);
  }
  return Scanner<uint32_t>(source, indices.narrow_span(), rows).Take(skip, out);
}

}  // namespace tributary
