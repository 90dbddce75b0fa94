#include "trainer_client/torch/command/plan_text.h"

#include <array>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace tributary {
namespace {

// Returns "user 60, item 90".
std::string Counts(
    const std::vector<std::pair<std::string, int64_t>>& by_type) {
  return absl::StrJoin(by_type, ", ", [](std::string* out, const auto& of) {
    absl::StrAppend(out, of.first, " ", of.second);
  });
}

void Line(std::string& text, const std::string& name,
          const std::string& value) {
  absl::StrAppendFormat(&text, "  %-10s  %s\n", name, value);
}

void AddPass(std::string& text, const PassPlan& pass) {
  Line(text, pass.name,
       absl::StrFormat("%d inputs, %d batches, %d rounds a pass", pass.inputs,
                       pass.batches, pass.rounds));
  Line(text, "",
       absl::StrFormat("batch 0 as sampled: %d nodes, %d edges, %s; a pass at "
                       "that size %s",
                       pass.batch_nodes, pass.batch_edges,
                       BytesText(pass.batch_bytes),
                       BytesText(pass.pass_bytes())));
}

std::string ReceiveText(const TrainPlan& plan, const PlanSettings& settings) {
  const uint64_t loaders = plan.passes.size();
  std::string text = absl::StrFormat(
      "%d loaders of %s (--buffer-size) for each rank, together %s", loaders,
      BytesText(settings.buffer_size),
      BytesText(loaders * settings.buffer_size));
  const uint64_t bytes = plan.passes.empty() ? 0 : plan.passes[0].batch_bytes;
  if (bytes == 0) return text;
  const uint64_t room = settings.buffer_size / bytes;
  absl::StrAppendFormat(&text, "; room for %d batches of train", room);
  // One is being used while others come.
  if (room < settings.prefetch_size + 1) {
    absl::StrAppendFormat(&text, ", fewer than --prefetch %d and one in use",
                          settings.prefetch_size);
  }
  return text;
}

}  // namespace

std::string BytesText(uint64_t bytes) {
  constexpr std::array<const char*, 6> kUnits = {"kB", "MB", "GB",
                                                 "TB", "PB", "EB"};
  if (bytes < 1000) return absl::StrCat(bytes, " B");
  double value = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  while (value >= 999.95 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

std::string PlanText(const TrainPlan& plan, const PlanSettings& settings) {
  std::string text = "plan (--dry-run: nothing is trained or written)\n";
  Line(text, "graph", plan.graph);
  Line(text, "nodes", Counts(plan.nodes));
  Line(text, "edges", Counts(plan.edges));
  Line(text, "ranks",
       absl::StrFormat("%d, each with batches of %d inputs", plan.world,
                       settings.batch_size));
  for (const PassPlan& pass : plan.passes) AddPass(text, pass);
  if (!plan.passes.empty()) {
    const PassPlan& train = plan.passes[0];
    Line(text, "steps",
         absl::StrFormat("%d epochs of %d rounds: %d", settings.epochs,
                         train.rounds, settings.epochs * train.rounds));
  }
  Line(text, "collects", settings.columns);
  Line(text, "model",
       absl::StrFormat("%s, %d parameters, %s", settings.model, plan.parameters,
                       BytesText(plan.parameter_bytes)));
  Line(text, "optimizer",
       absl::StrFormat("Adam, %s of state for each rank",
                       BytesText(plan.optimizer_bytes)));
  if (plan.row_bytes > 0) {
    Line(text, "rows",
         absl::StrFormat("%s on the servers, with their optimizer's state",
                         BytesText(plan.row_bytes)));
  }
  Line(text, "checkpoint",
       absl::StrFormat("about %s each", BytesText(plan.checkpoint_bytes)));
  Line(text, "receive", ReceiveText(plan, settings));
  return text;
}

}  // namespace tributary
