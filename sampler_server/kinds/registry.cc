#include "sampler_server/kinds/registry.h"

#include "sampler_server/engine/questions/adjacency_questions.h"
#include "sampler_server/engine/questions/have_edges.h"
#include "sampler_server/engine/questions/induce_question.h"
#include "sampler_server/kinds/layerwise/layerwise_kind.h"
#include "sampler_server/kinds/link/link_kind.h"
#include "sampler_server/kinds/neighbor/neighbor_kind.h"
#include "sampler_server/kinds/ppr/ppr_kind.h"
#include "sampler_server/kinds/walk/walk_kind.h"
#include "sampler_server/kinds/walk/walk_steps_question.h"

namespace tributary {

absl::Span<const SamplingKind* const> AllKinds() {
  static const SamplingKind* const kinds[] = {
      &NeighborKind(), &WalkKind(), &LinkKind(), &PprKind(), &LayerwiseKind(),
  };
  return kinds;
}

const SamplingKind* FindKind(int field) {
  for (const SamplingKind* kind : AllKinds()) {
    if (kind->field() == field) return kind;
  }
  return nullptr;
}

absl::StatusOr<SamplingPlan> MakePlan(const GraphSchema& schema,
                                      std::string_view spec_bytes) {
  return SamplingPlan::Make(AllKinds(), schema, spec_bytes);
}

absl::Span<const QuestionType* const> AllQuestionTypes() {
  static const QuestionType* const types[] = {
      &AdjacencyQuestionType(),
      &HaveEdgesQuestionType(),
      &InducedEdgesQuestionType(),
      &WalkStepsQuestionType(),
  };
  return types;
}

const QuestionType* FindQuestionType(absl::string_view name) {
  for (const QuestionType* type : AllQuestionTypes()) {
    if (type->name() == name) return type;
  }
  return nullptr;
}

}  // namespace tributary
