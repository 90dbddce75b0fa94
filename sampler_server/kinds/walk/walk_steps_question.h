// The question that walks ask the owners of other partitions.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_STEPS_QUESTION_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_STEPS_QUESTION_H_

#include "sampler_server/engine/batch/question_type.h"

namespace tributary {

// Draws the next step of many walks: WalkStepsQuestion of questions.proto,
// answered by DrawWalkSteps (walk_step.h).
const QuestionType& WalkStepsQuestionType();

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_STEPS_QUESTION_H_
