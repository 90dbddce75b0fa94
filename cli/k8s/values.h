// The values of a fleet of samplers on Kubernetes, read from a file.
#ifndef TRIBUTARY_CLI_K8S_VALUES_H_
#define TRIBUTARY_CLI_K8S_VALUES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tributary {

// Which partitions a pod serves.
enum class PodPlacement {
  kWhole,    // all of them: one Deployment
  kSharded,  // one: a Deployment for each partition
};

// A folder in the volume of graphs.
struct VolumeGraph {
  std::string folder;
  uint32_t partitions = 0;  // not used by kWhole
};

// Where each pod gets the graph from, where no volume is shared.
struct FetchedGraph {
  std::string url;                                // s3://BUCKET/PREFIX
  std::string endpoint;                           // empty: that of AWS
  std::string secret = "tributary-object-store";  // with the access keys
  std::string storage = "100Gi";                  // size of a pod's volume
  std::string storage_class;                      // empty: the default class
};

// k8s/values/sharded.yaml explains each; the defaults are those of
// k8s/base/samplers.
struct SamplerValues {
  PodPlacement placement = PodPlacement::kSharded;
  std::string name_space = "tributary";
  std::string sampler_image;
  std::string tools_image;  // only with `fetch`
  std::vector<VolumeGraph> graphs;
  std::string claim = "tributary-graph";
  std::optional<FetchedGraph> fetch;  // instead of `claim`
  uint32_t min_replicas = 2;
  uint32_t max_replicas = 16;
  bool autoscaler = true;
  bool pod_monitor = true;  // and alerts: resources of Prometheus Operator
  std::string prometheus = "http://prometheus-operated.monitoring:9090";
  // The namespace whose pods may read /metrics.
  std::string prometheus_namespace = "monitoring";
  // Certificates of cert-manager and the policy of k8s/base/policy; else
  // --insecure.
  bool tls = false;
  std::string cpu = "2";
  std::string memory = "4Gi";
  std::string memory_budget = "1GB";
  std::string tensor_memory = "512MB";
  std::string feature_memory = "auto";
  std::string job_weights;  // empty: equal shares
};

// The sizes that a graph's folder states.
struct MeasuredGraph {
  uint32_t partitions = 0;
  uint64_t bytes_of_one = 0;  // bytes that a pod maps in kSharded, at most
  uint64_t bytes_of_all = 0;  // and in kWhole
};

// Reads graph.json in `folder`.
absl::StatusOr<MeasuredGraph> MeasureGraph(const std::string& folder);

// Returns the values in `text`, the contents of `file`. `graph`, if not null,
// sets the partitions of the last graph and, where the values state no memory,
// the memory of a pod. INVALID_ARGUMENT names the line, the key and what is
// allowed.
absl::StatusOr<SamplerValues> ParseValues(const std::string& text,
                                          const std::string& file,
                                          const MeasuredGraph* graph);
// Does the same for the contents of a file.
absl::StatusOr<SamplerValues> ReadValues(const std::string& path,
                                         const MeasuredGraph* graph);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_K8S_VALUES_H_
