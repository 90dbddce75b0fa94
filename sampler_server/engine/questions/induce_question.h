// Induced edges over the wire: questions, and the owner's side of them.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_INDUCE_QUESTION_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_INDUCE_QUESTION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "partition/format/graph.h"

namespace tributary {

// Bytes of an id below `num_ids`, as questions hold it.
size_t BytesPerId(uint64_t num_ids);
// Requires ids of at most `id_bytes` bytes.
void AppendIds(absl::Span<const uint64_t> ids, size_t id_bytes,
               std::vector<uint8_t>* to);

// Of the answer to CountInduced, before the counts.
struct CountAnswer {
  uint64_t rows = 0;
  uint64_t scanned = 0;
};

// Of the answer to TakeInduced, per edge.
inline constexpr size_t InducedEdgeBytes(bool want_positions) {
  return sizeof(uint32_t) + sizeof(int64_t) +
         (want_positions ? sizeof(uint64_t) : 0);
}

// What SamplingKind::Answer gives for an InduceQuestion.
absl::Status AnswerInduce(const Graph& graph, uint32_t partition,
                          absl::string_view question,
                          absl::Span<const uint8_t> payload,
                          absl::Span<uint8_t> answer);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_INDUCE_QUESTION_H_
