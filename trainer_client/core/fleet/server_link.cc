#include "trainer_client/core/fleet/server_link.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "channel/planned_end.h"
#include "common/observe/log.h"

namespace tributary {
namespace {

// A server that does not keep the session for the length of one round trip is
// of no use.
constexpr int kMaxUnknownInRow = 8;

// A server that refuses batches is asked no more often why.
constexpr absl::Duration kAskAgainAfter = absl::Seconds(1);

// A server whose grants are silent this many times longer than suspicion takes
// must be dead.
constexpr int kDeadAfterSilences = 4;

// A server answers a cancel within this share of the time that a batch may
// take, or it holds the room on purpose.
constexpr double kCancelShareOfTimeout = 0.25;

// Of a server that is not asked for batches.
constexpr absl::Duration kUsualTimeHalvesAfter = absl::Seconds(2);

}  // namespace

ServerLink::ServerLink(ServerLinkOptions options,
                       std::weak_ptr<ServerEvents> events)
    : options_(std::move(options)),
      events_(std::move(events)),
      graph_{options_.graph, std::nullopt, /*text=*/false},
      backoff_(options_.backoff, options_.jitter_seed),
      streams_({.transport = options_.transport,
                .address = options_.address,
                .strand = options_.strand,
                .num_streams = options_.num_streams,
                .grants_per_stream = options_.grants_per_stream,
                .client_name = options_.client_name}) {}

void ServerLink::Start() {
  down_since_ = down_until_ = options_.strand->Now();
  Connect();
}

void ServerLink::Connect() {
  if (state_ != State::kDown) return;
  attempt_at_ = options_.strand->Now();
  state_ = State::kDescribing;
  control_ = std::make_unique<ControlCalls>(options_.transport,
                                            options_.address, options_.strand);
  control_->Describe(graph_, options_.call_timeout,
                     [weak = weak_from_this(), attempt = ++attempt_](
                         absl::StatusOr<ServerDescription> reply) {
                       if (auto self = weak.lock()) {
                         self->OnDescribeReply(attempt, std::move(reply));
                       }
                     });
}

void ServerLink::OnDescribeReply(uint64_t attempt,
                                 absl::StatusOr<ServerDescription> reply) {
  if (attempt != attempt_ || state_ != State::kDescribing) return;
  const auto events = events_.lock();
  if (events == nullptr) return;
  if (!reply.ok()) return GoDown(reply.status());
  description_ = *std::move(reply);
  options_.transport->NoteTakesTcp(options_.address, description_.incarnation,
                                   description_.takes_tcp);
  if (description_.draining) {
    return GoDown(absl::UnavailableError("it is draining"));
  }
  const absl::Status accepted = events->OnDescribed(*this, description_);
  // Of a server that always sends it.
  std::string().swap(description_.graph_json);
  if (!accepted.ok()) return GoDown(accepted);
  state_ = State::kUp;
  problem_ = absl::OkStatus();
  up_since_ = options_.strand->Now();
  unknown_sessions_in_row_ = 0;
  paused_until_ = absl::InfinitePast();
  OpenStreams();
  events->OnServerUp(*this);
}

void ServerLink::SetSession(std::shared_ptr<const std::string> spec) {
  spec_ = std::move(spec);
  unknown_sessions_in_row_ = 0;
  streams_.OpenSessions(*spec_);
  OpenStreams();
}

void ServerLink::OpenStreams() {
  if (state_ != State::kUp || spec_ == nullptr || streams_.is_open()) return;
  streams_.Open(*spec_, weak_from_this());
}

void ServerLink::Disconnect(absl::Status why) {
  if (state_ == State::kUp) GoDown(std::move(why));
}

absl::Duration ServerLink::settled_for() const {
  if (attempts_failed_ == 0) return absl::InfiniteDuration();
  return up() ? options_.strand->Now() - up_since_ : absl::ZeroDuration();
}

void ServerLink::GoDown(absl::Status why) {
  ++attempts_failed_;
  if (std::exchange(draining_, false) && !IsPlannedEnd(why)) {
    why = PlannedEnd(absl::StrCat("it drained: ", why.message()));
  }
  if (state_ == State::kUp) {
    down_since_ = down_until_ = options_.strand->Now();
  } else {
    down_until_ = attempt_at_;
  }
  state_ = State::kDown;
  ++attempt_;
  // To a server, this end never plans anything.
  std::vector<OpenGrant> lost = streams_.Close(
      IsPlannedEnd(why) ? absl::UnavailableError(why.message()) : why);
  if (!absl::IsCancelled(why)) {  // this loader's own doing
    LogRepeated(LogLevel::kWarning, "server", options_.address.ToString(),
                absl::StrCat("server ", options_.address.ToString(), ": ",
                             why.ToString()));
  }
  problem_ = std::move(why);
  control_.reset();
  timer_ =
      options_.strand->PostAfter(backoff_.Next(), [weak = weak_from_this()] {
        if (auto self = weak.lock()) {
          self->Connect();
        }
      });
  if (auto events = events_.lock()) {
    events->OnServerDown(*this, std::move(lost));
  }
}

void ServerLink::Close(absl::AnyInvocable<void()> closed) {
  const bool was_up = up();
  state_ = State::kClosed;
  closed_ = std::move(closed);
  ++attempt_;
  options_.strand->CancelTimer(timer_);
  control_.reset();
  // A server that is owed nothing and owes nothing hears of a normal end.
  streams_.Close(was_up && streams_.num_grants() == 0
                     ? absl::OkStatus()
                     : absl::CancelledError("the loader closes"));
  ReportIfClosed();
}

void ServerLink::ReportIfClosed() {
  if (closed_ && !streams_.has_closing()) std::exchange(closed_, nullptr)();
}

void ServerLink::OnStreamClosed(BatchStream& stream, absl::Status why) {
  if (streams_.Has(stream)) GoDown(std::move(why));
  streams_.Forget(stream);
  ReportIfClosed();
}

void ServerLink::OnSessionKnown(BatchStream& stream, bool known) {
  if (known) {
    unknown_sessions_in_row_ = 0;
  } else if (++unknown_sessions_in_row_ <= kMaxUnknownInRow) {
    streams_.OpenSession(stream, *spec_);
  }
}

void ServerLink::OnGrantEnd(BatchStream& stream, GrantEnd end) {
  const std::optional<OpenGrant> grant = streams_.TakeEnded(stream, end.grant);
  if (!grant.has_value()) return;  // the server has gone down since
  const bool filled = end.kind == GrantEnd::Kind::kFilled;
  if (filled) {
    const absl::Duration took = grant->Age(options_.strand->Now());
    usual_time_ = usual_time_ * 0.8 + took * 0.2;
    filled_at_ = options_.strand->Now();
  }
  OnSessionKnown(stream, end.kind != GrantEnd::Kind::kUnknownSession);
  const bool refused = end.kind == GrantEnd::Kind::kError && end.retryable &&
                       absl::IsUnavailable(end.error);
  if (auto events = events_.lock()) {
    events->OnGrantEnd(*this, *grant, std::move(end));
  }
  // Only a batch that was accepted proves that the server is well.
  if (filled && up()) backoff_.Reset();
  if (unknown_sessions_in_row_ > kMaxUnknownInRow) {
    Disconnect(absl::UnavailableError("it forgets the session at once"));
  }
  if (refused && up()) AskWhetherItDrains();
  GoDownIfDrained();
}

void ServerLink::AskWhetherItDrains() {
  const absl::Time now = options_.strand->Now();
  if (draining_ || now - asked_whether_it_drains_ < kAskAgainAfter) return;
  asked_whether_it_drains_ = now;
  control_->Describe(graph_, options_.call_timeout,
                     [weak = weak_from_this(), attempt = attempt_](
                         absl::StatusOr<ServerDescription> reply) {
                       auto self = weak.lock();
                       if (self != nullptr && attempt == self->attempt_) {
                         self->OnDrainReply(std::move(reply));
                       }
                     });
}

void ServerLink::OnDrainReply(absl::StatusOr<ServerDescription> reply) {
  if (!up() || !reply.ok() || !reply->draining) return;
  draining_ = true;
  if (auto events = events_.lock()) events->OnServerUp(*this);
  GoDownIfDrained();
}

void ServerLink::GoDownIfDrained() {
  if (draining_ && up() && streams_.num_grants() == 0) {
    GoDown(PlannedEnd("it is draining"));
  }
}

bool ServerLink::CanTake(bool exclusive) const {
  return up() && !resting_ && !draining_ &&
         options_.strand->Now() >= paused_until_ && streams_.CanTake(exclusive);
}

double ServerLink::Load() const {
  return (1.0 + static_cast<double>(streams_.num_grants())) *
         absl::ToDoubleSeconds(ExpectedTime());
}

absl::Duration ServerLink::ExpectedTime() const {
  const absl::Duration idle = options_.strand->Now() - filled_at_;
  if (streams_.num_grants() > 0 || idle <= absl::ZeroDuration()) {
    return usual_time_;
  }
  return std::max(std::min(usual_time_, kFirstGuess),
                  usual_time_ * std::exp2(-absl::FDivDuration(
                                    idle, kUsualTimeHalvesAfter)));
}

void ServerLink::RequestBatch(CreditRequest request) {
  const auto& held = request.held.view;
  if (held != nullptr &&
      (held->empty() || !description_.HasHotList(held->list))) {
    request.held = {};
  }
  streams_.Request(request, options_.credit_timeout);
}

void ServerLink::PauseRequests(absl::Duration how_long) {
  paused_until_ = std::max(paused_until_, options_.strand->Now() + how_long);
}

// Until then a batch that nobody wants holds room.
absl::Duration ServerLink::PatienceWithCancels() const {
  return std::max(kDeadAfterSilences * options_.silence,
                  kCancelShareOfTimeout * options_.credit_timeout);
}

std::vector<BatchRef> ServerLink::FindSilent() {
  ServerStreams::Silence found = streams_.MeasureSilence(options_.silence);
  const absl::Duration dead_after = kDeadAfterSilences * options_.silence;
  if (found.longest >= dead_after) {
    Disconnect(absl::UnavailableError(absl::StrCat(
        "no sign of life for ", absl::FormatDuration(dead_after))));
  } else if (found.longest_cancelled >= PatienceWithCancels()) {
    Disconnect(absl::UnavailableError(
        absl::StrCat("it has not answered a cancel for ",
                     absl::FormatDuration(found.longest_cancelled))));
  }
  return std::move(found.batches);
}

std::string ServerLink::ToString() const {
  const std::string state =
      up() ? absl::StrCat("up, ", streams_.num_grants(), " batches asked for")
           : problem_.ToString();
  const std::string partitions =
      description_.partitions.empty()
          ? ""
          : absl::StrCat("partitions ",
                         absl::StrJoin(description_.partitions, ","), "; ");
  return absl::StrCat(address().ToString(), " (", partitions, state, ")");
}

}  // namespace tributary
