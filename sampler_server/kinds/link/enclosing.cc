#include "sampler_server/kinds/link/enclosing.h"

#include <algorithm>
#include <numeric>

namespace tributary {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

// f(edge, source, destination) of each edge, in its order.
template <typename F>
void ForEachEdge(const SampledHop& hop, StopCheck* stop, F f) {
  size_t edge = 0;
  auto node = hop.first_local;
  for (const uint32_t count : hop.counts) {
    if (ShouldStop(stop, 1 + count)) return;
    for (uint32_t j = 0; j < count; ++j, ++edge) f(edge, hop.src[edge], node);
    ++node;
  }
}

}  // namespace

Enclosing::Enclosing(const GraphSchema& schema, const SamplingPlan& plan,
                     const LinkPart& links, BatchState* state, StopCheck* stop)
    : schema_(schema),
      plan_(plan),
      edge_type_(links.type->edge_type),
      sources_(links.source_numbers),
      destinations_(links.destination_numbers),
      state_(state),
      stop_(stop),
      num_nodes_(state->nodes[links.type->src_type].numbering.size()) {}

void Enclosing::DropLinks() {
  // Trees share no node, so an end has one other.
  std::vector<uint32_t> partner(num_nodes_, kNone);
  for (size_t i = 0; i < sources_.size(); ++i) {
    partner[sources_[i]] = destinations_[i];
    partner[destinations_[i]] = sources_[i];
  }
  const int reverse = schema_.ReverseOf(edge_type_);
  for (size_t t = 0; t < plan_.edge_types.size(); ++t) {
    const int type = plan_.edge_types[t].edge_type;
    if (type != edge_type_ && type != reverse) continue;
    DropFrom(state_->edges[t], partner);
  }
}

void Enclosing::DropFrom(EdgeTypeState& type,
                         absl::Span<const uint32_t> partner) const {
  for (SampledHop& hop : type.hops) {
    size_t kept = 0;
    std::vector<uint32_t> counts(hop.counts.size(), 0);
    ForEachEdge(hop, stop_,
                [&](size_t edge, uint32_t source, uint32_t destination) {
                  if (partner[destination] == source) return;
                  hop.src[kept] = source;
                  if (!hop.edge_ids.empty())
                    hop.edge_ids[kept] = hop.edge_ids[edge];
                  if (!hop.positions.empty())
                    hop.positions[kept] = hop.positions[edge];
                  ++counts[destination - hop.first_local];
                  ++kept;
                });
    type.edges -= hop.src.size() - kept;
    hop.src.resize(kept);
    if (!hop.edge_ids.empty()) hop.edge_ids.resize(kept);
    if (!hop.positions.empty()) hop.positions.resize(kept);
    hop.counts = std::move(counts);
  }
  std::erase_if(type.hops,
                [](const SampledHop& hop) { return hop.src.empty(); });
}

uint64_t Enclosing::bytes() const {
  uint64_t edges = 0;
  for (const EdgeTypeState& type : state_->edges) edges += type.edges;
  return num_nodes_ * (sizeof(uint64_t) + 3 * sizeof(uint32_t)) +
         2 * edges * sizeof(uint32_t);
}

void Enclosing::JoinEdges() {
  begin_.assign(num_nodes_ + 1, 0);
  const auto for_each = [this](auto f) {
    for (const EdgeTypeState& type : state_->edges) {
      for (const SampledHop& hop : type.hops) ForEachEdge(hop, stop_, f);
    }
  };
  for_each([this](size_t, uint32_t source, uint32_t destination) {
    ++begin_[source];
    ++begin_[destination];
  });
  std::inclusive_scan(begin_.begin(), begin_.end(), begin_.begin());
  ends_.resize(begin_.back());
  for_each([this](size_t, uint32_t source, uint32_t destination) {
    ends_[--begin_[source]] = destination;
    ends_[--begin_[destination]] = source;
  });
  from_source_.assign(num_nodes_, -1);
  from_destination_.assign(num_nodes_, -1);
}

// Breadth first.
void Enclosing::Measure(uint32_t from, uint32_t without,
                        std::vector<int32_t>* distance) {
  reached_.assign(1, from);
  (*distance)[from] = 0;
  for (size_t i = 0; i < reached_.size(); ++i) {
    const uint32_t node = reached_[i];
    const uint64_t end = begin_[node + 1];
    looked_at_ += end - begin_[node] + 1;
    if (ShouldStop(stop_, end - begin_[node] + 1)) return;
    for (uint64_t e = begin_[node]; e < end; ++e) {
      const uint32_t next = ends_[e];
      if (next == without || (*distance)[next] >= 0) continue;
      (*distance)[next] = (*distance)[node] + 1;
      reached_.push_back(next);
    }
  }
}

bool Enclosing::Label(absl::Span<int64_t> labels, uint64_t most_edges) {
  if (begin_.empty()) JoinEdges();
  if (!WhyStopped(stop_).ok()) return false;
  looked_at_ = 0;
  for (; next_tree_ < sources_.size() && looked_at_ < most_edges;
       ++next_tree_) {
    const uint32_t source = sources_[next_tree_];
    const uint32_t destination = destinations_[next_tree_];
    Measure(source, destination, &from_source_);
    Measure(destination, source, &from_destination_);
    for (const uint32_t node : reached_) {
      const int64_t x = from_source_[node], y = from_destination_[node];
      if (x < 0 || y < 0) continue;
      const int64_t d = x + y;
      labels[node] = 1 + std::min(x, y) + d / 2 * (d / 2 + d % 2 - 1);
    }
    labels[source] = labels[destination] = 1;
  }
  return next_tree_ == sources_.size();
}

}  // namespace tributary
