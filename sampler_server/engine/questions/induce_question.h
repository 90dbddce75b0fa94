// Questions to the owners of other partitions about the edges that a batch
// induces there: InduceQuestion of questions.proto.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_INDUCE_QUESTION_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_INDUCE_QUESTION_H_

#include <cstddef>
#include <cstdint>

#include "sampler_server/engine/batch/question_type.h"

namespace tributary {

// The beginning of an answer to CountInduced. Counts, a uint32 for each row
// asked about, follow.
struct InduceCountHeader {
  uint64_t rows = 0;     // the first rows, whose counts are valid
  uint64_t scanned = 0;  // in-edges of these rows; above `most`: of one more
};

// Returns the bytes of an edge in an answer to TakeInduced.
inline constexpr size_t InducedEdgeBytes(bool want_positions) {
  return sizeof(uint32_t) + sizeof(int64_t) +
         (want_positions ? sizeof(uint64_t) : 0);
}

// Answers by CountInduced and TakeInduced of induced_edges.h.
const QuestionType& InducedEdgesQuestionType();

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_INDUCE_QUESTION_H_
