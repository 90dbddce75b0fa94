#include "trainer_client/core/fleet/server_link.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/observe/log.h"

namespace tributary {
namespace {

// A server that does not keep the session for the length of one round trip is
// of no use.
constexpr int kMaxUnknownInRow = 8;

}  // namespace

ServerLink::ServerLink(ServerLinkOptions options,
                       std::weak_ptr<ServerEvents> events)
    : options_(std::move(options)),
      events_(std::move(events)),
      graph_{options_.graph, std::nullopt},
      backoff_(options_.backoff, options_.jitter_seed) {}

void ServerLink::Start() {
  down_since_ = down_until_ = options_.strand->Now();
  Connect();
}

void ServerLink::Connect() {
  if (state_ != State::kDown) return;
  tried_at_ = options_.strand->Now();
  state_ = State::kDescribing;
  control_ = std::make_unique<ControlCalls>(options_.transport,
                                            options_.address, options_.strand);
  control_->Describe(graph_, options_.call_timeout,
                     [weak = weak_from_this(), attempt = ++attempt_](
                         absl::StatusOr<ServerDescription> reply) {
                       if (auto self = weak.lock()) {
                         self->Described(attempt, std::move(reply));
                       }
                     });
}

void ServerLink::Described(uint64_t attempt,
                           absl::StatusOr<ServerDescription> reply) {
  if (attempt != attempt_ || state_ != State::kDescribing) return;
  const auto events = events_.lock();
  if (events == nullptr) return;
  if (!reply.ok()) return GoDown(reply.status());
  description_ = *std::move(reply);
  if (description_.draining) {
    return GoDown(absl::UnavailableError("it is draining"));
  }
  const absl::Status accepted = events->OnDescribed(*this, description_);
  if (!accepted.ok()) return GoDown(accepted);
  state_ = State::kUp;
  problem_ = absl::OkStatus();
  unknown_in_row_ = 0;
  rests_until_ = absl::InfinitePast();
  OpenStreams();
  events->OnServerUp(*this);
}

void ServerLink::SetSession(std::shared_ptr<const std::string> spec) {
  spec_ = std::move(spec);
  OpenStreams();
}

void ServerLink::OpenStreams() {
  if (state_ != State::kUp || spec_ == nullptr || !lanes_.empty()) return;
  for (int i = 0; i < options_.num_streams; ++i) {
    auto stream = BatchStream::Connect(options_.transport, options_.address,
                                       options_.strand, weak_from_this());
    stream->OpenSession(*spec_, options_.client_name);
    lanes_.push_back({std::move(stream), {}});
  }
}

void ServerLink::Break(absl::Status why) {
  if (state_ == State::kUp) GoDown(std::move(why));
}

void ServerLink::GoDown(absl::Status why) {
  if (state_ == State::kUp) {
    down_since_ = down_until_ = options_.strand->Now();
  } else {
    down_until_ = tried_at_;
  }
  state_ = State::kDown;
  ++attempt_;
  std::vector<OpenGrant> lost;
  for (const Lane& lane : lanes_) {
    for (const auto& [name, grant] : lane.grants) lost.push_back(grant);
  }
  CloseStreams(why);
  if (!absl::IsCancelled(why)) {  // which is our own doing
    LogRepeated(LogLevel::kWarning, options_.address.ToString(),
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

void ServerLink::CloseStreams(const absl::Status& why) {
  for (Lane& lane : lanes_) {
    lane.stream->Close(why);
    closing_.push_back(std::move(lane.stream));
  }
  lanes_.clear();
}

void ServerLink::Close(absl::AnyInvocable<void()> closed) {
  state_ = State::kClosed;
  closed_ = std::move(closed);
  ++attempt_;
  options_.strand->CancelTimer(timer_);
  control_.reset();
  CloseStreams(absl::CancelledError("the loader closes"));
  TellIfClosed();
}

void ServerLink::TellIfClosed() {
  if (closed_ && closing_.empty()) std::exchange(closed_, nullptr)();
}

std::vector<ServerLink::Lane>::iterator ServerLink::LaneOf(
    const BatchStream& stream) {
  return std::find_if(lanes_.begin(), lanes_.end(), [&](const Lane& lane) {
    return lane.stream.get() == &stream;
  });
}

void ServerLink::OnStreamClosed(BatchStream& stream, absl::Status why) {
  const auto lane = LaneOf(stream);
  if (lane == lanes_.end()) {
    std::erase_if(closing_, [&](const auto& s) { return s.get() == &stream; });
    return TellIfClosed();
  }
  GoDown(std::move(why));
  // It has closed already: nobody waits for that.
  std::erase_if(closing_, [&](const auto& s) { return s.get() == &stream; });
  TellIfClosed();
}

void ServerLink::OnGrantEnd(BatchStream& stream, GrantEnd end) {
  const auto lane = LaneOf(stream);
  if (lane == lanes_.end()) return;  // the server has gone down since
  const auto it = lane->grants.find(end.grant);
  if (it == lane->grants.end()) return;
  const OpenGrant grant = it->second;
  lane->grants.erase(it);
  if (end.kind == GrantEnd::Kind::kFilled) {
    const absl::Duration took = options_.strand->Now() - grant.asked_at;
    usual_time_ = usual_time_ * 0.8 + took * 0.2;
  }
  if (end.kind != GrantEnd::Kind::kUnknownSession) {
    unknown_in_row_ = 0;
  } else if (++unknown_in_row_ <= kMaxUnknownInRow) {
    stream.OpenSession(*spec_, options_.client_name);
  }
  const bool filled = end.kind == GrantEnd::Kind::kFilled;
  if (auto events = events_.lock()) {
    events->OnGrantEnd(*this, grant, std::move(end));
  }
  // Only work done, and found good, says that it is well.
  if (filled && up()) backoff_.Reset();
  if (unknown_in_row_ > kMaxUnknownInRow) {
    Break(absl::UnavailableError("it forgets the session at once"));
  }
}

size_t ServerLink::num_open_grants() const {
  size_t n = 0;
  for (const Lane& lane : lanes_) n += lane.grants.size();
  return n;
}

int ServerLink::LeastLoaded() const {
  int best = -1;
  size_t fewest = static_cast<size_t>(options_.grants_per_stream);
  for (size_t i = 0; i < lanes_.size(); ++i) {
    if (lanes_[i].grants.size() >= fewest) continue;
    best = static_cast<int>(i);
    fewest = lanes_[i].grants.size();
  }
  return best;
}

bool ServerLink::CanTake(bool alone) const {
  if (!up() || options_.strand->Now() < rests_until_) return false;
  if (alone && num_open_grants() > 0) return false;
  for (const Lane& lane : lanes_) {
    for (const auto& [name, grant] : lane.grants) {
      if (grant.alone) return false;
    }
  }
  return LeastLoaded() >= 0;
}

bool ServerLink::HasGrantFor(uint64_t index, uint64_t generation,
                             bool live) const {
  for (const Lane& lane : lanes_) {
    for (const auto& [name, grant] : lane.grants) {
      if (grant.index != index || grant.generation != generation) continue;
      if (!live || !grant.abandoned) return true;
    }
  }
  return false;
}

double ServerLink::Load() const {
  return (1.0 + static_cast<double>(num_open_grants())) *
         absl::ToDoubleSeconds(usual_time_);
}

void ServerLink::Ask(const OpenGrant& grant, BatchStream::Ask ask) {
  Lane& lane = lanes_[LeastLoaded()];
  ask.timeout = options_.credit_timeout;
  const uint64_t name = lane.stream->Grant(ask);
  OpenGrant& open = lane.grants[name];
  open = grant;
  open.max_bytes = ask.slot->bytes().size();
  open.asked_at = open.last_sign = options_.strand->Now();
  open.signs = lane.stream->SignsOf(name);
}

void ServerLink::Abandon(uint64_t index, uint64_t generation) {
  for (Lane& lane : lanes_) {
    for (auto& [name, grant] : lane.grants) {
      if (grant.index != index || grant.generation != generation) continue;
      if (std::exchange(grant.abandoned, true)) continue;
      lane.stream->CancelGrant(name);
    }
  }
}

void ServerLink::AbandonAll() {
  for (Lane& lane : lanes_) {
    for (auto& [name, grant] : lane.grants) {
      if (std::exchange(grant.abandoned, true)) continue;
      lane.stream->CancelGrant(name);
    }
  }
}

void ServerLink::Rest(absl::Duration how_long) {
  rests_until_ = std::max(rests_until_, options_.strand->Now() + how_long);
}

// True when a grant on the lane is so quiet that the server must be dead.
bool ServerLink::RefreshSigns(Lane& lane, std::vector<OpenGrant>& silent) {
  const absl::Time now = options_.strand->Now();
  bool dead = false;
  for (auto& [name, grant] : lane.grants) {
    const uint64_t signs = lane.stream->SignsOf(name);
    if (std::exchange(grant.signs, signs) != signs) grant.last_sign = now;
    const absl::Duration quiet = now - grant.last_sign;
    if (quiet >= options_.silence && !grant.abandoned) silent.push_back(grant);
    if (quiet >= 4 * options_.silence) dead = true;
  }
  return dead;
}

std::vector<OpenGrant> ServerLink::FindSilent() {
  const absl::Time now = options_.strand->Now();
  // When it was this process that stood still, nobody is to blame.
  const bool stood_still = now - last_check_ > options_.silence;
  last_check_ = now;
  std::vector<OpenGrant> silent;
  bool dead = false;
  for (Lane& lane : lanes_) {
    for (auto& [name, grant] : lane.grants) {
      if (stood_still) grant.last_sign = now;
    }
    dead |= RefreshSigns(lane, silent);
  }
  if (dead) {
    Break(absl::UnavailableError(absl::StrCat(
        "no sign of life for ", absl::FormatDuration(4 * options_.silence))));
  }
  return silent;
}

std::vector<OpenGrant> ServerLink::FindLate(absl::Duration age) const {
  const absl::Time before = options_.strand->Now() - age;
  std::vector<OpenGrant> late;
  for (const Lane& lane : lanes_) {
    for (const auto& [name, grant] : lane.grants) {
      if (grant.asked_at <= before && !grant.abandoned) late.push_back(grant);
    }
  }
  return late;
}

std::string ServerLink::ToString() const {
  const std::string state =
      up() ? absl::StrCat("up, ", num_open_grants(), " batches asked for")
           : problem_.ToString();
  const std::string partitions =
      description_.partitions.empty()
          ? ""
          : absl::StrCat("partitions ",
                         absl::StrJoin(description_.partitions, ","), "; ");
  return absl::StrCat(address().ToString(), " (", partitions, state, ")");
}

}  // namespace tributary
