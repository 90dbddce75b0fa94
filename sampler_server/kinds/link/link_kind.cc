#include "sampler_server/kinds/link/link_kind.h"

#include <utility>

#include "common/proto/session.pb.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/kinds/link/link_plan.h"
#include "sampler_server/kinds/link/link_program.h"
#include "sampler_server/kinds/link/negative_search.h"

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
  absl::Status Answer(const Graph& graph, uint32_t partition,
                      absl::string_view question,
                      absl::Span<const uint8_t> payload,
                      absl::Span<uint8_t> answer) const override {
    return NegativeSearch::Answer(graph, partition, question, payload, answer);
  }
};

}  // namespace

const SamplingKind& LinkKind() {
  static const Kind kind;
  return kind;
}

}  // namespace tributary
