#include "cli/k8s/k8s_command.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <optional>
#include <string>

#include "cli/k8s/render.h"
#include "cli/k8s/rendered_folder.h"
#include "cli/k8s/values.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr char kFooter[] =
    R"(k8s/values/sharded.yaml is an example that explains every value. The folder is
replaced if an earlier rendering wrote it, and refused if anything else did. With
--graph the number of partitions of the last graph comes from its graph.json, and
so does the memory of a pod unless the values state resources.memory.
Examples:
  tributary k8s render --values k8s/values/sharded.yaml --out rendered
  tributary k8s render --values mine.yaml --out rendered --graph products.graph
  kubectl apply -k rendered)";

class K8sCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand(
        "k8s", "Write manifests for a fleet of samplers on Kubernetes.");
    app->require_subcommand(1);
    CLI::App* render = app->add_subcommand(
        "render",
        "Write a kustomization: a Deployment, an autoscaler and a disruption "
        "budget for each partition, or one of all partitions.");
    render->add_option("--values", values_, "YAML file of the fleet's values")
        ->required();
    render->add_option("--out", out_, "Folder to write")->required();
    render->add_option("--graph", graph_,
                       "Graph folder that the fleet is to serve");
    render->footer(kFooter);
    return app;
  }

  absl::Status Run(SignalWatcher&) override {
    if (out_.empty()) {
      return UsageError(
          "--out \"\"\nallowed: a folder that does not exist, or "
          "an earlier rendering");
    }
    std::optional<MeasuredGraph> graph;
    if (!graph_.empty()) {
      ASSIGN_OR_RETURN(graph, MeasureGraph(graph_));
    }
    ASSIGN_OR_RETURN(const SamplerValues values,
                     ReadValues(values_, graph ? &*graph : nullptr));
    ASSIGN_OR_RETURN(const RenderedFiles files, RenderSamplers(values));
    RETURN_IF_ERROR(WriteRenderedFolder(out_, files));
    std::printf("rendered deployments=%zu namespace=%s out=%s\n",
                CountDeployments(values), values.name_space.c_str(),
                out_.c_str());
    return absl::OkStatus();
  }

 private:
  std::string values_;
  std::string out_;
  std::string graph_;
};

}  // namespace

std::unique_ptr<Command> MakeK8sCommand() {
  return std::make_unique<K8sCommand>();
}

}  // namespace tributary
