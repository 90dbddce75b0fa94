#include "sampler_server/kinds/walk/walk_kind.h"

#include <utility>

#include "common/proto/session.pb.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/kinds/walk/walk_plan.h"
#include "sampler_server/kinds/walk/walk_program.h"

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
};

}  // namespace

const SamplingKind& WalkKind() {
  static const Kind kind;
  return kind;
}

}  // namespace tributary
