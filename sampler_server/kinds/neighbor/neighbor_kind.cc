#include "sampler_server/kinds/neighbor/neighbor_kind.h"

#include <utility>

#include "common/proto/session.pb.h"
#include "sampler_server/engine/hop_step.h"
#include "sampler_server/engine/input_time_step.h"
#include "sampler_server/engine/tree_ids.h"
#include "sampler_server/kinds/neighbor/neighbor_plan.h"

namespace tributary {
namespace {

// One HopStep after the other, each of which ends in a task of its own.
class NeighborProgram final
    : public BatchProgram,
      public std::enable_shared_from_this<NeighborProgram> {
 public:
  explicit NeighborProgram(StepContext context)
      : context_(std::move(context)) {}

  void Start(Done done) override {
    done_ = std::move(done);
    OpenFirstHop();
    if (context_.plan->input_time == InputTimeMode::kOwn) {
      return ReadInputTimes();
    }
    BeginHop();
  }

 private:
  void ReadInputTimes() {
    const int type = context_.plan->input_type;
    const TreeIds ids(static_cast<uint64_t>(
        context_.graph->schema().node_types[type].num_nodes));
    LocalNumbering& numbering = context_.state->nodes[type].numbering;
    numbering.DropTable();  // the room that is kept for inputs is for one
    std::vector<uint64_t> nodes;
    nodes.reserve(numbering.size());
    for (uint64_t id : numbering.ids()) nodes.push_back(ids.Node(id));
    auto step = std::make_shared<InputTimeStep>(context_);
    step->Start(nodes, [self = shared_from_this()](absl::Status status) {
      if (!status.ok()) return self->End(status);
      // When this call has let go of what it holds.
      self->context_.strand->Post([self] { self->BeginHop(); });
    });
  }

  void OpenFirstHop() {
    BatchState& state = *context_.state;
    for (NodeTypeState& type : state.nodes) {
      type.frontier_end = type.numbering.size();
      type.per_hop.push_back(static_cast<int64_t>(type.frontier_end));
    }
    for (EdgeTypeState& type : state.edges) {
      type.per_hop.resize(context_.plan->num_hops, 0);
    }
  }

  void BeginHop() {
    if (!context_.control->Live()) return;
    context_.control->SetStage(BatchStage::kSampling);
    auto step =
        std::make_shared<HopStep>(context_, hop_, context_.control->Limits());
    step->Start([self = shared_from_this()](auto outcome) {
      self->OnHopDone(std::move(outcome));
    });
  }

  void OnHopDone(absl::StatusOr<HopStep::Outcome> outcome) {
    if (!context_.control->Live()) return;
    if (!outcome.ok()) return End(outcome.status());
    if (*outcome == HopStep::Outcome::kTooLarge) {
      return End(Outcome::kTooLarge);
    }
    CloseHop();
    if (++hop_ == context_.plan->num_hops) return End(Outcome::kSampled);
    context_.strand->Post([self = shared_from_this()] { self->BeginHop(); });
  }

  void CloseHop() {
    for (NodeTypeState& type : context_.state->nodes) {
      const size_t before = type.frontier_end;
      const size_t now = type.numbering.size();
      type.per_hop.push_back(static_cast<int64_t>(now - before));
      type.frontier_begin = context_.plan->expand_all ? 0 : before;
      type.frontier_end = now;
    }
  }

  void End(absl::StatusOr<Outcome> outcome) {
    std::exchange(done_, nullptr)(std::move(outcome));
  }

  StepContext context_;
  Done done_;
  int hop_ = 0;
};

class Kind final : public SamplingKind {
 public:
  absl::string_view name() const override { return "node"; }
  int field() const override { return v1::SessionSpec::kNeighborFieldNumber; }
  absl::Status Plan(const GraphSchema& schema, const v1::SessionSpec& spec,
                    SamplingPlan* plan) const override {
    return PlanNeighbors(schema, spec, plan);
  }
  std::shared_ptr<BatchProgram> NewProgram(StepContext context) const override {
    return std::make_shared<NeighborProgram>(std::move(context));
  }
};

}  // namespace

const SamplingKind& NeighborKind() {
  static const Kind kind;
  return kind;
}

}  // namespace tributary
