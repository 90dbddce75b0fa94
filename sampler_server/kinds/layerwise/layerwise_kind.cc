#include "sampler_server/kinds/layerwise/layerwise_kind.h"

#include <utility>

#include "common/proto/session.pb.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/kinds/layerwise/layerwise_plan.h"
#include "sampler_server/kinds/layerwise/layerwise_program.h"

namespace tributary {
namespace {

class Kind final : public SamplingKind {
 public:
  absl::string_view name() const override { return "layerwise"; }
  int field() const override { return v1::SessionSpec::kLayerwiseFieldNumber; }
  absl::Status Plan(const GraphSchema& schema, const v1::SessionSpec& spec,
                    SamplingPlan* plan) const override {
    return LayerwisePlan::Fill(schema, spec.layerwise(), plan);
  }
  std::shared_ptr<BatchProgram> NewProgram(StepContext context) const override {
    return std::make_shared<LayerwiseProgram>(std::move(context));
  }
};

}  // namespace

const SamplingKind& LayerwiseKind() {
  static const Kind kind;
  return kind;
}

}  // namespace tributary
