#include "sampler_server/kinds/neighbor/neighbor_kind.h"

#include <utility>

#include "common/proto/session.pb.h"
#include "sampler_server/engine/ids/tree_ids.h"
#include "sampler_server/engine/steps/node_column_step.h"
#include "sampler_server/kinds/neighbor/neighbor_hops.h"
#include "sampler_server/kinds/neighbor/neighbor_plan.h"

namespace tributary {
namespace {

class NeighborProgram final
    : public BatchProgram,
      public std::enable_shared_from_this<NeighborProgram> {
 public:
  explicit NeighborProgram(StepContext context)
      : context_(std::move(context)) {}

  void Start(Done done) override {
    done_ = std::move(done);
    if (context_.plan->input_time == InputTimeMode::kOwn) {
      return ReadInputTimes();
    }
    RunHops();
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
    std::vector<int64_t>& times = context_.state->tree_time;
    times.resize(nodes.size());
    std::make_shared<NodeColumnStep>(context_, type, NodeColumn::kTime)
        ->Start(nodes, absl::MakeSpan(times),
                [self = shared_from_this()](absl::Status status) {
                  if (!status.ok()) return self->End(status);
                  // Goes on when this call has freed its memory.
                  self->context_.strand->Post([self] { self->RunHops(); });
                });
  }

  void RunHops() {
    std::make_shared<NeighborHops>(context_)->Start(
        [self = shared_from_this()](auto outcome) {
          self->End(std::move(outcome));
        });
  }

  void End(absl::StatusOr<Outcome> outcome) {
    std::exchange(done_, nullptr)(std::move(outcome));
  }

  StepContext context_;
  Done done_;
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
