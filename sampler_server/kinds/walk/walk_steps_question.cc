#include "sampler_server/kinds/walk/walk_steps_question.h"

#include "absl/strings/str_cat.h"
#include "common/proto/questions.pb.h"
#include "common/text/status.h"
#include "sampler_server/engine/questions/edge_question.h"
#include "sampler_server/engine/questions/payload_arrays.h"
#include "sampler_server/kinds/walk/walk_step.h"

namespace tributary {
namespace {

constexpr uint32_t kMostTries = 64;

// Whether payload and answer have the sizes of `count` items.
absl::Status CheckSizes(uint64_t count, size_t item_bytes, size_t answer_bytes,
                        absl::Span<const uint8_t> payload,
                        absl::Span<uint8_t> answer) {
  if (payload.size() % item_bytes == 0 &&
      payload.size() / item_bytes == count &&
      answer.size() == count * answer_bytes) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "question walk_steps of ", count, " items with ", payload.size(),
      " bytes for ", answer.size(), "; allowed: ", item_bytes, " and ",
      answer_bytes, " for each"));
}

absl::Status AnswerSteps(const EdgeQuestion<v1::WalkStepsQuestion>& asked,
                         absl::Span<const uint8_t> payload,
                         absl::Span<uint8_t> answer, StopCheck* stop) {
  const v1::WalkStepsQuestion& steps = asked.message;
  if (steps.tries() < 1 || steps.tries() > kMostTries) {
    return absl::InvalidArgumentError(
        absl::StrCat(steps.tries(), " tries; allowed: 1 to ", kMostTries));
  }
  const size_t answer_bytes = steps.tries() * sizeof(uint64_t);
  RETURN_IF_ERROR(CheckSizes(steps.walks(), sizeof(uint64_t) + sizeof(uint32_t),
                             answer_bytes, payload, answer));
  const size_t n = steps.walks();
  const auto rows = ReadLittleEndianArray<uint64_t>(payload, n);
  const auto walks =
      ReadLittleEndianArray<uint32_t>(payload.subspan(n * sizeof(uint64_t)), n);
  WalkQuery query;
  query.key = {steps.key0(), steps.key1()};
  query.step = steps.step();
  query.first_try = steps.first_try();
  query.tries = steps.tries();
  query.rows = rows;
  query.walks = walks;
  query.stop = stop;
  return DrawWalkSteps(asked.edges, asked.num_src_nodes(), query,
                       reinterpret_cast<uint64_t*>(answer.data()));
}

class Type final : public QuestionType {
 public:
  absl::string_view name() const override { return "walk_steps"; }
  absl::Status Answer(const Graph& graph, uint32_t partition,
                      absl::string_view message,
                      absl::Span<const uint8_t> payload,
                      absl::Span<uint8_t> answer,
                      StopCheck* stop) const override {
    ASSIGN_OR_RETURN(const auto asked, ParseEdgeQuestion<v1::WalkStepsQuestion>(
                                           name(), graph, partition, message));
    return AnswerSteps(asked, payload, answer, stop);
  }
};

}  // namespace

const QuestionType& WalkStepsQuestionType() {
  static const Type type;
  return type;
}

}  // namespace tributary
