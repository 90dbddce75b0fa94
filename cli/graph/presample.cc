#include "cli/graph/presample.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "cli/command/arguments.h"
#include "cli/command/command.h"
#include "cli/sample/sample_request.h"
#include "cli/sample/sample_source.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"
#include "trainer_client/core/batch/hetero_batch.h"
#include "trainer_client/core/dist_loader.h"

namespace tributary {
namespace {

constexpr uint64_t kMaxBatches = 1'000'000;

// Counts what batches hold, by partition.
class BatchCounter {
 public:
  explicit BatchCounter(const Graph& graph) : graph_(graph) {}

  // Adds a batch. Counts remote nodes if the server of `maker` makes it.
  absl::Status Add(const BatchView& view, std::optional<uint32_t> maker,
                   PresampleFigures& figures) {
    ASSIGN_OR_RETURN(const HeteroBatch batch,
                     ToTypedBatch(view, graph_.schema()));
    uint64_t nodes = 0, here = 0;
    for (const auto& [name, of_type] : batch.nodes) {
      std::vector<uint32_t>& parts = parts_[name];
      parts.clear();
      const int type = graph_.schema().FindNodeType(name);
      for (const int64_t id : of_type.n_id) {
        ASSIGN_OR_RETURN(const NodeLocation at,
                         graph_.node_map(type).Locate(id));
        parts.push_back(at.partition);
        here += maker.has_value() && at.partition == *maker ? 1 : 0;
      }
      nodes += parts.size();
    }
    ++figures.batches;
    figures.nodes += nodes;
    if (maker.has_value()) figures.remote_nodes += nodes - here;
    for (const auto& [name, edges] : batch.edges) {
      AddNeighbors(name, edges, figures);
    }
    return absl::OkStatus();
  }

 private:
  void AddNeighbors(const std::string& name, const HeteroEdges& edges,
                    PresampleFigures& figures) {
    const int t = graph_.schema().FindEdgeType(name);
    const EdgeTypeSchema& type = graph_.schema().edge_types[t];
    const std::vector<uint32_t>& src = parts_[type.src];
    const std::vector<uint32_t>& dst = parts_[type.dst];
    figures.neighbors += edges.src.size();
    for (size_t i = 0; i < edges.src.size(); ++i) {
      figures.remote_neighbors +=
          src[edges.src[i]] != dst[edges.dst[i]] ? 1 : 0;
    }
  }

  const Graph& graph_;
  std::map<std::string, std::vector<uint32_t>> parts_;  // by node type
};

// Makes batches in this process.
class Presampler {
 public:
  static absl::StatusOr<Presampler> Open(const Graph& graph,
                                         const SampleRequest& request) {
    ASSIGN_OR_RETURN(auto source,
                     OpenSampleSource(request, "tributary inspect"));
    return Presampler(graph, std::move(source));
  }

  // Makes the first `batches` batches of an epoch.
  absl::Status Make(const SessionOptions& options, uint64_t batches,
                    std::optional<uint32_t> maker, PresampleFigures& figures) {
    ASSIGN_OR_RETURN(const std::unique_ptr<DistLoader> loader,
                     source_->OpenLoader(options));
    if (loader->num_batches() == 0) return absl::OkStatus();
    RETURN_IF_ERROR(loader->StartEpoch(0));
    RETURN_IF_ERROR(loader->Limit(0, std::min(batches, loader->num_batches())));
    while (true) {
      ASSIGN_OR_RETURN(const std::optional<BatchLease> batch, loader->Next());
      if (!batch.has_value()) return absl::OkStatus();
      RETURN_IF_ERROR(counter_.Add(batch->view(), maker, figures));
    }
  }

 private:
  Presampler(const Graph& graph, std::unique_ptr<SamplingWorkers> source)
      : source_(std::move(source)), counter_(graph) {}

  std::unique_ptr<SamplingWorkers> source_;
  BatchCounter counter_;
};

// Returns the split's nodes by their partition.
absl::StatusOr<std::vector<std::vector<int64_t>>> InputsByPartition(
    const Graph& graph, const SessionOptions& options) {
  const GraphSchema& schema = graph.schema();
  const int type = options.input_type.empty() && schema.node_types.size() == 1
                       ? 0
                       : schema.FindNodeType(options.input_type);
  if (type < 0) {
    return UsageError(absl::StrCat("--input-nodes: node type '",
                                   options.input_type,
                                   "' is none of the graph's"));
  }
  ASSIGN_OR_RETURN(const absl::Span<const int64_t> ids,
                   graph.Split(type, options.input_split));
  std::vector<std::vector<int64_t>> inputs(schema.num_partitions);
  for (const int64_t id : ids) {
    ASSIGN_OR_RETURN(const NodeLocation at, graph.node_map(type).Locate(id));
    inputs[at.partition].push_back(id);
  }
  return inputs;
}

// Makes batches of partitions in turn, evenly spread over those with inputs.
absl::Status MakeLocal(const Graph& graph, const SessionOptions& options,
                       uint64_t batches, Presampler& sampler,
                       PresampleFigures& figures) {
  ASSIGN_OR_RETURN(auto inputs, InputsByPartition(graph, options));
  std::vector<uint32_t> makers;
  for (uint32_t p = 0; p < inputs.size(); ++p) {
    if (!inputs[p].empty()) makers.push_back(p);
  }
  const uint64_t looked_at = std::min<uint64_t>(batches, makers.size());
  for (uint64_t i = 0; i < looked_at; ++i) {
    const uint32_t p = makers[i * makers.size() / looked_at];
    SessionOptions local = options;
    local.input_split.clear();
    local.input_nodes = std::move(inputs[p]);
    const uint64_t share =
        batches * (i + 1) / looked_at - batches * i / looked_at;
    RETURN_IF_ERROR(sampler.Make(local, share, p, figures));
  }
  return absl::OkStatus();
}

nlohmann::ordered_json ToJson(const PresampleFigures& figures) {
  return {{"batches", figures.batches},
          {"nodes", figures.nodes},
          {"neighbors", figures.neighbors},
          {"remote_neighbor_share", figures.remote_neighbor_share()},
          {"remote_node_share", figures.remote_node_share()}};
}

std::string ToText(const char* order, const PresampleFigures& figures) {
  return absl::StrFormat(
      "    %s: %d batches, %d nodes, of them %.2f %% remote to the batch's "
      "maker; %d neighbours, of them %.2f %% in another partition\n",
      order, figures.batches, figures.nodes, 100 * figures.remote_node_share(),
      figures.neighbors, 100 * figures.remote_neighbor_share());
}

}  // namespace

absl::StatusOr<Presampled> Presample(const std::string& folder,
                                     const Graph& graph,
                                     const PresampleArguments& arguments) {
  ASSIGN_OR_RETURN(const uint64_t batches,
                   ParseWhole("--batches", arguments.batches, 1, kMaxBatches));
  SampleArguments sample;
  sample.graph = folder;
  sample.session.Set("input_nodes", arguments.input_nodes);
  sample.session.Set("num_neighbors", arguments.num_neighbors);
  sample.session.Set("batch_size", arguments.batch_size);
  sample.session.Set("random_seed", arguments.random_seed);
  auto parsed = ParseSampleArguments(sample);
  if (!parsed.ok()) {  // with this command's name of the flag
    return UsageError(absl::StrReplaceAll(
        parsed.status().message(), {{"--num-neighbors", "--presample"}}));
  }
  SampleRequest request = *std::move(parsed);
  SessionOptions& options = request.session.options;
  options.collect = CollectedColumns::None();
  if (options.input_split.empty()) {
    return UsageError(absl::StrCat("--input-nodes ", arguments.input_nodes,
                                   "\nallowed: [TYPE:]SPLIT"));
  }
  Presampled made;
  made.num_neighbors = arguments.num_neighbors;
  made.input_nodes = arguments.input_nodes;
  made.batch_size = options.batch_size;
  ASSIGN_OR_RETURN(Presampler sampler, Presampler::Open(graph, request));
  RETURN_IF_ERROR(sampler.Make(options, batches, std::nullopt, made.global));
  // Each node is local to one server out of as many as there are partitions.
  made.global.remote_nodes =
      made.global.nodes - made.global.nodes / graph.schema().num_partitions;
  RETURN_IF_ERROR(MakeLocal(graph, options, batches, sampler, made.local));
  return made;
}

std::string PresampledText(const Presampled& figures) {
  return absl::StrCat("  presampled ", figures.num_neighbors, " of ",
                      figures.input_nodes, ", ", figures.batch_size,
                      " inputs in a batch\n",
                      ToText("inputs of all partitions", figures.global),
                      ToText("inputs of the maker's partition", figures.local));
}

std::string PresampledJson(const Presampled& figures) {
  const nlohmann::ordered_json json = {{"num_neighbors", figures.num_neighbors},
                                       {"input_nodes", figures.input_nodes},
                                       {"batch_size", figures.batch_size},
                                       {"global", ToJson(figures.global)},
                                       {"local", ToJson(figures.local)}};
  return json.dump();
}

}  // namespace tributary
