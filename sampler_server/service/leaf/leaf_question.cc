#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "sampler_server/kinds/registry.h"
#include "sampler_server/service/leaf/leaf_calls.h"
#include "sampler_server/service/leaf/leaf_checks.h"

namespace tributary {

absl::StatusOr<LeafReply> ServeQuestion(const Graph& graph,
                                        const v1::QuestionRequest& request,
                                        absl::Span<const uint8_t> payload,
                                        const LeafLimits& limits,
                                        BudgetShare& budget) {
  RETURN_IF_ERROR(CheckIndex("partition", request.partition(),
                             graph.schema().num_partitions));
  const QuestionType* type = FindQuestionType(request.question_type());
  if (type == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("this server does not have the question type '",
                     TerminalLine(request.question_type()), "'"));
  }
  if (request.answer_bytes() > limits.max_reply_bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "an answer of ", request.answer_bytes(),
        " bytes is asked for; allowed: 0 to ", limits.max_reply_bytes));
  }
  ASSIGN_OR_RETURN(BudgetShare::Hold reservation,
                   budget.TryTake(request.answer_bytes()));
  LeafReply reply{v1::QuestionReply().SerializeAsString(),
                  AlignedBuffer(request.answer_bytes()),
                  std::move(reservation)};
  RETURN_IF_ERROR(type->Answer(graph, request.partition(), request.question(),
                               payload, reply.payload.span(), limits.stop));
  return reply;
}

}  // namespace tributary
