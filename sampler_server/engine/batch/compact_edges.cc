#include "sampler_server/engine/batch/compact_edges.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "common/batch/compact/compact_writer.h"

namespace tributary {
namespace {

// Nodes before the first one with edges, and behind the last one, take nothing.
absl::Span<const uint32_t> DegreesOf(const SampledHop& hop) {
  const auto has_edges = [](uint32_t count) { return count > 0; };
  const auto begin =
      std::find_if(hop.counts.begin(), hop.counts.end(), has_edges);
  const auto end =
      std::find_if(hop.counts.rbegin(), hop.counts.rend(), has_edges).base();
  return absl::MakeConstSpan(hop.counts)
      .subspan(static_cast<size_t>(begin - hop.counts.begin()),
               static_cast<size_t>(end - begin));
}

MeasuredRun Measure(const HopEdgesInTensor& edges, StopCheck* stop) {
  const SampledHop& hop = *edges.hop;
  const absl::Span<const uint32_t> degrees = DegreesOf(hop);
  MeasuredRun measured{{}, NeighborMeasure(hop.first_new)};
  measured.run.edges = static_cast<uint32_t>(hop.src.size());
  measured.run.nodes = static_cast<uint32_t>(degrees.size());
  measured.run.first_node =
      hop.first_local +
      static_cast<uint32_t>(degrees.data() - hop.counts.data());
  measured.run.reversed = edges.reversed;
  InPieces(stop, hop.src.size(), [&](uint64_t from, uint64_t to) {
    measured.neighbors.Add(
        absl::MakeConstSpan(hop.src).subspan(from, to - from));
  });
  return measured;
}

CompactEdgeIndex FindEdgeIndex(const std::vector<HopEdgesInTensor>& hops,
                               StopCheck* stop) {
  std::vector<MeasuredRun> runs;
  for (const HopEdgesInTensor& hop : hops) runs.push_back(Measure(hop, stop));
  return ChooseForm(runs);
}

uint8_t FindIdBytes(const std::vector<HopEdgesInTensor>& hops,
                    StopCheck* stop) {
  uint64_t bits = 0;
  for (const HopEdgesInTensor& in_tensor : hops) {
    const std::vector<int64_t>& ids = in_tensor.hop->edge_ids;
    InPieces(stop, ids.size(), [&](uint64_t from, uint64_t to) {
      uint64_t piece = 0;
      for (uint64_t i = from; i < to; ++i) {
        piece |= static_cast<uint64_t>(ids[i]);
      }
      bits |= piece;
    });
  }
  return BytesOfNumber(bits);
}

}  // namespace

CompactEdges FindCompactEdges(const SamplingPlan& plan, const BatchState& state,
                              size_t planned, StopCheck* stop) {
  CompactEdges compact;
  const std::vector<HopEdgesInTensor> hops = HopsOfTensor(plan, state, planned);
  for (const HopEdgesInTensor& in_tensor : hops) {
    if (in_tensor.hop->src.size() > std::numeric_limits<uint32_t>::max()) {
      return compact;
    }
  }
  compact.edge_index = FindEdgeIndex(hops, stop);
  if (compact.edge_index.left_out() == 0) compact.edge_index = {};
  if (plan.omit_edge_ids) return compact;
  compact.id_bytes = FindIdBytes(hops, stop);
  const uint64_t edges = NumTensorEdges(plan, state, planned);
  if (LeftOutOfEdgeIds(edges, compact.id_bytes) == 0) compact.id_bytes = 0;
  return compact;
}

void WriteCompactEdgeIndex(const SamplingPlan& plan, const BatchState& state,
                           size_t planned, absl::Span<uint8_t> block,
                           StopCheck* stop) {
  EdgeIndexWriter writer(state.edges[planned].compact.edge_index, block);
  for (const HopEdgesInTensor& in_tensor : HopsOfTensor(plan, state, planned)) {
    const absl::Span<const uint32_t> degrees = DegreesOf(*in_tensor.hop);
    const absl::Span<const uint32_t> neighbors = in_tensor.hop->src;
    writer.BeginRun();
    InPieces(stop, degrees.size(), [&](uint64_t from, uint64_t to) {
      writer.AddDegrees(degrees.subspan(from, to - from));
    });
    const bool whole =
        InPieces(stop, neighbors.size(), [&](uint64_t from, uint64_t to) {
          writer.AddNeighbors(neighbors.subspan(from, to - from));
        });
    if (!whole) return;
    writer.EndRun();
  }
}

void WriteCompactEdgeIds(const SamplingPlan& plan, const BatchState& state,
                         size_t planned, absl::Span<uint8_t> block,
                         StopCheck* stop) {
  EdgeIdWriter writer(NumTensorEdges(plan, state, planned),
                      state.edges[planned].compact.id_bytes, block);
  for (const HopEdgesInTensor& in_tensor : HopsOfTensor(plan, state, planned)) {
    const absl::Span<const int64_t> ids = in_tensor.hop->edge_ids;
    const bool whole =
        InPieces(stop, ids.size(), [&](uint64_t from, uint64_t to) {
          writer.Add(ids.subspan(from, to - from));
        });
    if (!whole) return;
  }
}

}  // namespace tributary
