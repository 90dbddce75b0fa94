#include "sampler_server/server/graph_metrics.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

namespace tributary {
namespace {

struct GraphGauge {
  const char* name;
  const char* help;
  double (*value)(const GraphState& graph);
  bool sum;  // over the layouts of a version; else the largest
};

constexpr std::array<GraphGauge, 3> kGauges = {{
    {"tributary_graph_batches_active",
     "Batches of a graph that is served, queued, being made or sent",
     [](const GraphState& graph) { return static_cast<double>(graph.active); },
     true},
    {"tributary_graph_damaged",
     "1 if bytes of a mapped file of the graph were lost: it is served no "
     "longer",
     [](const GraphState& graph) { return graph.damage.ok() ? 0.0 : 1.0; },
     false},
    {"tributary_partitions_without_owner",
     "Partitions of the graph that neither this server nor a peer that "
     "answers it has",
     [](const GraphState& graph) {
       return static_cast<double>(graph.num_unowned);
     },
     false},
}};

}  // namespace

void GraphMetrics::Update(const std::vector<GraphState>& graphs) {
  std::map<std::string, std::array<double, kGauges.size()>> values;
  for (const GraphState& graph : graphs) {
    auto& of_graph = values[graph.name];
    for (size_t i = 0; i < kGauges.size(); ++i) {
      const double value = kGauges[i].value(graph);
      of_graph[i] =
          kGauges[i].sum ? of_graph[i] + value : std::max(of_graph[i], value);
    }
  }
  MutexLock lock(mutex_);
  for (const std::string& name : exported_) {
    if (values.contains(name)) continue;
    for (const GraphGauge& gauge : kGauges) {
      metrics_->RemoveGauge(gauge.name, gauge.help, {{"graph", name}});
    }
  }
  exported_.clear();
  for (const auto& [name, of_graph] : values) {
    for (size_t i = 0; i < kGauges.size(); ++i) {
      metrics_->AddGauge(kGauges[i].name, kGauges[i].help, {{"graph", name}})
          .Set(of_graph[i]);
    }
    exported_.insert(name);
  }
}

}  // namespace tributary
