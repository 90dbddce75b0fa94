#include "sampler_server/kinds/ppr/ppr_kind.h"

#include <utility>

#include "common/proto/session.pb.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/kinds/ppr/ppr_plan.h"
#include "sampler_server/kinds/ppr/ppr_program.h"

namespace tributary {
namespace {

class Kind final : public SamplingKind {
 public:
  absl::string_view name() const override { return "ppr"; }
  int field() const override { return v1::SessionSpec::kPprFieldNumber; }
  absl::Status Plan(const GraphSchema& schema, const v1::SessionSpec& spec,
                    SamplingPlan* plan) const override {
    return PprPlan::Fill(schema, spec.ppr(), plan);
  }
  std::shared_ptr<BatchProgram> NewProgram(StepContext context) const override {
    return std::make_shared<PprProgram>(std::move(context));
  }
};

}  // namespace

const SamplingKind& PprKind() {
  static const Kind kind;
  return kind;
}

}  // namespace tributary
