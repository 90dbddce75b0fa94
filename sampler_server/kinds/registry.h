// The kinds of sampling and the types of questions between servers that this
// program has. docs/extending.md says how to add one.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_REGISTRY_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_REGISTRY_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "partition/schema/schema.h"
#include "sampler_server/engine/batch/question_type.h"
#include "sampler_server/engine/plan/plan.h"
#include "sampler_server/engine/plan/sampling_kind.h"

namespace tributary {

// Returns all kinds, by ascending SamplingKind::field().
absl::Span<const SamplingKind* const> AllKinds();

// Returns the kind with this SamplingKind::field(), or null.
const SamplingKind* FindKind(int field);

// Calls SamplingPlan::Make with AllKinds().
absl::StatusOr<SamplingPlan> MakePlan(const GraphSchema& schema,
                                      std::string_view spec_bytes);

// Returns the types of all questions that steps and kinds ask.
absl::Span<const QuestionType* const> AllQuestionTypes();

// Returns the type with this QuestionType::name(), or null.
const QuestionType* FindQuestionType(absl::string_view name);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_REGISTRY_H_
