#include "trainer_client/tensors/member_link.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

constexpr BackoffOptions kBackoff{absl::Milliseconds(20), absl::Seconds(1)};
constexpr absl::Duration kJoinEvery = absl::Seconds(20);
constexpr absl::Duration kProbeTimeout = absl::Seconds(5);

// Whether the member no longer has the attempt.
bool IsUnknownAttempt(const absl::Status& status, const MemberCall& call) {
  return absl::IsFailedPrecondition(status) ||
         (absl::IsNotFound(status) &&
          call.kind == MessageKind::kJoinAttemptRequest);
}

// Whether the same call may succeed later.
bool IsPassing(const absl::Status& status, const MemberCall& call) {
  return absl::IsUnavailable(status) || absl::IsAborted(status) ||
         (absl::IsResourceExhausted(status) && call.retry_when_full);
}

}  // namespace

MemberLink::MemberLink(MemberLinkOptions options)
    : options_(std::move(options)), backoff_(kBackoff, options_.jitter_seed) {}

void MemberLink::Call(MemberCall call, Done done) {
  const uint64_t id = next_id_++;
  Open& open = calls_[id];
  open.bytes = call.payload.size() + call.max_reply_bytes;
  open.call = std::move(call);
  open.done = std::move(done);
  if (!closed_.ok()) {
    options_.strand->Post([weak = weak_from_this(), id] {
      if (auto self = weak.lock()) self->Finish(id, self->closed_);
    });
    return;
  }
  open.timer = options_.strand->PostAt(open.call.deadline,
                                       [weak = weak_from_this(), id] {
                                         if (auto self = weak.lock())
                                           self->OnDeadline(id);
                                       });
  waiting_.insert(id);
  Pump();
}

void MemberLink::KeepJoined(std::string request, absl::Duration timeout,
                            Done joined) {
  join_ = std::move(request);
  join_timeout_ = timeout;
  Join(std::move(joined));
}

void MemberLink::Join(Done done) {
  Call({.kind = MessageKind::kJoinAttemptRequest,
        .reply = MessageKind::kJoinAttemptReply,
        .header = join_,
        .deadline = options_.strand->Now() + join_timeout_},
       std::move(done));
  join_timer_ =
      options_.strand->PostAfter(kJoinEvery, [weak = weak_from_this()] {
        auto self = weak.lock();
        if (self == nullptr || !self->closed_.ok()) return;
        self->Join([](const absl::StatusOr<CallReply>&) {});
      });
}

void MemberLink::Close(const absl::Status& why) {
  if (!closed_.ok()) return;
  closed_ = why;
  if (join_timer_ != 0) options_.strand->CancelTimer(join_timer_);
  waiting_.clear();
  client_ = nullptr;
  while (!calls_.empty()) Finish(calls_.begin()->first, why);
}

bool MemberLink::HasRoomFor(const Open& open) const {
  if (open.call.waits_for_ranks || in_flight_ == 0) return true;
  return in_flight_ < options_.max_in_flight &&
         bytes_in_flight_ + open.bytes <= options_.max_bytes_in_flight;
}

void MemberLink::Pump() {
  if (pausing_ || !closed_.ok()) return;
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    const uint64_t id = *it;
    Open& open = calls_.at(id);
    if (!HasRoomFor(open)) {
      ++it;  // one that waits for ranks may follow
      continue;
    }
    it = waiting_.erase(it);
    Send(id, open);
  }
}

void MemberLink::Send(uint64_t id, Open& open) {
  if (client_ == nullptr || !client_->open()) {
    ++generation_;
    client_ = std::make_unique<CallClient>(options_.transport, options_.address,
                                           StreamMethod::kData,
                                           options_.strand->executor());
  }
  open.in_flight = true;
  if (!open.call.waits_for_ranks) {
    ++in_flight_;
    bytes_in_flight_ += open.bytes;
  }
  client_->Call(
      {.kind = open.call.kind,
       .header = open.call.header,
       .payload = open.call.payload,
       .payload_owner = open.call.payload_owner},
      open.call.deadline, open.call.max_reply_bytes,
      [strand = options_.strand, weak = weak_from_this(), id,
       generation = generation_](absl::StatusOr<CallReply> reply) mutable {
        strand->Post([weak = std::move(weak), id, generation,
                      reply = std::move(reply)]() mutable {
          if (auto self = weak.lock()) {
            self->OnReply(id, generation, std::move(reply));
          }
        });
      });
}

void MemberLink::OnReply(uint64_t id, uint64_t generation,
                         absl::StatusOr<CallReply> reply) {
  const auto it = calls_.find(id);
  if (it == calls_.end()) return;
  Open& open = it->second;
  open.in_flight = false;
  if (!open.call.waits_for_ranks) {
    --in_flight_;
    bytes_in_flight_ -= open.bytes;
  }
  if (!reply.ok()) {
    const bool broken =
        generation != generation_ || client_ == nullptr || !client_->open();
    if (broken) {
      RetryLater(id, reply.status());
    } else {
      OnError(id, open, reply.status());
    }
  } else if (reply->kind != open.call.reply) {
    Finish(id, absl::InternalError(
                   absl::StrCat(options_.member.address, " answered ",
                                MessageKindName(open.call.kind), " by ",
                                MessageKindName(reply->kind))));
  } else {
    backoff_.Reset();
    joined_ = joined_ || reply->kind == MessageKind::kJoinAttemptReply;
    Finish(id, std::move(reply));
  }
  Pump();
}

void MemberLink::OnError(uint64_t id, Open& open, const absl::Status& error) {
  if (options_.strand->Now() >= open.call.deadline) return OnDeadline(id);
  if (IsPassing(error, open.call)) return RetryLater(id, error);
  if (IsUnknownAttempt(error, open.call)) return Probe(id, error);
  Finish(id, error);
}

void MemberLink::RetryLater(uint64_t id, const absl::Status& trouble) {
  if (absl::IsFailedPrecondition(trouble) ||
      absl::IsPermissionDenied(trouble) || absl::IsUnauthenticated(trouble)) {
    return Finish(id, trouble);  // the stream is refused for good
  }
  last_trouble_ = trouble;
  waiting_.insert(id);
  Pause();
}

void MemberLink::Pause() {
  if (std::exchange(pausing_, true)) return;
  options_.strand->PostAfter(backoff_.Next(), [weak = weak_from_this()] {
    auto self = weak.lock();
    if (self == nullptr) return;
    self->pausing_ = false;
    self->Pump();
  });
}

void MemberLink::OnDeadline(uint64_t id) {
  const auto it = calls_.find(id);
  if (it == calls_.end() || !closed_.ok()) return;
  const Open& open = it->second;
  if ((open.call.waits_for_ranks || open.call.may_wait_for_ranks) &&
      open.in_flight && client_ != nullptr && client_->open()) {
    return Finish(id, absl::DeadlineExceededError(
                          absl::StrCat(MessageKindName(open.call.kind),
                                       ": other ranks have not come in time")));
  }
  CloseAsLost(absl::StrCat(
      "has not answered ", MessageKindName(open.call.kind), " in time",
      last_trouble_.ok()
          ? ""
          : absl::StrCat(" (last trouble: ", last_trouble_.message(), ")")));
}

void MemberLink::Probe(uint64_t id, absl::Status error) {
  auto control = std::make_shared<ControlCalls>(
      options_.transport, options_.address, options_.strand);
  GraphChoice graph = options_.graph;
  graph.text = false;
  control->Describe(
      graph, kProbeTimeout,
      [weak = weak_from_this(), control, id, error = std::move(error)](
          const absl::StatusOr<ServerDescription>& described) {
        auto self = weak.lock();
        if (self == nullptr) return;
        if (described.ok() &&
            described->incarnation != self->options_.member.incarnation) {
          return self->CloseAsLost("has started again without them");
        }
        self->OnUnknown(id, error);
      });
}

// A rank may have found the attempt on another member, while rank 0 is still
// opening it here.
void MemberLink::OnUnknown(uint64_t id, const absl::Status& error) {
  if (!calls_.contains(id) || joined_ || !absl::IsNotFound(error)) {
    return Finish(id, error);
  }
  RetryLater(id, error);
}

void MemberLink::CloseAsLost(absl::string_view what) {
  if (!closed_.ok()) return;
  const auto self = shared_from_this();
  Close(absl::UnavailableError(absl::StrCat(
      "the server ", options_.member.address,
      ", which holds rows of this run, ", what, "; ", kGoOnFromCheckpoint)));
  if (options_.on_lost) options_.on_lost(closed_);
}

void MemberLink::Finish(uint64_t id, absl::StatusOr<CallReply> result) {
  const auto it = calls_.find(id);
  if (it == calls_.end()) return;
  Open open = std::move(it->second);
  calls_.erase(it);
  waiting_.erase(id);
  if (open.in_flight && !open.call.waits_for_ranks) {
    --in_flight_;
    bytes_in_flight_ -= open.bytes;
  }
  if (open.timer != 0) options_.strand->CancelTimer(open.timer);
  // Posted, so that no callback runs inside a method of the link.
  options_.strand->Post(
      [done = std::move(open.done), result = std::move(result)]() mutable {
        done(std::move(result));
      });
}

}  // namespace tributary
