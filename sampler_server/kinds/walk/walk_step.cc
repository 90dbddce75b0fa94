#include "sampler_server/kinds/walk/walk_step.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace tributary {
namespace {

// Walks whose lines are under way at once.
constexpr size_t kGroup = 64;
// Rows whose ends are fetched before they are looked at.
constexpr size_t kRowsAhead = 64;

void Prefetch(const void* line) { __builtin_prefetch(line, 0, 1); }

// Walks go in groups: for each, its row's ends have been fetched while the
// group before was at work; then positions are drawn and their lines fetched;
// then they are read.
template <typename Id>
class Stepper {
 public:
  Stepper(const EdgePartition& edges, absl::Span<const Id> indices,
          uint64_t num_src_nodes, const WalkQuery& query, uint64_t* neighbors)
      : indptr_(edges.indptr),
        indices_(indices),
        num_src_nodes_(num_src_nodes),
        query_(query),
        out_(neighbors) {}

  absl::Status Run() {
    const size_t n = query_.rows.size();
    for (size_t i = 0; i < std::min(n, kRowsAhead); ++i) PrefetchEnds(i);
    for (size_t from = 0; from < n; from += kGroup) {
      const size_t to = std::min(n, from + kGroup);
      RETURN_IF_ERROR(Locate(from, to));
      for (uint32_t k = 0; k < query_.tries; ++k) {
        Draw(from, to, k);
        Read(from, to, k);
      }
    }
    if (!bad_) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat("neighbour ", bad_id_, " of ",
                                            num_src_nodes_,
                                            " nodes: verify the graph"));
  }

 private:
  void PrefetchEnds(size_t i) {
    const uint64_t row = query_.rows[i];
    if (row + 1 >= indptr_.size()) return;
    Prefetch(&indptr_[row]);
    Prefetch(&indptr_[row + 1]);
  }

  absl::Status Locate(size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
      if (i + kRowsAhead < query_.rows.size()) PrefetchEnds(i + kRowsAhead);
      const uint64_t row = query_.rows[i];
      if (row + 1 >= indptr_.size()) {
        return absl::OutOfRangeError(
            absl::StrCat("row ", row, "; the partition has ",
                         indptr_.size() - std::min<size_t>(1, indptr_.size())));
      }
      const uint64_t begin = indptr_[row], end = indptr_[row + 1];
      if (begin > end || end > indices_.size()) {
        return absl::DataLossError(absl::StrCat("indptr of row ", row, " is ",
                                                begin, " to ", end,
                                                ": verify the graph"));
      }
      begin_[i - from] = begin;
      degree_[i - from] = end - begin;
    }
    return absl::OkStatus();
  }

  // Words first, in a loop that the compiler turns into lanes.
  void Draw(size_t from, size_t to, uint32_t k) {
    const size_t n = to - from;
    const uint32_t tried = query_.first_try + k;
    for (size_t i = 0; i < n; ++i) {
      const PhiloxBlock words =
          WalkWords(query_.key, query_.step, query_.walks[from + i], tried);
      low_[i] = words.word[0];
      high_[i] = words.word[1];
    }
    for (size_t i = 0; i < n; ++i) {
      const uint64_t degree = degree_[i];
      const uint64_t wide = low_[i] | uint64_t{high_[i]} << 32;
      const uint64_t position =
          degree > kWideThreshold
              ? static_cast<uint64_t>(
                    (static_cast<unsigned __int128>(wide) * degree) >> 64)
              : (low_[i] * degree) >> 32;
      slot_[i] = begin_[i] + position;
      if (degree > 0) Prefetch(&indices_[slot_[i]]);
    }
  }

  void Read(size_t from, size_t to, uint32_t k) {
    for (size_t i = 0; i < to - from; ++i) {
      uint64_t id = kNoNode;
      if (degree_[i] > 0) {
        id = indices_[slot_[i]];
        if (id >= num_src_nodes_) bad_ = true, bad_id_ = id;
      }
      out_[(from + i) * query_.tries + k] = id;
    }
  }

  const absl::Span<const uint64_t> indptr_;
  const absl::Span<const Id> indices_;
  const uint64_t num_src_nodes_;
  const WalkQuery& query_;
  uint64_t* const out_;
  bool bad_ = false;
  uint64_t bad_id_ = 0;
  std::array<uint64_t, kGroup> begin_, degree_, slot_, low_, high_;
};

}  // namespace

absl::Status DrawWalkSteps(const EdgePartition& edges, uint64_t num_src_nodes,
                           const WalkQuery& query, uint64_t* neighbors) {
  if (edges.indices.wide()) {
    return Stepper<uint64_t>(edges, edges.indices.wide_span(), num_src_nodes,
                             query, neighbors)
        .Run();
  }
  return Stepper<uint32_t>(edges, edges.indices.narrow_span(), num_src_nodes,
                           query, neighbors)
      .Run();
}

}  // namespace tributary
