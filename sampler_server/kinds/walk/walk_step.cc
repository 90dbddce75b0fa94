#include "sampler_server/kinds/walk/walk_step.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "common/io/prefetch.h"
#include "common/text/status.h"
#include "partition/format/row_ends.h"
#include "sampler_server/engine/draw/draw_lanes.h"

namespace tributary {
namespace {

// Walks of a group, which take a step together.
constexpr size_t kGroup = 64;
static_assert(kGroup % kDrawLanes == 0);
constexpr uint64_t kWorkOfTry = 4;

// A pipeline of groups: while positions of one group are drawn and their cache
// lines prefetched, indptr of the next group is being prefetched, and the lines
// of the group before have arrived and are read.
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
    for (size_t i = 0; i < std::min(n, kGroup); ++i) FetchEnds(i);
    for (size_t from = 0; from < n; from += kGroup) {
      const size_t size = std::min(n - from, kGroup);
      if (ShouldStop(query_.stop, size * (1 + query_.tries) * kWorkOfTry)) {
        return query_.stop->why();
      }
      RETURN_IF_ERROR(Locate(from, size));
      for (uint32_t k = 0; k < query_.tries; ++k) {
        Drawn& next = drawn_[turn_ ^= 1];
        next.from = from;
        next.size = size;
        next.tried = k;
        Draw(next);
        Read(drawn_[turn_ ^ 1]);
      }
    }
    Read(drawn_[turn_]);
    if (!bad_) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat("neighbour ", bad_id_, " of ",
                                            num_src_nodes_,
                                            " nodes: verify the graph"));
  }

 private:
  // One try of a group: which neighbours were drawn.
  struct Drawn {
    size_t from = 0, size = 0;
    uint32_t tried = 0;
    std::array<uint64_t, kGroup> slot;  // in indices_; or kNoNode
  };

  void FetchEnds(size_t i) {
    const uint64_t row = query_.rows[i];
    if (row + 1 >= indptr_.size()) return;
    Prefetch(&indptr_[row]);
    Prefetch(&indptr_[row + 1]);
  }

  absl::Status Locate(size_t from, size_t size) {
    for (size_t i = from; i < from + size; ++i) {
      if (i + kGroup < query_.rows.size()) FetchEnds(i + kGroup);
      const uint64_t row = query_.rows[i];
      if (row + 1 >= indptr_.size()) {
        return absl::OutOfRangeError(
            absl::StrCat("row ", row, "; the partition has ",
                         indptr_.size() - std::min<size_t>(1, indptr_.size())));
      }
      const RowEnds ends = ReadRowEnds(indptr_, row);
      if (!ends.IsWithin(indices_.size())) {
        return absl::DataLossError(absl::StrCat("indptr of row ", row, " is ",
                                                ends.begin, " to ", ends.end,
                                                ": verify the graph"));
      }
      begin_[i - from] = ends.begin;
      degree_[i - from] = ends.end - ends.begin;
    }
    return absl::OkStatus();
  }

  // Computes the first two words of WalkWords, a lane for each walk.
  void Draw(Drawn& drawn) {
    const uint32_t tried = query_.first_try + drawn.tried;
    std::fill(std::begin(words_.tree), std::end(words_.tree), tried);
    for (size_t i = 0; i < drawn.size; i += kDrawLanes) {
      const size_t lanes = std::min<size_t>(kDrawLanes, drawn.size - i);
      std::copy_n(query_.walks.data() + drawn.from + i, lanes,
                  words_.local_number);
      fill_(query_.key, query_.step, /*count=*/2, words_);
      for (size_t lane = 0; lane < lanes; ++lane) {
        drawn.slot[i + lane] =
            SlotOf(i + lane, words_.word[lane], words_.word[kDrawLanes + lane]);
      }
    }
  }

  uint64_t SlotOf(size_t i, uint64_t low, uint64_t high) const {
    const uint64_t degree = degree_[i];
    if (degree == 0) return kNoNode;
    const uint64_t wide = static_cast<uint64_t>(
        (static_cast<unsigned __int128>(low | high << 32) * degree) >> 64);
    const uint64_t narrow = (low * degree) >> 32;
    const uint64_t slot = begin_[i] + (degree > kWideThreshold ? wide : narrow);
    Prefetch(&indices_[slot]);
    return slot;
  }

  void Read(const Drawn& drawn) {
    uint64_t* out = out_ + drawn.from * query_.tries + drawn.tried;
    for (size_t i = 0; i < drawn.size; ++i, out += query_.tries) {
      *out = kNoNode;
      if (drawn.slot[i] == kNoNode) continue;
      const uint64_t id = indices_[drawn.slot[i]];
      *out = id;
      if (id >= num_src_nodes_) bad_ = true, bad_id_ = id;
    }
  }

  const absl::Span<const uint64_t> indptr_;
  const absl::Span<const Id> indices_;
  const uint64_t num_src_nodes_;
  const WalkQuery& query_;
  uint64_t* const out_;
  const FillLanesFunction fill_ = DrawLanesPaths().back().fill;
  bool bad_ = false;
  uint64_t bad_id_ = 0;
  LaneWords words_;
  std::array<uint64_t, kGroup> begin_, degree_;
  std::array<Drawn, 2> drawn_;
  size_t turn_ = 0;
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
