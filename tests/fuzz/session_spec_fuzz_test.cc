// Fuzzes session specifications: any bytes are either refused or a
// specification from which a plan is made; a plan names only what the graph
// has, and a batch of it completes.
#include <cstdint>
#include <memory>
#include <string>

#include "common/proto/session.pb.h"
#include "common/session/limits.h"
#include "sampler_server/engine/testing/one_batch.h"
#include "sampler_server/kinds/registry.h"
#include "tests/fuzz/must.h"

namespace tributary {
namespace {

std::shared_ptr<const MemoryGraph> MakeTypedGraph() {
  MemoryGraphSpec spec;
  spec.node_types = {{.name = "a", .num_nodes = 5, .x_dim = 2},
                     {.name = "b", .num_nodes = 3, .has_y = true}};
  spec.edge_types = {
      {"a", "to", "a", {{0, 1}, {1, 2}, {2, 0}, {2, 2}, {3, 4}, {3, 4}}},
      {"b", "of", "a", {{0, 0}, {1, 0}, {2, 0}, {0, 3}}, /*has_attr=*/true}};
  spec.edge_types[1].masks["train"] = {1, 0, 1, 0};
  spec.num_partitions = 2;
  spec.heterogeneous = true;
  return MemoryGraph::Make(spec);
}

// A fuzzer does not guess digests: what parses gets the graph's, where it has
// some at all.
std::string WithDigests(const std::string& bytes, const GraphSchema& schema) {
  v1::SessionSpec spec;
  if (!spec.ParseFromString(bytes)) return bytes;
  const auto text = [](const Sha256Digest& digest) {
    return std::string(digest.begin(), digest.end());
  };
  if (!spec.content_digest().empty()) {
    spec.set_content_digest(text(schema.content_digest));
  }
  if (!spec.layout_digest().empty()) {
    spec.set_layout_digest(text(schema.layout_digest));
  }
  if (!spec.inputs().sha256().empty()) {
    spec.mutable_inputs()->set_sha256(text(schema.content_digest));
  }
  return spec.SerializeAsString();
}

void CheckPlan(const SamplingPlan& plan, const GraphSchema& schema) {
  const int node_types = static_cast<int>(schema.node_types.size());
  const int edge_types = static_cast<int>(schema.edge_types.size());
  const bool links = plan.takes_links();
  Must(links == plan.spec.has_link(), "inputs of the kind");
  Must(links || (plan.input_type >= 0 && plan.input_type < node_types),
       "input type");
  uint64_t listed = 0;
  for (const PlannedLinkList& list : plan.link_lists) {
    Must(list.edge_type >= 0 && list.edge_type < edge_types, "link type");
    Must(list.count >= 1, "links of a type");
    listed += list.count;
  }
  Must(!links || listed == plan.input_count, "links in all");
  const bool neighbors = links || plan.spec.has_neighbor();
  Must(plan.num_hops >= neighbors && plan.num_hops <= kMaxHops, "hops");
  const int fanouts = neighbors ? plan.num_hops : 0;
  Must(plan.batch_size >= 1 && plan.batch_size <= kMaxBatchSize, "batch size");
  Must(plan.input_count >= 1, "inputs");
  for (const PlannedEdgeType& type : plan.edge_types) {
    Must(type.edge_type >= 0 && type.edge_type < edge_types, "edge type");
    Must(type.fanouts.size() == static_cast<size_t>(fanouts), "fanouts");
    for (int32_t k : type.fanouts) Must(k >= -1 && k <= kMaxFanout, "fanout");
  }
}

void RunBatch(std::shared_ptr<const MemoryGraph> graph,
              std::shared_ptr<const SamplingPlan> plan) {
  BatchRequest request;
  request.key = {plan->session, 1, 2};
  request.plan = std::move(plan);
  request.input_number = {0, 1};
  if (!request.plan->takes_links()) {
    request.original_id = {2, 0};
  } else {
    request.links.source = {0, 0};
    request.links.destination = {0, 0};
    request.links.label_type = request.plan->label;
    request.links.label.resize(2 * LabelBytes(request.plan->label));
    request.links.negatives = request.plan->negatives;
    request.links.negative.resize(2 * request.plan->negatives);
  }
  request.max_bytes = size_t{1} << 16;
  OneBatchWorld world(std::move(graph));
  request.deadline = world.Deadline();
  const auto sink = world.Start(std::move(request));
  Must(world.world().Drain(100000), "a batch ends");
  Must(sink->ends == 1, "once");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::shared_ptr<const MemoryGraph> graph = MakeTypedGraph();
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  (void)MakePlan(graph->schema(), bytes);
  auto plan = MakePlan(graph->schema(), WithDigests(bytes, graph->schema()));
  if (!plan.ok()) return 0;
  CheckPlan(*plan, graph->schema());
  RunBatch(graph, std::make_shared<const SamplingPlan>(*std::move(plan)));
  return 0;
}

}  // namespace tributary
