#include "sampler_server/engine/steps/mirror_edges.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "common/runtime/stoppable_sort.h"

namespace tributary {
namespace {

// An edge that may be in the result.
struct Candidate {
  uint64_t ends = 0;      // destination << 32 | source
  uint32_t mirrored = 0;  // 1: the reverse of a sampled edge
  uint32_t edge = 0;      // place among the sampled edges of its type
};

// The sampled edges of one type, hop after hop.
class DrawnEdges {
 public:
  explicit DrawnEdges(const std::vector<SampledHop>& hops) : hops_(hops) {
    for (const SampledHop& hop : hops_) {
      first_.push_back(size_);
      size_ += hop.src.size();
    }
  }

  uint64_t size() const { return size_; }
  int64_t id(uint32_t edge) const {
    const auto [hop, at] = Find(edge);
    return hop->edge_ids[at];
  }
  uint64_t position(uint32_t edge) const {
    const auto [hop, at] = Find(edge);
    return hop->positions[at];
  }

  void AddTo(bool mirrored, std::vector<Candidate>* all,
             StopCheck* stop) const {
    uint32_t edge = 0;
    for (const SampledHop& hop : hops_) {
      size_t at = 0;
      for (size_t node = 0; node < hop.counts.size(); ++node) {
        const auto dst = static_cast<uint32_t>(hop.first_local + node);
        if (ShouldStop(stop, hop.counts[node])) return;
        for (uint32_t i = 0; i < hop.counts[node]; ++i, ++at, ++edge) {
          const uint64_t src = hop.src[at];
          all->push_back(
              {mirrored ? src << 32 | dst : uint64_t{dst} << 32 | src,
               mirrored ? 1u : 0u, edge});
        }
      }
    }
  }

  // Returns the partition of each edge.
  std::vector<uint32_t> Owners() const {
    std::vector<uint32_t> owners;
    owners.reserve(size_);
    for (const SampledHop& hop : hops_) {
      for (size_t node = 0; node < hop.counts.size(); ++node) {
        owners.insert(owners.end(), hop.counts[node], hop.owners[node]);
      }
    }
    return owners;
  }

 private:
  std::pair<const SampledHop*, size_t> Find(uint32_t edge) const {
    const auto after = std::upper_bound(first_.begin(), first_.end(), edge);
    const size_t hop = static_cast<size_t>(after - first_.begin()) - 1;
    return {&hops_[hop], edge - first_[hop]};
  }

  const std::vector<SampledHop>& hops_;
  std::vector<uint64_t> first_;  // of each hop
  uint64_t size_ = 0;
};

// Merges the sampled edges of one type with the reversed edges of another.
class Mirror {
 public:
  Mirror(const std::vector<SampledHop>& drawn,
         const std::vector<SampledHop>& reverse, size_t num_nodes,
         StopCheck* stop)
      : of_{DrawnEdges(drawn), DrawnEdges(reverse)},
        num_nodes_(num_nodes),
        stop_(stop) {}

  // Returns a bound of the memory of this and of the result of Make.
  uint64_t most_bytes(bool ids, bool positions) const {
    const uint64_t edges = of_[0].size() + of_[1].size();
    const uint64_t edge_bytes =
        sizeof(uint32_t) + (ids ? sizeof(int64_t) : 0) + (positions ? 16 : 0);
    return edges * (sizeof(Candidate) + edge_bytes) +
           num_nodes_ * sizeof(uint32_t);
  }

  // Returns an incomplete hop when it was stopped.
  SampledHop Make(bool ids, bool positions) {
    SampledHop hop;
    if (!Choose()) return hop;
    hop.counts.assign(num_nodes_, 0);
    hop.src.reserve(chosen_.size());
    if (ids) hop.edge_ids.reserve(chosen_.size());
    for (const Candidate& edge : chosen_) {
      if (ShouldStop(stop_, 1)) return hop;
      ++hop.counts[edge.ends >> 32];
      hop.src.push_back(static_cast<uint32_t>(edge.ends));
      if (ids) hop.edge_ids.push_back(of_[edge.mirrored].id(edge.edge));
    }
    if (positions) AddPositions(&hop);
    return hop;
  }

 private:
  bool Choose() {
    chosen_.reserve(of_[0].size() + of_[1].size());
    of_[0].AddTo(false, &chosen_, stop_);
    of_[1].AddTo(true, &chosen_, stop_);
    const auto before = [this](const Candidate& a, const Candidate& b) {
      const auto ends = std::tie(a.ends, a.mirrored);
      const auto others = std::tie(b.ends, b.mirrored);
      if (ends != others) return ends < others;
      return of_[a.mirrored].id(a.edge) < of_[b.mirrored].id(b.edge);
    };
    if (!StoppableSort(chosen_.data(), chosen_.data() + chosen_.size(), before,
                       stop_)) {
      return false;
    }
    chosen_.erase(std::unique(chosen_.begin(), chosen_.end(),
                              [](const Candidate& a, const Candidate& b) {
                                return a.ends == b.ends;
                              }),
                  chosen_.end());
    return true;
  }

  void AddPositions(SampledHop* hop) const {
    const std::vector<uint32_t> owners[2] = {of_[0].Owners(), of_[1].Owners()};
    hop->positions.reserve(chosen_.size());
    hop->edge_owners.reserve(chosen_.size());
    for (const Candidate& edge : chosen_) {
      if (ShouldStop(stop_, 1)) return;
      hop->positions.push_back(of_[edge.mirrored].position(edge.edge));
      hop->edge_owners.push_back(owners[edge.mirrored][edge.edge]);
    }
  }

  const DrawnEdges of_[2];  // of the type; to be reversed
  const size_t num_nodes_;  // of the destination type
  StopCheck* const stop_;
  std::vector<Candidate> chosen_;
};

bool HasPositions(const std::vector<SampledHop>& hops) {
  return !hops.empty() && !hops[0].positions.empty();
}

}  // namespace

bool MirrorEdges(const SamplingPlan& plan, uint64_t most_bytes,
                 BatchState* state, StopCheck* stop) {
  for (NodeTypeState& type : state->nodes) type.numbering.DropTable();
  static const std::vector<SampledHop> none;
  const bool ids = !plan.omit_edge_ids;
  uint64_t made_bytes = 0;
  std::vector<SampledHop> made;
  for (size_t t = 0; t < plan.edge_types.size(); ++t) {
    const int back = plan.edge_types[t].mirrors;
    const auto& drawn = state->edges[t].hops;
    const auto& reverse = back < 0 ? none : state->edges[back].hops;
    const size_t nodes =
        state->nodes[plan.edge_types[t].dst_type].numbering.size();
    Mirror mirror(drawn, reverse, nodes, stop);
    const bool positions = plan.edge_types[t].has_rows && HasPositions(drawn);
    if (state->bytes() + made_bytes + mirror.most_bytes(ids, positions) >
        most_bytes) {
      return false;
    }
    made.push_back(mirror.Make(ids, positions));
    if (!WhyStopped(stop).ok()) return false;
    made_bytes += made.back().bytes();
  }
  for (size_t t = 0; t < plan.edge_types.size(); ++t) {
    EdgeTypeState& edges = state->edges[t];
    edges.edges = made[t].src.size();
    edges.hops.clear();
    if (edges.edges > 0) edges.hops.push_back(std::move(made[t]));
  }
  return true;
}

}  // namespace tributary
