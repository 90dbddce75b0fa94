#include "sampler_server/kinds/walk/walk_kind.h"

#include <utility>

#include "common/proto/session.pb.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/kinds/walk/walk_plan.h"
#include "sampler_server/kinds/walk/walk_program.h"
#include "sampler_server/kinds/walk/walk_questions.h"

namespace tributary {
namespace {

class Kind final : public SamplingKind {
 public:
  absl::string_view name() const override { return "walk"; }
  int field() const override { return v1::SessionSpec::kWalkFieldNumber; }
  absl::Status Plan(const GraphSchema& schema, const v1::SessionSpec& spec,
                    SamplingPlan* plan) const override {
    return WalkPlan::Fill(schema, spec.walk(), plan);
  }
  std::shared_ptr<BatchProgram> NewProgram(StepContext context) const override {
    return std::make_shared<WalkProgram>(std::move(context));
  }
  absl::Status Answer(const Graph& graph, uint32_t partition,
                      absl::string_view question,
                      absl::Span<const uint8_t> payload,
                      absl::Span<uint8_t> answer) const override {
    return WalkQuestions::Answer(graph, partition, question, payload, answer);
  }
};

}  // namespace

const SamplingKind& WalkKind() {
  static const Kind kind;
  return kind;
}

}  // namespace tributary
