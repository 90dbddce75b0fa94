#include "cli/k8s/render.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/k8s/manifests.h"
#include "cli/k8s/prometheus_query.h"
#include "cli/k8s/tree.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr char kFleet[] = "tributary-sampler";
constexpr char kPartitionLabel[] = "tributary.io/partition";
constexpr char kListName[] = "tributary-graphs";
constexpr char kCertificatesFile[] = "tls.yaml";

// A JSON patch of k8s/components/tls-samplers, which kustomize applies.
struct TlsPatch {
  const char* kind;  // of the fleet's resources that it changes
  const char* file;  // that it is written to
  const char* text;
};

constexpr TlsPatch kTlsPatches[] = {
    {"Deployment", "tls-deployment.yaml", kTlsDeploymentPatch},
    {"Service", "tls-service.yaml", kTlsServicePatch},
    {"PodMonitor", "tls-pod-monitor.yaml", kTlsPodMonitorPatch},
};

// One Deployment of the fleet.
struct Owners {
  std::string name;        // of the Deployment, its budget and its autoscaler
  std::string partitions;  // value of --partitions, and of the label
  std::string file;        // that it is written to
  std::string list;        // its key in the ConfigMap of graphs
};

std::vector<Owners> AllOwners(const SamplerValues& values) {
  if (values.placement == PodPlacement::kWhole) {
    return {{kFleet, "all", "whole.yaml", "all.txt"}};
  }
  uint32_t count = 0;
  for (const VolumeGraph& graph : values.graphs) {
    count = std::max(count, graph.partitions);
  }
  std::vector<Owners> all;
  for (uint32_t part = 0; part < count; ++part) {
    all.push_back({absl::StrCat(kFleet, "-p", part), absl::StrCat(part),
                   absl::StrCat("partition-", part, ".yaml"),
                   absl::StrCat("partition-", part, ".txt")});
  }
  return all;
}

// The file of --graph for each of the owners: a graph with fewer partitions has
// no line where it has no such partition.
YAML::Node GraphLists(const SamplerValues& values,
                      const std::vector<Owners>& all) {
  YAML::Node map;
  map["apiVersion"] = "v1";
  map["kind"] = "ConfigMap";
  map["metadata"]["name"] = kListName;
  map["metadata"]["labels"]["app.kubernetes.io/name"] = kFleet;
  for (uint32_t i = 0; i < all.size(); ++i) {
    std::string lines;
    for (const VolumeGraph& graph : values.graphs) {
      if (values.placement == PodPlacement::kSharded && i >= graph.partitions) {
        continue;
      }
      absl::StrAppend(&lines, graph.folder, " ", all[i].partitions, "\n");
    }
    map["data"][all[i].list] = lines;
  }
  return map;
}

absl::Status SetResources(const SamplerValues& values, YAML::Node container) {
  ASSIGN_OR_RETURN(YAML::Node cpu,
                   At(container, {"resources", "requests", "cpu"}));
  SetText(cpu, values.cpu);
  for (const char* kind : {"requests", "limits"}) {
    ASSIGN_OR_RETURN(YAML::Node memory,
                     At(container, {"resources", kind, "memory"}));
    SetText(memory, values.memory);
  }
  return absl::OkStatus();
}

absl::Status SetArguments(const SamplerValues& values, const Owners& owners,
                          YAML::Node container) {
  ASSIGN_OR_RETURN(YAML::Node args, At(container, {"args"}));
  RETURN_IF_ERROR(
      SetFlag(args, "--graph", absl::StrCat("file:/config/", owners.list)));
  RETURN_IF_ERROR(SetFlag(args, "--partitions", owners.partitions));
  RETURN_IF_ERROR(SetFlag(args, "--memory-budget", values.memory_budget));
  RETURN_IF_ERROR(SetFlag(args, "--tensor-memory", values.tensor_memory));
  RETURN_IF_ERROR(SetFlag(args, "--feature-memory", values.feature_memory));
  if (!values.job_weights.empty()) {
    args.push_back(TextNode("--job-weights=" + values.job_weights));
  }
  return absl::OkStatus();
}

// Mounts the lists of graphs at /config. The whole ConfigMap is mounted, for a
// single key would never change in a running pod.
absl::Status MountLists(YAML::Node pod, YAML::Node container) {
  YAML::Node volume;
  volume["name"] = "config";
  volume["configMap"]["name"] = kListName;
  ASSIGN_OR_RETURN(YAML::Node volumes, At(pod, {"volumes"}));
  volumes.push_back(volume);
  YAML::Node mount;
  mount["name"] = "config";
  mount["mountPath"] = "/config";
  mount["readOnly"] = true;
  ASSIGN_OR_RETURN(YAML::Node mounts, At(container, {"volumeMounts"}));
  mounts.push_back(mount);
  return absl::OkStatus();
}

// Makes `volume` one of the pod's own, as `wanted` states.
absl::Status SetOwnVolume(const FetchedGraph& fetch, YAML::Node wanted,
                          YAML::Node volume) {
  ASSIGN_OR_RETURN(YAML::Node claim,
                   At(wanted, {"ephemeral", "volumeClaimTemplate", "spec"}));
  ASSIGN_OR_RETURN(YAML::Node storage,
                   At(claim, {"resources", "requests", "storage"}));
  SetText(storage, fetch.storage);
  if (!fetch.storage_class.empty()) {
    claim["storageClassName"] = TextNode(fetch.storage_class);
  }
  ASSIGN_OR_RETURN(const YAML::Node ephemeral, At(wanted, {"ephemeral"}));
  volume.remove("persistentVolumeClaim");
  volume["ephemeral"] = ephemeral;
  return absl::OkStatus();
}

// Adds the init container of k8s/components/fetch-graph, and its volume.
absl::Status FetchGraph(const SamplerValues& values, const Owners& owners,
                        YAML::Node pod) {
  const FetchedGraph& fetch = *values.fetch;
  ASSIGN_OR_RETURN(const YAML::Node patch, ParseManifest(kFetchGraphManifest));
  ASSIGN_OR_RETURN(const YAML::Node wanted,
                   At(patch, {"spec", "template", "spec"}));
  ASSIGN_OR_RETURN(YAML::Node init, At(wanted, {"initContainers"}));
  ASSIGN_OR_RETURN(YAML::Node container, At(init, {"fetch-graph"}));
  ASSIGN_OR_RETURN(YAML::Node image, At(container, {"image"}));
  SetText(image, values.tools_image);
  YAML::Node args;
  args.push_back(TextNode("get"));
  args.push_back(TextNode(fetch.url));
  args.push_back(TextNode(values.graphs.front().folder));
  args.push_back(TextNode("--partitions=" + owners.partitions));
  if (!fetch.endpoint.empty()) {
    args.push_back(TextNode("--endpoint=" + fetch.endpoint));
  }
  container["args"] = args;
  ASSIGN_OR_RETURN(const YAML::Node env, At(container, {"env"}));
  for (const YAML::Node& variable : env) {
    ASSIGN_OR_RETURN(YAML::Node secret,
                     At(variable, {"valueFrom", "secretKeyRef", "name"}));
    SetText(secret, fetch.secret);
  }
  pod["initContainers"] = init;
  ASSIGN_OR_RETURN(YAML::Node volume, At(pod, {"volumes", "graphs"}));
  ASSIGN_OR_RETURN(YAML::Node own, At(wanted, {"volumes", "graphs"}));
  return SetOwnVolume(fetch, own, volume);
}

absl::Status SetVolume(const SamplerValues& values, const Owners& owners,
                       YAML::Node pod) {
  if (values.fetch) return FetchGraph(values, owners, pod);
  ASSIGN_OR_RETURN(
      YAML::Node claim,
      At(pod, {"volumes", "graphs", "persistentVolumeClaim", "claimName"}));
  SetText(claim, values.claim);
  return absl::OkStatus();
}

// Other Prometheus servers than the Operator's go by the annotation. One that
// follows both would have each server twice, and the fleet would be doubled.
absl::Status SetScrapeAnnotation(const SamplerValues& values, YAML::Node root) {
  ASSIGN_OR_RETURN(YAML::Node scrape,
                   At(root, {"spec", "template", "metadata", "annotations",
                             "prometheus.io/scrape"}));
  SetText(scrape, values.pod_monitor ? "false" : "true");
  return absl::OkStatus();
}

// Parses a manifest and gives it the name and the label of `owners`.
absl::StatusOr<YAML::Node> NamedManifest(const char* text,
                                         const Owners& owners) {
  ASSIGN_OR_RETURN(YAML::Node root, ParseManifest(text));
  ASSIGN_OR_RETURN(YAML::Node name, At(root, {"metadata", "name"}));
  SetText(name, owners.name);
  if (SetEverywhere(root, kPartitionLabel, owners.partitions) > 0) return root;
  return absl::InternalError(
      absl::StrCat("an embedded manifest has no label ", kPartitionLabel));
}

absl::StatusOr<YAML::Node> RenderDeployment(const SamplerValues& values,
                                            const Owners& owners) {
  ASSIGN_OR_RETURN(YAML::Node root, NamedManifest(kDeploymentManifest, owners));
  if (!values.autoscaler) root["spec"]["replicas"] = values.min_replicas;
  ASSIGN_OR_RETURN(YAML::Node pod, At(root, {"spec", "template", "spec"}));
  ASSIGN_OR_RETURN(YAML::Node container, At(pod, {"containers", "sampler"}));
  ASSIGN_OR_RETURN(YAML::Node image, At(container, {"image"}));
  SetText(image, values.sampler_image);
  RETURN_IF_ERROR(SetResources(values, container));
  RETURN_IF_ERROR(SetArguments(values, owners, container));
  RETURN_IF_ERROR(MountLists(pod, container));
  RETURN_IF_ERROR(SetVolume(values, owners, pod));
  RETURN_IF_ERROR(SetScrapeAnnotation(values, root));
  return root;
}

absl::Status SetTrigger(const SamplerValues& values, const Owners& owners,
                        YAML::Node trigger) {
  ASSIGN_OR_RETURN(YAML::Node metadata, At(trigger, {"metadata"}));
  ASSIGN_OR_RETURN(YAML::Node address, At(metadata, {"serverAddress"}));
  SetText(address, values.prometheus);
  ASSIGN_OR_RETURN(YAML::Node query, At(metadata, {"query"}));
  ASSIGN_OR_RETURN(std::string text,
                   SetMatchers(query.Scalar(), "namespace", values.name_space));
  // Servers are named by what they own, or by their Deployment.
  if (absl::StrContains(text, "deployment=")) {
    ASSIGN_OR_RETURN(text, SetMatchers(text, "deployment", owners.name));
  } else {
    ASSIGN_OR_RETURN(text, SetMatchers(text, "partitions", owners.partitions));
  }
  SetText(query, text);
  return absl::OkStatus();
}

absl::StatusOr<YAML::Node> RenderScaledObject(const SamplerValues& values,
                                              const Owners& owners) {
  ASSIGN_OR_RETURN(YAML::Node root,
                   NamedManifest(kScaledObjectManifest, owners));
  ASSIGN_OR_RETURN(YAML::Node target,
                   At(root, {"spec", "scaleTargetRef", "name"}));
  SetText(target, owners.name);
  ASSIGN_OR_RETURN(YAML::Node min, At(root, {"spec", "minReplicaCount"}));
  SetNumber(min, values.min_replicas);
  ASSIGN_OR_RETURN(YAML::Node max, At(root, {"spec", "maxReplicaCount"}));
  SetNumber(max, values.max_replicas);
  ASSIGN_OR_RETURN(YAML::Node triggers, At(root, {"spec", "triggers"}));
  for (const YAML::Node& trigger : triggers) {
    RETURN_IF_ERROR(SetTrigger(values, owners, trigger));
  }
  return root;
}

absl::StatusOr<std::string> RenderOwners(const SamplerValues& values,
                                         const Owners& owners) {
  std::vector<YAML::Node> documents;
  ASSIGN_OR_RETURN(const YAML::Node deployment,
                   RenderDeployment(values, owners));
  documents.push_back(deployment);
  // With one replica a budget would block the draining of its node for ever.
  if (values.min_replicas > 1) {
    ASSIGN_OR_RETURN(const YAML::Node budget,
                     NamedManifest(kDisruptionBudgetManifest, owners));
    documents.push_back(budget);
  }
  if (values.autoscaler) {
    ASSIGN_OR_RETURN(const YAML::Node scaled,
                     RenderScaledObject(values, owners));
    documents.push_back(scaled);
  }
  return kRenderedMark + WriteDocuments(documents);
}

absl::StatusOr<YAML::Node> RenderNetworkPolicy(const SamplerValues& values) {
  ASSIGN_OR_RETURN(YAML::Node root, ParseManifest(kNetworkPolicyManifest));
  if (SetEverywhere(root, "kubernetes.io/metadata.name",
                    values.prometheus_namespace) > 0) {
    return root;
  }
  return absl::InternalError("the embedded network policy has no namespace");
}

// The alerts of the fleets in one namespace. Those that are about no fleet ask
// for none.
absl::StatusOr<YAML::Node> RenderAlerts(const SamplerValues& values) {
  ASSIGN_OR_RETURN(YAML::Node root, ParseManifest(kAlertsManifest));
  ASSIGN_OR_RETURN(const YAML::Node groups, At(root, {"spec", "groups"}));
  for (const YAML::Node& group : groups) {
    ASSIGN_OR_RETURN(const YAML::Node rules, At(group, {"rules"}));
    for (const YAML::Node& rule : rules) {
      ASSIGN_OR_RETURN(YAML::Node query, At(rule, {"expr"}));
      if (!absl::StrContains(query.Scalar(), "namespace=")) continue;
      ASSIGN_OR_RETURN(
          const std::string text,
          SetMatchers(query.Scalar(), "namespace", values.name_space));
      SetText(query, text);
    }
  }
  return root;
}

absl::StatusOr<std::string> RenderShared(const SamplerValues& values,
                                         const std::vector<Owners>& all) {
  std::vector<YAML::Node> documents;
  ASSIGN_OR_RETURN(const YAML::Node service, ParseManifest(kServiceManifest));
  documents.push_back(service);
  ASSIGN_OR_RETURN(const YAML::Node policy, RenderNetworkPolicy(values));
  documents.push_back(policy);
  if (values.pod_monitor) {
    ASSIGN_OR_RETURN(const YAML::Node monitor,
                     ParseManifest(kPodMonitorManifest));
    documents.push_back(monitor);
    ASSIGN_OR_RETURN(const YAML::Node alerts, RenderAlerts(values));
    documents.push_back(alerts);
  }
  documents.push_back(GraphLists(values, all));
  return kRenderedMark + WriteDocuments(documents);
}

// Has kustomize apply the patches.
void AddTls(YAML::Node kustomization) {
  kustomization["resources"].push_back(kCertificatesFile);
  for (const TlsPatch& patch : kTlsPatches) {
    YAML::Node entry;
    entry["target"]["kind"] = patch.kind;
    entry["target"]["labelSelector"] =
        absl::StrCat("app.kubernetes.io/name=", kFleet);
    entry["path"] = patch.file;
    kustomization["patches"].push_back(entry);
  }
}

std::string RenderKustomization(const SamplerValues& values,
                                const std::vector<Owners>& all) {
  YAML::Node root;
  root["apiVersion"] = "kustomize.config.k8s.io/v1beta1";
  root["kind"] = "Kustomization";
  root["namespace"] = TextNode(values.name_space);
  YAML::Node label;
  label["pairs"]["app.kubernetes.io/part-of"] = "tributary";
  label["includeTemplates"] = true;
  root["labels"].push_back(label);
  root["resources"].push_back("samplers.yaml");
  for (const Owners& owners : all) root["resources"].push_back(owners.file);
  if (values.tls) AddTls(root);
  return kRenderedMark + WriteDocuments({root});
}

}  // namespace

size_t CountDeployments(const SamplerValues& values) {
  return AllOwners(values).size();
}

absl::StatusOr<RenderedFiles> RenderSamplers(const SamplerValues& values) {
  const std::vector<Owners> all = AllOwners(values);
  RenderedFiles files;
  files["kustomization.yaml"] = RenderKustomization(values, all);
  ASSIGN_OR_RETURN(files["samplers.yaml"], RenderShared(values, all));
  for (const Owners& owners : all) {
    ASSIGN_OR_RETURN(files[owners.file], RenderOwners(values, owners));
  }
  if (values.tls) {
    files[kCertificatesFile] = absl::StrCat(kRenderedMark, kTlsCertificates);
    for (const TlsPatch& patch : kTlsPatches) {
      files[patch.file] = absl::StrCat(kRenderedMark, patch.text);
    }
  }
  return files;
}

}  // namespace tributary
