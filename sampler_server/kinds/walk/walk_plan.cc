#include "sampler_server/kinds/walk/walk_plan.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "common/session/kinds/walk_spec.h"
#include "common/text/status.h"
#include "sampler_server/engine/plan/spec_error.h"

namespace tributary {
namespace {

constexpr uint64_t kWhole = uint64_t{1} << 32;
// Memory of a walk beside its tensors: its current, previous and next node, and
// questions to peers with their answers; of second-order walks four tries, and
// whether each is a neighbour.
constexpr uint64_t kBytesPerWalk = 128;
constexpr uint64_t kBytesPerSecondOrderWalk = 448;

absl::Status CheckCounts(const v1::WalkSampling& walk, uint64_t batch_size) {
  if (walk.length() < 1 || walk.length() > kMaxWalkLength) {
    return SpecError("walk.length", walk.length(), "; allowed: 1 to ",
                     kMaxWalkLength);
  }
  if (walk.walks_per_input() < 1 || walk.walks_per_input() > kMaxWalksPerNode) {
    return SpecError("walk.walks_per_input", walk.walks_per_input(),
                     "; allowed: 1 to ", kMaxWalksPerNode);
  }
  const uint64_t nodes = (uint64_t{walk.length()} + 1) * walk.walks_per_input();
  if (batch_size <= INT32_MAX / nodes) return absl::OkStatus();
  return SpecError("batch_size", batch_size, " inputs with ", nodes,
                   " nodes on the walks of each; allowed: up to ", INT32_MAX,
                   " nodes a batch");
}

absl::Status CheckShare(const char* field, uint64_t share, uint64_t least) {
  if (share >= least && share <= kWhole) return absl::OkStatus();
  return SpecError(field, share, "; allowed: ", least, " to ", kWhole);
}

}  // namespace

uint64_t WalkPlan::bytes_per_walk() const {
  return second_order() ? kBytesPerSecondOrderWalk : kBytesPerWalk;
}

absl::Status WalkPlan::FillSteps(const GraphSchema& schema,
                                 const v1::WalkSampling& walk,
                                 const SamplingPlan& plan) {
  if (walk.step_types_size() < 1 ||
      walk.step_types_size() > static_cast<int>(kMaxWalkLength)) {
    return SpecError("walk.step_types", walk.step_types_size(),
                     " edge types; allowed: 1 to ", kMaxWalkLength);
  }
  int at = plan.input_type;
  for (const std::string& name : walk.step_types()) {
    const int found = schema.FindEdgeType(name);
    if (found < 0) {
      return SpecError("walk.step_types", "edge type '", name,
                       "'; allowed: ", schema.EdgeTypeNames());
    }
    const EdgeTypeSchema& type = schema.edge_types[found];
    if (type.dst_type != at) {
      return SpecError("walk.step_types", name, " leads from a ", type.dst,
                       " to a ", type.src, ", the walk is at a ",
                       schema.node_types[at].name,
                       "; allowed: types whose destination is where the walk "
                       "stands");
    }
    steps_.push_back({found, type.src_type, type.dst_type});
    at = type.src_type;
  }
  if (steps_.size() < length && at != plan.input_type) {
    return SpecError("walk.step_types", steps_.size(), " types for ", length,
                     " steps end at a ", schema.node_types[at].name,
                     "; allowed: back at a ",
                     schema.node_types[plan.input_type].name,
                     ", to begin anew, or a type for each step");
  }
  return absl::OkStatus();
}

absl::Status WalkPlan::FillShares(const v1::WalkSampling& walk) {
  RETURN_IF_ERROR(CheckShare("walk.restart", walk.restart(), 0));
  restart = walk.restart();
  restart_ends = walk.restart_ends();
  if (restart > 0 && !restart_ends && !stays_in_one_type()) {
    return SpecError("walk.restart",
                     "goes back to the start, whose type a "
                     "walk of several types may not have; allowed: with one "
                     "edge type, or where it ends the walk");
  }
  if (!walk.has_second_order()) return absl::OkStatus();
  const v1::SecondOrder& second = walk.second_order();
  RETURN_IF_ERROR(CheckShare("walk.second_order.back", second.back(), 1));
  RETURN_IF_ERROR(CheckShare("walk.second_order.near", second.near(), 1));
  RETURN_IF_ERROR(CheckShare("walk.second_order.far", second.far(), 1));
  if (std::max({second.back(), second.near(), second.far()}) != kWhole) {
    return SpecError("walk.second_order", "no share is ", kWhole,
                     "; allowed: the largest is");
  }
  if (!stays_in_one_type()) {
    return SpecError("walk.second_order", steps_.size(),
                     " edge types; allowed: one within a node type");
  }
  back = second.back();
  near = second.near();
  far = second.far();
  return absl::OkStatus();
}

absl::Status WalkPlan::Fill(const GraphSchema& schema,
                            const v1::WalkSampling& walk, SamplingPlan* plan) {
  RETURN_IF_ERROR(CheckCounts(walk, plan->batch_size));
  auto part = std::make_shared<WalkPlan>();
  part->length = walk.length();
  part->walks_per_input = walk.walks_per_input();
  RETURN_IF_ERROR(part->FillSteps(schema, walk, *plan));
  RETURN_IF_ERROR(part->FillShares(walk));
  const size_t used = std::min<size_t>(part->steps_.size(), part->length);
  for (size_t i = 0; i < used; ++i) {
    plan->node_types.push_back(part->steps_[i].src_type);
  }
  plan->task_bytes_per_input =
      uint64_t{part->walks_per_input} * part->bytes_per_walk();
  plan->part = std::move(part);
  return absl::OkStatus();
}

}  // namespace tributary
