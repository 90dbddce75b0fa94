#include "sampler_server/peers/owner_call.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/fleet/backoff.h"
#include "common/proto/trace.pb.h"
#include "sampler_server/engine/batch/peer_calls.h"

namespace tributary {
namespace {

// Of one attempt. A peer that is alive answers within milliseconds.
constexpr absl::Duration kAttemptTimeout = absl::Seconds(5);
// How long before the caller's own deadline it gets the error that says what
// was tried.
constexpr absl::Duration kMaxMargin = absl::Milliseconds(100);
constexpr BackoffOptions kBackoff{absl::Milliseconds(20), absl::Seconds(1)};

// What an owner's error says, as the table in the header has it.
enum class Blame { kCall, kRequest, kPeerFailed, kBadAnswer };

Blame BlameOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      return Blame::kRequest;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kNotFound:
      return Blame::kPeerFailed;
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnknown:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
      return Blame::kBadAnswer;
    default:
      return Blame::kCall;
  }
}

v1::PeerCallSpan::Call CallOf(MessageKind request) {
  switch (request) {
    case MessageKind::kSampleHopRequest:
      return v1::PeerCallSpan::CALL_SAMPLE_HOP;
    case MessageKind::kGatherRequest:
      return v1::PeerCallSpan::CALL_GATHER;
    case MessageKind::kQuestionRequest:
      return v1::PeerCallSpan::CALL_QUESTION;
    default:
      return v1::PeerCallSpan::CALL_UNSPECIFIED;
  }
}

// Returns what the peer tells of its time; nothing if it is an older one, or
// its header cannot be read, which is found out elsewhere.
v1::LeafTimes TimesIn(const CallReply& reply) {
  v1::LeafReplyTrace trace;
  if (!trace.ParseFromString(reply.header)) return {};
  return std::move(*trace.mutable_times());
}

class OwnerCall : public std::enable_shared_from_this<OwnerCall> {
 public:
  OwnerCall(std::shared_ptr<PeerDirectory> directory, OwnerCallSpec spec)
      : directory_(std::move(directory)),
        spec_(std::move(spec)),
        backoff_(kBackoff, spec_.partition) {}

  void Start() {
    const absl::Duration left = spec_.limits.deadline - spec_.strand->Now();
    give_up_ = spec_.limits.deadline - std::min(kMaxMargin, left / 10);
    spec_.limits.cancel.OnCancel([weak = weak_from_this()] {
      if (auto self = weak.lock()) {
        self->spec_.strand->Post([self] { self->OnCancelled(); });
      }
    });
    Post([](OwnerCall& call) { call.Try(); });
  }

 private:
  struct Attempt {
    std::shared_ptr<Peer> owner;
    absl::Status error;
    Blame blame;
  };

  template <typename F>
  void Post(F f) {
    spec_.strand->Post([self = shared_from_this(), f] { f(*self); });
  }

  std::shared_ptr<Peer> PickOwner() {
    for (auto& owner : directory_->Owners(spec_.partition)) {
      if (!tried_.contains(owner->address())) return owner;
    }
    return nullptr;
  }

  void Try() {
    retry_ = 0;
    if (ended_) return;
    const absl::Duration left = give_up_ - spec_.strand->Now();
    if (left <= absl::ZeroDuration()) return Finish(Unavailable());
    auto owner = PickOwner();
    if (owner == nullptr) return EndRound();
    const absl::Duration timeout = std::min(left, kAttemptTimeout);
    const uint64_t timeout_ms =
        std::max<int64_t>(1, absl::ToInt64Milliseconds(timeout));
    const absl::Time began = spec_.strand->Now();
    const absl::Time end = began + timeout;
    owner->answer_times().Begin(began);
    client_ = owner->Leaf();
    call_ = client_->Call(
        {spec_.kind, Header(timeout_ms), spec_.payload, spec_.payload_owner},
        end, spec_.max_reply_bytes,
        [self = shared_from_this(), owner, began, end,
         full = timeout == kAttemptTimeout](absl::StatusOr<CallReply> reply) {
          const absl::Time now = self->spec_.strand->Now();
          owner->answer_times().End(began, now, reply.ok());
          self->LogCall(owner->address(), began, now, reply);
          // An answer of the peer itself comes before `end`.
          const bool silent = full && now >= end;
          self->spec_.strand->Post(
              [self, owner, silent, reply = std::move(reply)]() mutable {
                self->OnReply(owner, silent, std::move(reply));
              });
        });
  }

  // All kinds of requests have the trace's id under the same number: messages
  // merge by concatenation.
  std::string Header(uint64_t timeout_ms) const {
    std::string header = spec_.header(timeout_ms);
    if (spec_.limits.calls == nullptr) return header;
    if (spec_.limits.calls->trace_id().empty()) return header;
    v1::LeafRequestTrace trace;
    trace.set_trace_id(spec_.limits.calls->trace_id());
    trace.AppendToString(&header);
    return header;
  }

  void LogCall(const Address& owner, absl::Time began, absl::Time now,
               const absl::StatusOr<CallReply>& reply) const {
    if (spec_.limits.calls == nullptr) return;
    v1::PeerCallSpan span;
    span.set_peer(owner.ToString());
    span.set_call(CallOf(spec_.kind));
    span.set_partition(spec_.partition);
    span.set_code(static_cast<int32_t>(reply.status().code()));
    if (reply.ok()) {
      span.set_reply_bytes(reply->payload.size());
      *span.mutable_times() = TimesIn(*reply);
    }
    spec_.limits.calls->Add(std::move(span), began, now);
  }

  void OnReply(const std::shared_ptr<Peer>& owner, bool silent,
               absl::StatusOr<CallReply> reply) {
    if (ended_) return;
    if (reply.ok()) {
      absl::Status accepted = Accept(*std::move(reply));
      if (accepted.ok()) return FinishWell();
      directory_->ReportBadAnswer(owner, accepted);
      return TryNext(owner, std::move(accepted), Blame::kBadAnswer);
    }
    const absl::Status& status = reply.status();
    const Blame blame = BlameOf(status.code());
    if (blame == Blame::kPeerFailed) directory_->ReportFailure(owner, status);
    if (blame == Blame::kBadAnswer) directory_->ReportBadAnswer(owner, status);
    if (silent && absl::IsDeadlineExceeded(status)) {
      directory_->ReportSilence(owner, status);
    }
    TryNext(owner, status, blame);
  }

  // Owners that took the request for invalid were wrong.
  void FinishWell() {
    for (const auto& [address, attempt] : attempts_) {
      if (attempt.blame != Blame::kRequest) continue;
      directory_->ReportBadAnswer(attempt.owner, attempt.error);
    }
    Finish(absl::OkStatus());
  }

  absl::Status Accept(CallReply reply) {
    if (reply.kind == spec_.reply_kind) return spec_.accept(std::move(reply));
    return absl::DataLossError(
        absl::StrCat("answered by ", MessageKindName(reply.kind),
                     " instead of ", MessageKindName(spec_.reply_kind)));
  }

  void TryNext(const std::shared_ptr<Peer>& owner, absl::Status status,
               Blame blame) {
    tried_.insert(owner->address());
    attempts_[owner->address()] = {owner, std::move(status), blame};
    Try();
  }

  bool AllBlameTheRequest() const {
    return !tried_.empty() &&
           std::all_of(tried_.begin(), tried_.end(), [this](const auto& at) {
             return attempts_.at(at).blame == Blame::kRequest;
           });
  }

  // All healthy owners have been tried.
  void EndRound() {
    if (AllBlameTheRequest()) {
      const absl::Status& error = attempts_.at(*tried_.begin()).error;
      return Finish(absl::Status(
          error.code(),
          absl::StrCat("partition ", spec_.partition, ", asked ",
                       tried_.begin()->ToString(), ": ", error.message())));
    }
    tried_.clear();
    // No later than the error that says what was tried.
    const absl::Time again =
        std::min(spec_.strand->Now() + backoff_.Next(), give_up_);
    retry_ = spec_.strand->PostAt(again,
                                  [self = shared_from_this()] { self->Try(); });
  }

  absl::Status Unavailable() const {
    std::string tried;
    for (const auto& [address, attempt] : attempts_) {
      absl::StrAppend(&tried, tried.empty() ? "tried " : ", ",
                      address.ToString(), " (", attempt.error.ToString(), ")");
    }
    if (tried.empty()) tried = "no live server owns it";
    const std::string problems = directory_->Problems();
    if (!problems.empty()) {
      absl::StrAppend(&tried, "; not answering: ", problems);
    }
    return absl::UnavailableError(
        absl::StrCat("partition ", spec_.partition,
                     " could not be reached in time: ", tried));
  }

  void OnCancelled() {
    if (ended_) return;
    ended_ = true;
    if (client_ != nullptr) client_->Cancel(call_);
    Release();
  }

  void Finish(absl::Status status) {
    ended_ = true;
    auto done = std::move(spec_.done);
    Release();
    done(std::move(status));
  }

  // Drops the callbacks and the payload, which may own this call and much
  // memory. Requires that the caller keeps this call alive and that none of the
  // callbacks is running.
  void Release() {
    spec_.strand->CancelTimer(retry_);
    spec_.done = nullptr;
    spec_.accept = nullptr;
    spec_.header = nullptr;
    spec_.payload = {};
    spec_.payload_owner.reset();
    client_.reset();
  }

  const std::shared_ptr<PeerDirectory> directory_;
  OwnerCallSpec spec_;
  Backoff backoff_;
  absl::Time give_up_;
  std::set<Address> tried_;              // since the last back-off
  std::map<Address, Attempt> attempts_;  // the latest that failed
  std::shared_ptr<CallClient> client_;
  CallClient::CallId call_ = 0;
  TimerId retry_ = 0;   // ends the back-off
  bool ended_ = false;  // finished or cancelled
};

}  // namespace

void StartOwnerCall(std::shared_ptr<PeerDirectory> directory,
                    OwnerCallSpec spec) {
  std::make_shared<OwnerCall>(std::move(directory), std::move(spec))->Start();
}

}  // namespace tributary
