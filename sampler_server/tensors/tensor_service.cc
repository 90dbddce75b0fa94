#include "sampler_server/tensors/tensor_service.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/proto/tensors.pb.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "sampler_server/tensors/request_checks.h"
#include "sampler_server/tensors/round_calls.h"
#include "sampler_server/tensors/row_calls.h"
#include "sampler_server/tensors/store_calls.h"
#include "sampler_server/tensors/tensor_call.h"

namespace tributary {
namespace tensor_internal {
namespace {

// The work of parsing a request (WorkSlice): small fields take most.
constexpr uint64_t kWorkPerHeaderByte = 5;
// The most pushes of one part of a round; trainers send 1000.
constexpr size_t kMaxPushes = 1024;

// --- attempts ----------------------------------------------------------------

void ToProto(const std::vector<RowMember>& from,
             google::protobuf::RepeatedPtrField<v1::TensorMember>* to) {
  for (const RowMember& member : from) {
    v1::TensorMember& one = *to->Add();
    one.set_address(member.address);
    one.set_incarnation(member.incarnation);
  }
}

// Returns the stream's job for a request that names `claim`.
absl::StatusOr<std::string> TakeJob(const Call& call, TensorStream& stream,
                                    const std::string& claim) {
  ASSIGN_OR_RETURN(const std::string name, CheckJob(claim));
  auto job = stream.job().Take(name);
  if (!job.ok()) {
    call.calls.refusals->Note(CallerRefusals::kJob, *call.data.call.caller,
                              job.status());
  }
  return job;
}

// Parses a request of an attempt, which is one of the stream's job.
template <typename Request>
absl::StatusOr<Request> ParseOwn(const Call& call, TensorStream& stream) {
  ASSIGN_OR_RETURN(Request request, Parse<Request>(call));
  ASSIGN_OR_RETURN(*request.mutable_attempt()->mutable_job(),
                   TakeJob(call, stream, request.attempt().job()));
  return request;
}

// A request about tensors of any job, or, from a trainer, those of its own.
template <typename Request>
absl::StatusOr<std::string> AnyJob(const Call& call, TensorStream& stream,
                                   const Request& request) {
  const bool own = stream.job().identity().role == Role::kTrainer;
  if (!own) return request.job();
  return TakeJob(call, stream, request.job());
}

absl::Status CheckMayRead(const Call& call, const v1::AttemptRef& ref) {
  if (!call.calls.may_read) return absl::OkStatus();
  return call.calls.may_read(*call.data.call.caller, ref.job(),
                             ref.content_digest());
}

void BeginOpen(const CallPtr& call, std::shared_ptr<TensorStream> stream,
               WorkSlice& slice) {
  const absl::Status count = CheckCount(
      call->data.call.header, v1::OpenAttemptRequest::kMembersFieldNumber,
      RowPlacement::kMaxMembers, "servers that hold rows");
  if (!count.ok()) return call->Finish(count);
  auto request = ParseOwn<v1::OpenAttemptRequest>(*call, *stream);
  if (!request.ok()) return call->Finish(request.status());
  const absl::Status may_read = CheckMayRead(*call, request->attempt());
  if (!may_read.ok()) return call->Finish(may_read);
  OpenAttempt(call, std::move(stream), *std::move(request))->Run(slice);
}

Answer JoinAttempt(const Call& call, TensorStream& stream) {
  ASSIGN_OR_RETURN(const auto request,
                   ParseOwn<v1::JoinAttemptRequest>(call, stream));
  RETURN_IF_ERROR(CheckMayRead(call, request.attempt()));
  ASSIGN_OR_RETURN(const auto attempt, call.store().Join(request.attempt()));
  stream.Use(call.store(), *attempt);
  v1::JoinAttemptReply reply;
  reply.set_attempt(attempt->number());
  reply.set_world(attempt->world());
  ToProto(attempt->options().members, reply.mutable_members());
  return HeaderAnswer(call.data.call.kind, reply);
}

void CloseAttempt(const CallPtr& call, TensorStream& stream) {
  const auto request = ParseOwn<v1::CloseAttemptRequest>(*call, stream);
  if (!request.ok()) return call->Finish(request.status());
  call->store().Close(request->attempt(), [call](const absl::Status& closed) {
    if (!closed.ok()) return call->Finish(closed);
    call->Finish(HeaderAnswer(call->data.call.kind, v1::CloseAttemptReply()));
  });
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
  KeepWhileWaiting(*call, visit.purpose.size());
  attempt->meetings().Meet(
      std::move(visit),
      [call, attempt](absl::StatusOr<Meetings::Values> values) {
        if (!values.ok()) return call->Finish(values.status());
        call->data.turns->Post([call, values = *values](WorkSlice& slice) {
          v1::MeetReply reply;
          for (const std::string& value : *values) reply.add_values(value);
          CallAnswer answer = HeaderAnswer(call->data.call.kind, reply);
          slice.Spend(answer.header.size());
          call->Finish(std::move(answer));
        });
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
  ASSIGN_OR_RETURN(auto request, Parse<v1::DropTensorRequest>(call));
  v1::DropTensorReply reply;
  if (request.attempt().attempt() == 0) {
    ASSIGN_OR_RETURN(const std::string job,
                     AnyJob(call, stream, request.attempt()));
    ASSIGN_OR_RETURN(
        const bool existed,
        call.store().DropForOperator(job, request.attempt().content_digest(),
                                     request.name()));
    reply.set_existed(existed);
  } else {
    ASSIGN_OR_RETURN(*request.mutable_attempt()->mutable_job(),
                     TakeJob(call, stream, request.attempt().job()));
    ASSIGN_OR_RETURN(const auto attempt, AttemptOf(call, stream, request));
    ASSIGN_OR_RETURN(const bool existed,
                     call.store().Drop(*attempt, request.name()));
    reply.set_existed(existed);
  }
  return HeaderAnswer(call.data.call.kind, reply);
}

void BeginList(const CallPtr& call, TensorStream& stream, WorkSlice& slice) {
  const auto request = Parse<v1::ListTensorsRequest>(*call);
  if (!request.ok()) return call->Finish(request.status());
  auto job = AnyJob(*call, stream, *request);
  if (!job.ok()) return call->Finish(job.status());
  ListTensors(call, *std::move(job))->Run(slice);
}

Answer SetRound(const Call& call, Attempt& attempt,
                const v1::SetRoundRequest& request) {
  RETURN_IF_ERROR(attempt.WhileOpen(
      [&] { return attempt.rounds().SetRound(request.round()); }));
  attempt.applied().Reach(request.round());
  return HeaderAnswer(call.data.call.kind, v1::SetRoundReply());
}

// --- dispatch ----------------------------------------------------------------

// Answers a call of an attempt that is open.
template <typename Request>
void InAttempt(const CallPtr& call, TensorStream& stream,
               Answer (*serve)(const Call&, Attempt&, const Request&)) {
  const auto request = ParseOwn<Request>(*call, stream);
  if (!request.ok()) return call->Finish(request.status());
  const auto attempt = AttemptOf(*call, stream, *request);
  if (!attempt.ok()) return call->Finish(attempt.status());
  call->Finish(serve(*call, **attempt, *request));
}

// Makes the steps of a call of an attempt that is open.
template <typename Request>
using MakeSteps = std::shared_ptr<SteppedCall> (*)(CallPtr, AttemptPtr,
                                                   Request);

// Answers such a call.
template <typename Request>
void InSteps(const CallPtr& call, TensorStream& stream, WorkSlice& slice,
             MakeSteps<Request> make) {
  auto request = ParseOwn<Request>(*call, stream);
  if (!request.ok()) return call->Finish(request.status());
  const auto attempt = AttemptOf(*call, stream, *request);
  if (!attempt.ok()) return call->Finish(attempt.status());
  make(call, *attempt, *std::move(request))->Run(slice);
}

// The same, once the round that the request names is applied.
template <typename Request>
void AfterItsRound(const CallPtr& call, TensorStream& stream, WorkSlice& slice,
                   MakeSteps<Request> make) {
  auto request = ParseOwn<Request>(*call, stream);
  if (!request.ok()) return call->Finish(request.status());
  const auto attempt = AttemptOf(*call, stream, *request);
  if (!attempt.ok()) return call->Finish(attempt.status());
  const uint64_t round = request->after_round();
  const uint64_t timeout_ms = request->timeout_ms();
  const size_t parsed = request->SpaceUsedLong();
  auto steps = make(call, *attempt, *std::move(request));
  AfterRound(
      call, *attempt, round, timeout_ms, parsed,
      [steps = std::move(steps)](WorkSlice& slice) { steps->Run(slice); },
      slice);
}

void BeginMeet(const CallPtr& call, TensorStream& stream) {
  const auto request = ParseOwn<v1::MeetRequest>(*call, stream);
  if (!request.ok()) return call->Finish(request.status());
  const auto attempt = AttemptOf(*call, stream, *request);
  if (!attempt.ok()) return call->Finish(attempt.status());
  Meet(call, *attempt, *request);
}

void BeginPush(const CallPtr& call, TensorStream& stream, WorkSlice& slice) {
  const absl::Status count = CheckCount(
      call->data.call.header, v1::PushRoundRequest::kPushesFieldNumber,
      kMaxPushes, "pushes");
  if (!count.ok()) return call->Finish(count);
  InSteps<v1::PushRoundRequest>(call, stream, slice, PushRound);
}

void Dispatch(const CallPtr& call, std::shared_ptr<TensorStream> owner,
              WorkSlice& slice) {
  TensorStream& stream = *owner;
  switch (call->data.call.kind) {
    case MessageKind::kOpenAttemptRequest:
      return BeginOpen(call, std::move(owner), slice);
    case MessageKind::kJoinAttemptRequest:
      return call->Finish(JoinAttempt(*call, stream));
    case MessageKind::kCloseAttemptRequest:
      return CloseAttempt(call, stream);
    case MessageKind::kMeetRequest:
      return BeginMeet(call, stream);
    case MessageKind::kCreateTensorRequest:
      return InAttempt(call, stream, CreateTensor);
    case MessageKind::kAttachOptimizerRequest:
      return InAttempt(call, stream, AttachOptimizer);
    case MessageKind::kDropTensorRequest:
      return call->Finish(DropTensor(*call, stream));
    case MessageKind::kListTensorsRequest:
      return BeginList(call, stream, slice);
    case MessageKind::kReadRowsRequest:
      return AfterItsRound<v1::ReadRowsRequest>(call, stream, slice, ReadRows);
    case MessageKind::kWriteRowsRequest:
      return InSteps<v1::WriteRowsRequest>(call, stream, slice, WriteRows);
    case MessageKind::kPushRoundRequest:
      return BeginPush(call, stream, slice);
    case MessageKind::kExportRowsRequest:
      return AfterItsRound<v1::ExportRowsRequest>(call, stream, slice,
                                                  ExportRows);
    case MessageKind::kImportRowsRequest:
      return InSteps<v1::ImportRowsRequest>(call, stream, slice, ImportRows);
    case MessageKind::kCopyTensorRequest:
      return AfterItsRound<v1::CopyTensorRequest>(call, stream, slice,
                                                  CopyTensor);
    case MessageKind::kSetRoundRequest:
      return InAttempt(call, stream, SetRound);
    default:
      return call->Finish(absl::UnimplementedError(
          absl::StrCat(MessageKindName(call->data.call.kind),
                       " is no call for mutable rows")));
  }
}

}  // namespace
}  // namespace tensor_internal

void TensorStream::Use(TensorStore& store, Attempt& attempt) {
  std::vector<std::shared_ptr<const void>> ended;  // released without the lock
  std::shared_ptr<const void> use;                 // the same
  MutexLock lock(mutex_);
  if (!closed_ && uses_.contains(&attempt)) return;
  use = store.Use(attempt);
  if (closed_) return;
  // Attempts that have ended are of no more use to the stream.
  for (auto it = uses_.begin(); it != uses_.end();) {
    if (it->first->ended().ok()) {
      ++it;
      continue;
    }
    ended.push_back(std::move(it->second));
    it = uses_.erase(it);
  }
  uses_.emplace(&attempt, std::move(use));
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

void ServeTensorCall(const TensorCalls& calls,
                     std::shared_ptr<TensorStream> stream, DataCall data,
                     CallResponder respond, WorkSlice& slice) {
  const auto call = std::make_shared<tensor_internal::Call>(
      calls, std::move(data), std::move(respond));
  const IncomingCall& incoming = call->data.call;
  if (incoming.cancel.cancelled()) {
    return call->Finish(absl::CancelledError("the caller no longer waits"));
  }
  slice.Spend(tensor_internal::kWorkPerHeaderByte * incoming.header.size());
  tensor_internal::Dispatch(call, std::move(stream), slice);
}

}  // namespace tributary
