#include "sampler_server/tensors/row_calls.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "common/runtime/fault_point.h"
#include "common/text/status.h"
#include "sampler_server/tensors/request_checks.h"
#include "sampler_server/tensors/row_values.h"

namespace tributary::tensor_internal {
namespace {

// Bytes that a call uses for each row beside the payload: its place, and its
// position by lock.
constexpr size_t kScratchPerRow = sizeof(uint64_t) + sizeof(uint32_t);

absl::Status CheckReplyBytes(size_t bytes, uint64_t max_reply_bytes) {
  const uint64_t limit = std::min<uint64_t>(max_reply_bytes, kMaxPayloadBytes);
  if (bytes <= limit) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("a reply of ", bytes, " bytes; the call allows ", limit,
                   ": ask for fewer rows at a time"));
}

// Returns whose state an export has.
OptimizerKind StateOf(const TensorTable& table, bool with_state) {
  return with_state ? table.optimizer() : OptimizerKind::kNone;
}

}  // namespace

Answer ReadRows(const Call& call, Attempt& attempt,
                const v1::ReadRowsRequest& request) {
  RETURN_IF_ERROR(FaultPoint("tensors.read"));
  ASSIGN_OR_RETURN(const auto table, attempt.Find(request.name()));
  const size_t num_rows = call.payload().size() / sizeof(uint64_t);
  const bool changed = request.changed_since() > 0;
  // The places of changed rows are a list of their own.
  const size_t each = kScratchPerRow + (changed ? sizeof(uint64_t) : 0);
  ASSIGN_OR_RETURN(const auto scratch,
                   call.data.working->TryTake(num_rows * each));
  ASSIGN_OR_RETURN(const auto rows,
                   CheckRows(*table, call.payload(), request.num_rows(), 0));
  const size_t bits = changed ? AlignUp((num_rows + 7) / 8, 8) : 0;
  size_t bytes = bits + num_rows * table->shape().row_bytes();
  RETURN_IF_ERROR(CheckReplyBytes(bytes, request.max_reply_bytes()));
  ASSIGN_OR_RETURN(ReplyRoom room, ReplyRoom::Make(call.data, bytes));
  v1::ReadRowsReply reply;
  RETURN_IF_ERROR(attempt.WhileOpen([&] {
    reply.set_round(attempt.rounds().applied());
    if (changed) {
      const size_t count = table->ReadChanged(rows, request.changed_since(),
                                              room.payload.span().first(bits),
                                              room.payload.data() + bits);
      bytes = bits + count * table->shape().row_bytes();
    } else {
      table->Read(rows, room.payload.data());
    }
    return absl::OkStatus();
  }));
  reply.set_draining(call.store().draining());
  const TensorMetrics& metrics = call.calls.metrics;
  Counter(metrics.pulls).Add();
  Counter(metrics.pulled_rows).Add(static_cast<double>(num_rows));
  Counter(metrics.pulled_bytes).Add(static_cast<double>(bytes));
  return ReplyRoom::Answer(MessageKind::kReadRowsReply,
                           reply.SerializeAsString(), std::move(room), bytes);
}

Answer WriteRows(const Call& call, Attempt& attempt,
                 const v1::WriteRowsRequest& request) {
  RETURN_IF_ERROR(FaultPoint("tensors.write"));
  ASSIGN_OR_RETURN(const auto table, attempt.Find(request.name()));
  if (request.op() == v1::WRITE_ADD) {
    RETURN_IF_ERROR(CheckAddable(table->shape().dtype));
  } else if (request.op() != v1::WRITE_SET) {
    return absl::InvalidArgumentError(
        absl::StrCat("a write of kind ", static_cast<int>(request.op()),
                     "; allowed: set (0), add (1)"));
  }
  const size_t most_rows = call.payload().size() / sizeof(uint64_t);
  ASSIGN_OR_RETURN(const auto scratch,
                   call.data.working->TryTake(most_rows * kScratchPerRow));
  ASSIGN_OR_RETURN(const auto rows,
                   CheckRows(*table, call.payload(), request.num_rows(),
                             table->shape().row_bytes()));
  const uint8_t* const values =
      call.payload().data() + rows.size() * sizeof(uint64_t);
  RETURN_IF_ERROR(attempt.WhileOpen([&] {
    return attempt.log(request.attempt().rank())
        .Apply(request.sequence(), request.oldest_open(), [&] {
          const uint32_t round = attempt.open_round();
          if (request.op() == v1::WRITE_ADD) {
            table->Add(rows, values, round);
          } else {
            table->Set(rows, values, round);
          }
          CountPush(call, rows.size());
          return absl::OkStatus();
        });
  }));
  v1::WriteRowsReply reply;
  reply.set_draining(call.store().draining());
  return HeaderAnswer(call.data.call.kind, reply);
}

Answer ExportRows(const Call& call, Attempt& attempt,
                  const v1::ExportRowsRequest& request) {
  ASSIGN_OR_RETURN(const auto table, attempt.Find(request.name()));
  const OptimizerKind state = StateOf(*table, request.with_state());
  const size_t each = table->ExportRowBytes(state);
  RETURN_IF_ERROR(CheckReplyBytes(each, request.max_reply_bytes()));
  const size_t most =
      std::min<uint64_t>(request.max_reply_bytes(), kMaxPayloadBytes) / each;
  ASSIGN_OR_RETURN(const auto scratch,
                   call.data.working->TryTake(most * kScratchPerRow));
  uint64_t cursor = std::min(request.cursor(), table->local_rows());
  v1::ExportRowsReply reply;
  ReplyRoom room;
  RETURN_IF_ERROR(attempt.WhileOpen([&]() -> absl::Status {
    const std::vector<uint64_t> rows = table->WrittenFrom(&cursor, most);
    ASSIGN_OR_RETURN(room, ReplyRoom::Make(call.data, rows.size() * each));
    table->Export(rows, state, room.payload.data());
    reply.set_num_rows(rows.size());
    return absl::OkStatus();
  }));
  reply.set_next_cursor(cursor);
  reply.set_done(cursor >= table->local_rows());
  const size_t bytes = room.payload.size();
  return ReplyRoom::Answer(MessageKind::kExportRowsReply,
                           reply.SerializeAsString(), std::move(room), bytes);
}

Answer ImportRows(const Call& call, Attempt& attempt,
                  const v1::ImportRowsRequest& request) {
  ASSIGN_OR_RETURN(const auto table, attempt.Find(request.name()));
  const size_t most_rows = call.payload().size() / sizeof(uint64_t);
  ASSIGN_OR_RETURN(const auto scratch,
                   call.data.working->TryTake(most_rows * kScratchPerRow));
  const OptimizerKind state = StateOf(*table, request.with_state());
  ASSIGN_OR_RETURN(const auto rows,
                   CheckRows(*table, call.payload(), request.num_rows(),
                             table->ExportRowBytes(state) - sizeof(uint64_t)));
  const uint8_t* const data =
      call.payload().data() + rows.size() * sizeof(uint64_t);
  RETURN_IF_ERROR(attempt.WhileOpen([&] {
    return attempt.log(request.attempt().rank())
        .Apply(request.sequence(), request.oldest_open(), [&] {
          CountPush(call, rows.size());
          return table->Import(rows, state, data, attempt.open_round());
        });
  }));
  return HeaderAnswer(call.data.call.kind, v1::ImportRowsReply());
}

}  // namespace tributary::tensor_internal
