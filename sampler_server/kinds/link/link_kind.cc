#include "sampler_server/kinds/link/link_kind.h"

#include <utility>

#include "common/proto/session.pb.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/kinds/link/link_plan.h"
#include "sampler_server/kinds/link/link_program.h"

namespace tributary {
namespace {

class Kind final : public SamplingKind {
 public:
  absl::string_view name() const override { return "link"; }
  int field() const override { return v1::SessionSpec::kLinkFieldNumber; }
  bool takes_links() const override { return true; }
  absl::Status Plan(const GraphSchema& schema, const v1::SessionSpec& spec,
                    SamplingPlan* plan) const override {
    return LinkPlan::Fill(schema, spec, plan);
  }
  std::shared_ptr<BatchProgram> NewProgram(StepContext context) const override {
    return std::make_shared<LinkProgram>(std::move(context));
  }
};

}  // namespace

const SamplingKind& LinkKind() {
  static const Kind kind;
  return kind;
}

}  // namespace tributary
