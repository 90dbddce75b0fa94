// The interface of a question that one server asks another about a partition.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_QUESTION_TYPE_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_QUESTION_TYPE_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/runtime/stop_check.h"
#include "partition/format/graph.h"

namespace tributary {

// Most bytes of a question's payload, and of its answer.
inline constexpr size_t kMaxQuestionBytes = size_t{4} << 20;

// One type of question: what a step of a batch asks the owner of a partition
// that is not on its own server, beyond hops and rows. The step makes a
// PartitionQuestion (remote_partitions.h); the owner finds the type by its name
// (FindQuestionType of kinds/registry.h) and calls Answer. Each type has one
// immutable object, which lives as long as the program. Thread-safe.
class QuestionType {
 public:
  // Identifies the type in requests. Unique among all types of the program, not
  // empty, at most 15 bytes of [a-z_].
  virtual absl::string_view name() const = 0;

  // Fills all of `answer`, whose size the asker has chosen. `message` is the
  // type's own serialized message; it and `payload` come from the network and
  // are validated here. Pure: the same question has the same answer on every
  // owner. Errors: INVALID_ARGUMENT (message, sizes), OUT_OF_RANGE (a row),
  // NOT_FOUND (`partition` is not on this server), DATA_LOSS (stored values are
  // out of range), CANCELLED and DEADLINE_EXCEEDED of `stop`, which may be
  // null.
  virtual absl::Status Answer(const Graph& graph, uint32_t partition,
                              absl::string_view message,
                              absl::Span<const uint8_t> payload,
                              absl::Span<uint8_t> answer,
                              StopCheck* stop) const = 0;

 protected:
  ~QuestionType() = default;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_QUESTION_TYPE_H_
