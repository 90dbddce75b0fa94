#include "sampler_server/tensors/tensor_service.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "channel/parse_header.h"
#include "common/proto/tensors.pb.h"
#include "common/runtime/fault_point.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "sampler_server/tensors/rank_list.h"
#include "sampler_server/tensors/request_checks.h"
#include "sampler_server/tensors/row_values.h"

namespace tributary {
namespace {

// Upper limit of the time that a part of a later round waits for its own.
constexpr uint64_t kMaxAheadMs = 600'000;
// Bytes that a call uses for each row beside the payload: its place, and its
// position by lock.
constexpr size_t kScratchPerRow = sizeof(uint64_t) + sizeof(uint32_t);

using Answer = absl::StatusOr<CallAnswer>;
using AttemptPtr = std::shared_ptr<Attempt>;

template <typename Reply>
CallAnswer HeaderAnswer(MessageKind request, const Reply& reply) {
  return {static_cast<MessageKind>(static_cast<uint16_t>(request) + 1),
          reply.SerializeAsString()};
}

// A call that may wait; its parts keep it alive.
struct Call : std::enable_shared_from_this<Call> {
  Call(const TensorCalls& calls, DataCall data, CallResponder respond)
      : calls(calls), data(std::move(data)), respond(std::move(respond)) {}

  TensorStore& store() const { return *calls.store; }
  absl::Span<const uint8_t> payload() const {
    return std::as_const(data.call.payload).span();
  }
  void Finish(Answer answer) {
    if (!answer.ok()) calls.metrics.errors.Add();
    respond(std::move(answer));
  }

  TensorCalls calls;
  DataCall data;
  CallResponder respond;
};
using CallPtr = std::shared_ptr<Call>;

template <typename Request>
absl::StatusOr<Request> Parse(const Call& call) {
  return ParseHeader<Request>(call.data.call.kind, call.data.call.header);
}

absl::Status CheckReplyBytes(size_t bytes, uint64_t max_reply_bytes) {
  const uint64_t limit = std::min<uint64_t>(max_reply_bytes, kMaxPayloadBytes);
  if (bytes <= limit) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("a reply of ", bytes, " bytes; the call allows ", limit,
                   ": ask for fewer rows at a time"));
}

// Runs `then` once `round` is applied, and answers the call with its result or
// the error of the wait.
void AfterRound(CallPtr call, AttemptPtr attempt, uint64_t round,
                uint64_t timeout_ms, absl::AnyInvocable<Answer()> then) {
  if (attempt->applied().number() >= round) return call->Finish(then());
  ParkedCalls& parked = attempt->applied();
  const absl::Time deadline = call->data.Deadline(timeout_ms);
  const CancelToken cancel = call->data.call.cancel;
  auto late = [attempt, round] {
    return absl::DeadlineExceededError(absl::StrCat(
        "round ", round, " of gradients is not applied: ",
        RankList(attempt->rounds().Missing()), " of ", attempt->world(),
        " have not closed round ", attempt->open_round()));
  };
  parked.Park(round, deadline, cancel, std::move(late),
              [call, attempt, then = std::move(then)](absl::Status s) mutable {
                if (!s.ok()) return call->Finish(std::move(s));
                call->Finish(then());
              });
}

// --- attempts ----------------------------------------------------------------

void ToProto(const std::vector<RowMember>& from,
             google::protobuf::RepeatedPtrField<v1::TensorMember>* to) {
  for (const RowMember& member : from) {
    v1::TensorMember& one = *to->Add();
    one.set_address(member.address);
    one.set_incarnation(member.incarnation);
  }
}

Answer OpenAttempt(const Call& call, TensorStream& stream) {
  ASSIGN_OR_RETURN(const auto request, Parse<v1::OpenAttemptRequest>(call));
  ASSIGN_OR_RETURN(const auto attempt, call.store().Open(request));
  stream.Use(call.store(), *attempt);
  return HeaderAnswer(call.data.call.kind, v1::OpenAttemptReply());
}

Answer JoinAttempt(const Call& call, TensorStream& stream) {
  ASSIGN_OR_RETURN(const auto request, Parse<v1::JoinAttemptRequest>(call));
  ASSIGN_OR_RETURN(const auto attempt, call.store().Join(request.attempt()));
  stream.Use(call.store(), *attempt);
  v1::JoinAttemptReply reply;
  reply.set_attempt(attempt->number());
  reply.set_world(attempt->world());
  ToProto(attempt->options().members, reply.mutable_members());
  return HeaderAnswer(call.data.call.kind, reply);
}

Answer CloseAttempt(const Call& call) {
  ASSIGN_OR_RETURN(const auto request, Parse<v1::CloseAttemptRequest>(call));
  RETURN_IF_ERROR(call.store().Close(request.attempt()));
  return HeaderAnswer(call.data.call.kind, v1::CloseAttemptReply());
}

// Finds the attempt of any other request, and counts the stream as its.
template <typename Request>
absl::StatusOr<AttemptPtr> AttemptOf(const Call& call, TensorStream& stream,
                                     const Request& request) {
  ASSIGN_OR_RETURN(auto attempt, call.store().Find(request.attempt()));
  stream.Use(call.store(), *attempt);
  return attempt;
}

void Meet(const CallPtr& call, const AttemptPtr& attempt,
          const v1::MeetRequest& request) {
  Meetings::Visit visit;
  visit.rank = request.attempt().rank();
  visit.sequence = request.sequence();
  visit.purpose = request.purpose();
  visit.value = request.value();
  visit.deadline = call->data.Deadline(request.timeout_ms());
  visit.cancel = call->data.call.cancel;
  attempt->meetings().Meet(
      std::move(visit),
      [call, attempt](absl::StatusOr<Meetings::Values> values) {
        if (!values.ok()) return call->Finish(values.status());
        v1::MeetReply reply;
        for (const std::string& value : **values) reply.add_values(value);
        call->Finish(HeaderAnswer(call->data.call.kind, reply));
      });
}

// --- tensors -----------------------------------------------------------------

Answer CreateTensor(const Call& call, Attempt& attempt,
                    const v1::CreateTensorRequest& request) {
  bool existed = false;
  ASSIGN_OR_RETURN(const auto table,
                   call.store().Create(attempt, request.spec(), &existed));
  v1::CreateTensorReply reply;
  reply.set_existed(existed);
  ToProto(table->placement().members(), reply.mutable_members());
  return HeaderAnswer(call.data.call.kind, reply);
}

Answer AttachOptimizer(const Call& call, Attempt& attempt,
                       const v1::AttachOptimizerRequest& request) {
  ASSIGN_OR_RETURN(const OptimizerKind kind,
                   CheckOptimizer(request.optimizer()));
  RETURN_IF_ERROR(call.store().AttachOptimizer(attempt, request.name(), kind));
  return HeaderAnswer(call.data.call.kind, v1::AttachOptimizerReply());
}

Answer DropTensor(const Call& call, TensorStream& stream) {
  ASSIGN_OR_RETURN(const auto request, Parse<v1::DropTensorRequest>(call));
  v1::DropTensorReply reply;
  if (request.attempt().attempt() == 0) {
    ASSIGN_OR_RETURN(const bool existed,
                     call.store().DropForOperator(
                         request.attempt().job(),
                         request.attempt().content_digest(), request.name()));
    reply.set_existed(existed);
  } else {
    ASSIGN_OR_RETURN(const auto attempt, AttemptOf(call, stream, request));
    ASSIGN_OR_RETURN(const bool existed,
                     call.store().Drop(*attempt, request.name()));
    reply.set_existed(existed);
  }
  return HeaderAnswer(call.data.call.kind, reply);
}

Answer ListTensors(const Call& call) {
  ASSIGN_OR_RETURN(const auto request, Parse<v1::ListTensorsRequest>(call));
  return HeaderAnswer(call.data.call.kind, call.store().List(request.job()));
}

Answer CopyTensor(const Call& call, Attempt& attempt,
                  const v1::CopyTensorRequest& request) {
  ASSIGN_OR_RETURN(const auto from, attempt.Find(request.from()));
  ASSIGN_OR_RETURN(const auto to, attempt.Find(request.to()));
  const TensorShape& a = from->shape();
  const TensorShape& b = to->shape();
  if (a.num_rows != b.num_rows || a.dim != b.dim || a.dtype != b.dtype ||
      from->placement().members() != to->placement().members()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensors '", TerminalLine(a.name), "' and '", TerminalLine(b.name),
        "' have not the same shape, dtype and servers"));
  }
  RETURN_IF_ERROR(attempt.WhileOpen([&] {
    to->CopyFrom(*from, attempt.open_round());
    return absl::OkStatus();
  }));
  return HeaderAnswer(call.data.call.kind, v1::CopyTensorReply());
}

Answer SetRound(const Call& call, Attempt& attempt,
                const v1::SetRoundRequest& request) {
  RETURN_IF_ERROR(attempt.WhileOpen(
      [&] { return attempt.rounds().SetRound(request.round()); }));
  attempt.applied().Reach(request.round());
  return HeaderAnswer(call.data.call.kind, v1::SetRoundReply());
}

// --- rows --------------------------------------------------------------------

Answer ReadRows(const Call& call, Attempt& attempt,
                const v1::ReadRowsRequest& request) {
  RETURN_IF_ERROR(FaultPoint("tensors.read"));
  ASSIGN_OR_RETURN(const auto table, attempt.Find(request.name()));
  const size_t num_rows = call.payload().size() / sizeof(uint64_t);
  ASSIGN_OR_RETURN(const auto scratch,
                   call.data.share->TryReserve(num_rows * kScratchPerRow));
  ASSIGN_OR_RETURN(const auto rows,
                   CheckRows(*table, call.payload(), request.num_rows(), 0));
  const bool changed = request.changed_since() > 0;
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

void CountPush(const Call& call, size_t num_rows) {
  const TensorMetrics& metrics = call.calls.metrics;
  Counter(metrics.pushes).Add();
  Counter(metrics.pushed_rows).Add(static_cast<double>(num_rows));
  Counter(metrics.pushed_bytes).Add(static_cast<double>(call.payload().size()));
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
                   call.data.share->TryReserve(most_rows * kScratchPerRow));
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

// Returns whose state an export has.
OptimizerKind StateOf(const TensorTable& table, bool with_state) {
  return with_state ? table.optimizer() : OptimizerKind::kNone;
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
                   call.data.share->TryReserve(most * kScratchPerRow));
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
                   call.data.share->TryReserve(most_rows * kScratchPerRow));
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

// --- rounds ------------------------------------------------------------------

OptimizerStep StepOf(const v1::SparseStep& from) {
  OptimizerStep step;
  step.learning_rate = from.learning_rate();
  step.eps = from.eps();
  step.beta1 = from.beta1();
  step.beta2 = from.beta2();
  step.scale = from.scale() == 0 ? 1 : from.scale();
  return step;
}

// Takes one push from the front of `payload`.
absl::StatusOr<StagedPush> TakePush(const Attempt& attempt,
                                    const v1::PushRoundRequest::Push& push,
                                    absl::Span<const uint8_t>& payload) {
  StagedPush staged;
  ASSIGN_OR_RETURN(staged.table, attempt.Find(push.name()));
  const OptimizerKind optimizer = staged.table->optimizer();
  if (optimizer == OptimizerKind::kNone) {
    return absl::FailedPreconditionError(
        absl::StrCat("tensor '", TerminalLine(push.name()),
                     "' has no optimizer: attach one first"));
  }
  staged.place = push.place();
  staged.step = StepOf(push.step());
  RETURN_IF_ERROR(CheckStep(optimizer, staged.step));
  const size_t row_bytes = staged.table->shape().row_bytes();
  const size_t each = sizeof(uint64_t) + row_bytes;
  if (push.num_rows() > payload.size() / each) {
    return absl::InvalidArgumentError(
        absl::StrCat("a push of ", push.num_rows(), " rows to tensor '",
                     TerminalLine(push.name()), "', with ", payload.size(),
                     " bytes left in the payload; each row takes ", each));
  }
  const auto own = payload.first(push.num_rows() * each);
  payload.remove_prefix(own.size());
  ASSIGN_OR_RETURN(staged.rows,
                   CheckRows(*staged.table, own, push.num_rows(), row_bytes));
  for (size_t i = 1; i < staged.rows.size(); ++i) {
    if (staged.rows[i - 1] < staged.rows[i]) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the rows of a push to tensor '", TerminalLine(push.name()),
        "' are not ascending and distinct"));
  }
  staged.gradients = own.data() + push.num_rows() * sizeof(uint64_t);
  return staged;
}

// Checks the pushes of a request, adds them to `part` and reserves its memory.
absl::Status FillPart(const CallPtr& call, Attempt& attempt,
                      const v1::PushRoundRequest& request, RoundPart& part) {
  auto payload = call->payload();
  size_t num_rows = 0;
  for (const auto& push : request.pushes()) {
    ASSIGN_OR_RETURN(StagedPush staged, TakePush(attempt, push, payload));
    num_rows += staged.rows.size();
    part.pushes.push_back(std::move(staged));
  }
  if (!payload.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        payload.size(), " bytes of the payload belong to no push"));
  }
  part.bytes = num_rows == 0
                   ? 0
                   : RoundStaging::BytesOf(call->payload().size(), num_rows);
  RETURN_IF_ERROR(attempt.rounds().Check(part));
  ASSIGN_OR_RETURN(part.memory, call->store().ReserveStaging(
                                    attempt.scope().job, part.bytes));
  return absl::OkStatus();
}

absl::StatusOr<RoundStaging::Taken> TryStage(
    const CallPtr& call, Attempt& attempt,
    const v1::PushRoundRequest& request) {
  RoundPart part;
  part.rank = request.attempt().rank();
  part.round = request.round();
  part.part = request.part();
  part.closes = request.closes();
  if (attempt.rounds().Has(part)) return RoundStaging::Taken::kStaged;
  if (request.round() > attempt.rounds().applied() + 1) {
    return RoundStaging::Taken::kAhead;
  }
  auto taken = RoundStaging::Taken::kStaged;
  RETURN_IF_ERROR(attempt.WhileOpen([&]() -> absl::Status {
    RETURN_IF_ERROR(FillPart(call, attempt, request, part));
    size_t num_rows = 0;
    for (const StagedPush& push : part.pushes) num_rows += push.rows.size();
    CountPush(*call, num_rows);
    // The gradients move to the budget of rounds.
    auto owner =
        std::make_shared<AlignedBuffer>(std::move(call->data.call.payload));
    part.owner = owner;
    ASSIGN_OR_RETURN(taken, attempt.rounds().Stage(std::move(part)));
    call->data.request.Release();
    if (taken != RoundStaging::Taken::kComplete) return absl::OkStatus();
    attempt.rounds().ApplyRound();
    Counter(call->calls.metrics.rounds).Add();
    return absl::OkStatus();
  }));
  return taken;
}

void StagePart(const CallPtr& call, const AttemptPtr& attempt,
               std::shared_ptr<const v1::PushRoundRequest> request) {
  const auto taken = TryStage(call, *attempt, *request);
  if (!taken.ok()) return call->Finish(taken.status());
  if (*taken == RoundStaging::Taken::kAhead) {
    const absl::Time deadline = call->data.Deadline(kMaxAheadMs);
    const CancelToken cancel = call->data.call.cancel;
    auto late = [attempt] {
      return absl::DeadlineExceededError(absl::StrCat(
          "round ", attempt->open_round(), " of gradients is still open: ",
          RankList(attempt->rounds().Missing()), " of ", attempt->world(),
          " have not closed it"));
    };
    return attempt->applied().Park(
        request->round() - 1, deadline, cancel, std::move(late),
        [call, attempt, request](absl::Status status) {
          if (!status.ok()) return call->Finish(std::move(status));
          StagePart(call, attempt, request);
        });
  }
  const uint64_t applied = attempt->rounds().applied();
  if (*taken == RoundStaging::Taken::kComplete) {
    attempt->applied().Reach(applied);
  }
  v1::PushRoundReply reply;
  reply.set_round(applied);
  reply.set_draining(call->store().draining());
  call->Finish(HeaderAnswer(call->data.call.kind, reply));
}

// --- dispatch ----------------------------------------------------------------

// Answers a call of an attempt that is open.
template <typename Request>
void InAttempt(const CallPtr& call, TensorStream& stream,
               Answer (*serve)(const Call&, Attempt&, const Request&)) {
  const auto request = Parse<Request>(*call);
  if (!request.ok()) return call->Finish(request.status());
  const auto attempt = AttemptOf(*call, stream, *request);
  if (!attempt.ok()) return call->Finish(attempt.status());
  call->Finish(serve(*call, **attempt, *request));
}

// The same, once the round that the request names is applied.
template <typename Request>
void AfterItsRound(const CallPtr& call, TensorStream& stream,
                   Answer (*serve)(const Call&, Attempt&, const Request&)) {
  auto request = Parse<Request>(*call);
  if (!request.ok()) return call->Finish(request.status());
  const auto attempt = AttemptOf(*call, stream, *request);
  if (!attempt.ok()) return call->Finish(attempt.status());
  const uint64_t round = request->after_round();
  const uint64_t timeout_ms = request->timeout_ms();
  AfterRound(call, *attempt, round, timeout_ms,
             [call, attempt = *attempt, serve, request = *std::move(request)] {
               return serve(*call, *attempt, request);
             });
}

// Answers a call that finishes by itself.
template <typename Request, typename Serve>
void Hand(const CallPtr& call, TensorStream& stream, Serve serve) {
  auto request = Parse<Request>(*call);
  if (!request.ok()) return call->Finish(request.status());
  const auto attempt = AttemptOf(*call, stream, *request);
  if (!attempt.ok()) return call->Finish(attempt.status());
  serve(*attempt, *std::move(request));
}

void Dispatch(const CallPtr& call, TensorStream& stream) {
  switch (call->data.call.kind) {
    case MessageKind::kOpenAttemptRequest:
      return call->Finish(OpenAttempt(*call, stream));
    case MessageKind::kJoinAttemptRequest:
      return call->Finish(JoinAttempt(*call, stream));
    case MessageKind::kCloseAttemptRequest:
      return call->Finish(CloseAttempt(*call));
    case MessageKind::kMeetRequest:
      return Hand<v1::MeetRequest>(
          call, stream, [&](const AttemptPtr& attempt, v1::MeetRequest r) {
            Meet(call, attempt, r);
          });
    case MessageKind::kCreateTensorRequest:
      return InAttempt(call, stream, CreateTensor);
    case MessageKind::kAttachOptimizerRequest:
      return InAttempt(call, stream, AttachOptimizer);
    case MessageKind::kDropTensorRequest:
      return call->Finish(DropTensor(*call, stream));
    case MessageKind::kListTensorsRequest:
      return call->Finish(ListTensors(*call));
    case MessageKind::kReadRowsRequest:
      return AfterItsRound(call, stream, ReadRows);
    case MessageKind::kWriteRowsRequest:
      return InAttempt(call, stream, WriteRows);
    case MessageKind::kPushRoundRequest:
      return Hand<v1::PushRoundRequest>(
          call, stream, [&](const AttemptPtr& attempt, v1::PushRoundRequest r) {
            StagePart(
                call, attempt,
                std::make_shared<const v1::PushRoundRequest>(std::move(r)));
          });
    case MessageKind::kExportRowsRequest:
      return AfterItsRound(call, stream, ExportRows);
    case MessageKind::kImportRowsRequest:
      return InAttempt(call, stream, ImportRows);
    case MessageKind::kCopyTensorRequest:
      return AfterItsRound(call, stream, CopyTensor);
    case MessageKind::kSetRoundRequest:
      return InAttempt(call, stream, SetRound);
    default:
      return call->Finish(absl::UnimplementedError(
          absl::StrCat(MessageKindName(call->data.call.kind),
                       " is no call for mutable rows")));
  }
}

}  // namespace

void TensorStream::Use(TensorStore& store, Attempt& attempt) {
  std::shared_ptr<const void> use;  // released without the lock
  MutexLock lock(mutex_);
  if (!closed_ && uses_.contains(&attempt)) return;
  use = store.Use(attempt);
  if (!closed_) uses_.emplace(&attempt, std::move(use));
}

void TensorStream::Close() {
  std::map<const Attempt*, std::shared_ptr<const void>> uses;
  MutexLock lock(mutex_);
  closed_ = true;
  uses.swap(uses_);
}

bool IsTensorCall(MessageKind kind) {
  return kind >= MessageKind::kOpenAttemptRequest &&
         kind <= MessageKind::kSetRoundReply;
}

void ServeTensorCall(const TensorCalls& calls, TensorStream& stream,
                     DataCall data, CallResponder respond) {
  const auto call =
      std::make_shared<Call>(calls, std::move(data), std::move(respond));
  if (call->data.call.cancel.cancelled()) {
    return call->Finish(absl::CancelledError("the caller no longer waits"));
  }
  Dispatch(call, stream);
}

}  // namespace tributary
