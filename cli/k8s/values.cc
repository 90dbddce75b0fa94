#include "cli/k8s/values.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "cli/k8s/image_reference.h"
#include "cli/k8s/map_reader.h"
#include "cli/k8s/quantity.h"
#include "common/io/file_mapping.h"
#include "common/text/parse_byte_size.h"
#include "common/text/status.h"
#include "partition/format/graph_bytes.h"
#include "partition/schema/feature_memory.h"
#include "partition/schema/schema.h"
#include "partition/schema/schema_check.h"
#include "sampler_server/jobs/job_weights.h"

namespace tributary {
namespace {

constexpr size_t kMostValueBytes = size_t{1} << 20;
constexpr size_t kMostSchemaBytes = size_t{1} << 28;
constexpr uint32_t kMostReplicas = 1000;
// What a pod needs beside the graph and the memory of batches and rows.
constexpr uint64_t kProgramBytes = uint64_t{512} << 20;

bool IsName(absl::string_view text) {
  const auto is_inner = [](char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-';
  };
  return !text.empty() && text.size() <= 63 && text.front() != '-' &&
         text.back() != '-' && std::all_of(text.begin(), text.end(), is_inner);
}

// Characters that a list of graphs, a shell or an argument takes as they are.
bool IsPath(absl::string_view text) {
  const auto is_part = [](char c) {
    return absl::ascii_isalnum(c) || absl::StrContains("._-/=+", c);
  };
  return std::all_of(text.begin(), text.end(), is_part);
}

bool IsFolder(absl::string_view text) {
  return absl::StartsWith(text, "/graphs/") && text.size() > 8 &&
         text.back() != '/' && !absl::StrContains(text, "..") && IsPath(text);
}

bool IsUrl(absl::string_view text) {
  const auto is_part = [](char c) { return absl::ascii_isgraph(c); };
  return (absl::StartsWith(text, "http://") ||
          absl::StartsWith(text, "https://")) &&
         text.back() != '/' && std::all_of(text.begin(), text.end(), is_part);
}

bool IsBucket(absl::string_view text) {
  return absl::StartsWith(text, "s3://") && text.size() > 5 &&
         text.back() != '/' && IsPath(text.substr(5));
}

bool IsMemory(absl::string_view text) {
  return BytesOfQuantity(text).value_or(0) > 0;
}

bool IsCpu(absl::string_view text) { return CoresOfQuantity(text).has_value(); }

bool IsByteSize(absl::string_view text) {
  return ParseByteSize(std::string(text)).ok();
}

// Reads a text for which `is_allowed` holds.
absl::Status ReadChecked(const MapReader& map, const std::string& key,
                         bool (*is_allowed)(absl::string_view),
                         absl::string_view allowed, std::string* out) {
  if (!map.Has(key)) return absl::OkStatus();
  RETURN_IF_ERROR(map.Text(key, out));
  return is_allowed(*out) ? absl::OkStatus() : map.Refuse(key, allowed);
}

constexpr char kAllowedName[] = "lower-case letters, digits and -";
constexpr char kAllowedQuantity[] = "a quantity above 0, such as 512Mi or 4Gi";
constexpr char kAllowedSize[] = "a size such as 512MB or 4GB";

absl::Status ReadPlacement(const MapReader& map, SamplerValues* out) {
  std::string name = "sharded";
  RETURN_IF_ERROR(map.Text("placement", &name));
  if (name != "sharded" && name != "whole") {
    return map.Refuse("placement", "sharded or whole");
  }
  out->placement =
      name == "whole" ? PodPlacement::kWhole : PodPlacement::kSharded;
  return absl::OkStatus();
}

absl::Status ReadImages(const MapReader& map, SamplerValues* out) {
  if (!map.Has("images")) return map.Missing("images", "sampler, tools");
  ASSIGN_OR_RETURN(const MapReader images,
                   map.Map("images", {"sampler", "tools"}));
  RETURN_IF_ERROR(ReadChecked(images, "sampler", IsImageReference,
                              kAllowedImage, &out->sampler_image));
  RETURN_IF_ERROR(ReadChecked(images, "tools", IsImageReference, kAllowedImage,
                              &out->tools_image));
  if (out->sampler_image.empty()) {
    return images.Missing("sampler", kAllowedImage);
  }
  if (out->fetch && out->tools_image.empty()) {
    return images.Missing("tools", "the image that fetches the graph");
  }
  return absl::OkStatus();
}

absl::Status ReadGraph(const MapReader& map, bool is_measured,
                       SamplerValues* out) {
  constexpr char kAllowed[] = "a folder below /graphs, such as /graphs/main";
  VolumeGraph graph;
  RETURN_IF_ERROR(
      ReadChecked(map, "folder", IsFolder, kAllowed, &graph.folder));
  if (graph.folder.empty()) return map.Missing("folder", kAllowed);
  for (const VolumeGraph& other : out->graphs) {
    if (other.folder != graph.folder) continue;
    return map.Refuse("folder", "each folder once");
  }
  RETURN_IF_ERROR(
      map.Whole("partitions", 1, kMaxPartitions, &graph.partitions));
  if (graph.partitions == 0 && !is_measured &&
      out->placement == PodPlacement::kSharded) {
    return map.Missing("partitions",
                       "the graph's number of partitions, or --graph");
  }
  out->graphs.push_back(std::move(graph));
  return absl::OkStatus();
}

absl::Status ReadGraphs(const MapReader& map, const MeasuredGraph* measured,
                        SamplerValues* out) {
  if (!map.Has("graphs")) return map.Missing("graphs", "a list of folders");
  ASSIGN_OR_RETURN(const auto graphs,
                   map.List("graphs", {"folder", "partitions"}));
  for (const MapReader& graph : graphs) {
    const bool is_measured = measured != nullptr && &graph == &graphs.back();
    RETURN_IF_ERROR(ReadGraph(graph, is_measured, out));
  }
  if (out->fetch && graphs.size() > 1) {
    return map.Refuse("graphs",
                      "one graph with volume.fetch, which runs when a pod "
                      "starts; or several in volume.claim");
  }
  if (measured != nullptr) out->graphs.back().partitions = measured->partitions;
  return absl::OkStatus();
}

absl::Status ReadFetch(const MapReader& map, SamplerValues* out) {
  FetchedGraph fetch;
  RETURN_IF_ERROR(
      ReadChecked(map, "url", IsBucket, "s3://BUCKET/PREFIX", &fetch.url));
  if (fetch.url.empty()) return map.Missing("url", "s3://BUCKET/PREFIX");
  RETURN_IF_ERROR(ReadChecked(map, "endpoint", IsUrl,
                              "http://HOST:PORT or https://HOST",
                              &fetch.endpoint));
  RETURN_IF_ERROR(
      ReadChecked(map, "secret", IsName, kAllowedName, &fetch.secret));
  RETURN_IF_ERROR(
      ReadChecked(map, "storage", IsMemory, kAllowedQuantity, &fetch.storage));
  RETURN_IF_ERROR(ReadChecked(map, "storageClass", IsName, kAllowedName,
                              &fetch.storage_class));
  out->fetch = std::move(fetch);
  return absl::OkStatus();
}

absl::Status ReadVolume(const MapReader& map, SamplerValues* out) {
  if (!map.Has("volume")) return absl::OkStatus();
  ASSIGN_OR_RETURN(const MapReader volume,
                   map.Map("volume", {"claim", "fetch"}));
  RETURN_IF_ERROR(
      ReadChecked(volume, "claim", IsName, kAllowedName, &out->claim));
  if (!volume.Has("fetch")) return absl::OkStatus();
  if (volume.Has("claim")) {
    return volume.Refuse("claim", "either claim or fetch");
  }
  ASSIGN_OR_RETURN(const MapReader fetch,
                   volume.Map("fetch", {"url", "endpoint", "secret", "storage",
                                        "storageClass"}));
  return ReadFetch(fetch, out);
}

absl::Status ReadReplicas(const MapReader& map, SamplerValues* out) {
  if (!map.Has("replicas")) return absl::OkStatus();
  ASSIGN_OR_RETURN(const MapReader replicas,
                   map.Map("replicas", {"min", "max"}));
  RETURN_IF_ERROR(replicas.Whole("min", 1, kMostReplicas, &out->min_replicas));
  RETURN_IF_ERROR(replicas.Whole("max", 1, kMostReplicas, &out->max_replicas));
  if (out->max_replicas >= out->min_replicas) return absl::OkStatus();
  return replicas.Refuse(
      replicas.Has("max") ? "max" : "min",
      absl::StrCat("min (", out->min_replicas, ") is at most max (",
                   out->max_replicas, ")"));
}

absl::Status ReadAutoscaler(const MapReader& map, SamplerValues* out) {
  RETURN_IF_ERROR(map.Flag("autoscaler", &out->autoscaler));
  RETURN_IF_ERROR(map.Flag("podMonitor", &out->pod_monitor));
  RETURN_IF_ERROR(ReadChecked(map, "prometheus", IsUrl,
                              "http://HOST:PORT or https://HOST",
                              &out->prometheus));
  return ReadChecked(map, "prometheusNamespace", IsName, kAllowedName,
                     &out->prometheus_namespace);
}

absl::Status ReadTls(const MapReader& map, SamplerValues* out) {
  std::string name = "none";
  RETURN_IF_ERROR(map.Text("tls", &name));
  if (name != "none" && name != "cert-manager") {
    return map.Refuse("tls", "none or cert-manager");
  }
  out->tls = name == "cert-manager";
  return absl::OkStatus();
}

// The memory of batches, of tensors with a quarter more for open rounds, and
// what the program itself needs.
uint64_t BytesBesideGraph(const SamplerValues& values) {
  return *ParseByteSize(values.memory_budget) +
         *ParseByteSize(values.tensor_memory) / 4 * 5 + kProgramBytes;
}

absl::Status CheckMemory(const MapReader& resources,
                         const SamplerValues& values) {
  const uint64_t needed = BytesBesideGraph(values);
  if (*BytesOfQuantity(values.memory) >= needed) return absl::OkStatus();
  const std::string allowed =
      absl::StrCat("at least ", GibibytesFor(needed),
                   ": memoryBudget, 1.25 x tensorMemory and 512Mi, without the "
                   "graph");
  return resources.Has("memory") ? resources.Refuse("memory", allowed)
                                 : resources.Missing("memory", allowed);
}

absl::Status ReadServing(const MapReader& resources, SamplerValues* out) {
  RETURN_IF_ERROR(resources.Text("featureMemory", &out->feature_memory));
  if (!ParseFeatureMemory(out->feature_memory).ok()) {
    return resources.Refuse("featureMemory", "auto, resident or paged");
  }
  RETURN_IF_ERROR(resources.Text("jobWeights", &out->job_weights));
  if (!out->job_weights.empty() && !JobWeights::Parse(out->job_weights).ok()) {
    return resources.Refuse("jobWeights", "train-a=4,train-b=1,*=1");
  }
  return absl::OkStatus();
}

absl::Status ReadResources(const MapReader& map, const MeasuredGraph* measured,
                           SamplerValues* out) {
  if (!map.Has("resources")) {
    return map.Missing("resources",
                       "cpu, memory and what else the values "
                       "file of k8s/values explains");
  }
  ASSIGN_OR_RETURN(
      const MapReader resources,
      map.Map("resources", {"cpu", "memory", "memoryBudget", "tensorMemory",
                            "featureMemory", "jobWeights"}));
  RETURN_IF_ERROR(ReadChecked(
      resources, "cpu", IsCpu,
      "cores above 0, up to 1024, such as 2, 0.5 or 1500m", &out->cpu));
  RETURN_IF_ERROR(ReadChecked(resources, "memory", IsMemory, kAllowedQuantity,
                              &out->memory));
  RETURN_IF_ERROR(ReadChecked(resources, "memoryBudget", IsByteSize,
                              kAllowedSize, &out->memory_budget));
  RETURN_IF_ERROR(ReadChecked(resources, "tensorMemory", IsByteSize,
                              kAllowedSize, &out->tensor_memory));
  if (measured != nullptr && !resources.Has("memory")) {
    if (out->graphs.size() > 1) {
      return resources.Missing("memory",
                               "the memory of all graphs together, since "
                               "--graph measures one of several");
    }
    const uint64_t graph = out->placement == PodPlacement::kWhole
                               ? measured->bytes_of_all
                               : measured->bytes_of_one;
    out->memory = GibibytesFor(graph + BytesBesideGraph(*out));
  }
  RETURN_IF_ERROR(CheckMemory(resources, *out));
  return ReadServing(resources, out);
}

}  // namespace

absl::StatusOr<MeasuredGraph> MeasureGraph(const std::string& folder) {
  ASSIGN_OR_RETURN(const std::string json,
                   ReadFile(folder + "/graph.json", kMostSchemaBytes));
  ASSIGN_OR_RETURN(const GraphSchema schema, GraphSchema::FromJson(json));
  MeasuredGraph graph;
  graph.partitions = schema.num_partitions;
  std::vector<uint32_t> all;
  for (uint32_t part = 0; part < schema.num_partitions; ++part) {
    const GraphBytes bytes = GraphBytesOf(schema, {part});
    graph.bytes_of_one =
        std::max(graph.bytes_of_one, bytes.features + bytes.rest);
    all.push_back(part);
  }
  const GraphBytes bytes = GraphBytesOf(schema, all);
  graph.bytes_of_all = bytes.features + bytes.rest;
  return graph;
}

absl::StatusOr<SamplerValues> ParseValues(const std::string& text,
                                          const std::string& file,
                                          const MeasuredGraph* graph) {
  ASSIGN_OR_RETURN(
      const MapReader map,
      MapReader::Parse(
          text, file,
          {"placement", "namespace", "images", "graphs", "volume", "replicas",
           "autoscaler", "prometheus", "prometheusNamespace", "podMonitor",
           "tls", "resources"}));
  SamplerValues values;
  RETURN_IF_ERROR(ReadPlacement(map, &values));
  RETURN_IF_ERROR(
      ReadChecked(map, "namespace", IsName, kAllowedName, &values.name_space));
  RETURN_IF_ERROR(ReadVolume(map, &values));
  RETURN_IF_ERROR(ReadImages(map, &values));
  RETURN_IF_ERROR(ReadGraphs(map, graph, &values));
  RETURN_IF_ERROR(ReadReplicas(map, &values));
  RETURN_IF_ERROR(ReadAutoscaler(map, &values));
  RETURN_IF_ERROR(ReadTls(map, &values));
  RETURN_IF_ERROR(ReadResources(map, graph, &values));
  return values;
}

absl::StatusOr<SamplerValues> ReadValues(const std::string& path,
                                         const MeasuredGraph* graph) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMostValueBytes));
  return ParseValues(text, path, graph);
}

}  // namespace tributary
