#include "sampler_server/peers/owner_call.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/fleet/backoff.h"

namespace tributary {
namespace {

// A peer that is alive answers within milliseconds.
constexpr absl::Duration kAttemptTimeout = absl::Seconds(5);
// How much earlier than the caller's own deadline it is told what was tried.
constexpr absl::Duration kMaxMargin = absl::Milliseconds(100);
constexpr BackoffOptions kBackoff{absl::Milliseconds(20), absl::Seconds(1)};

bool IsPermanent(absl::StatusCode code) {
  return code == absl::StatusCode::kInvalidArgument ||
         code == absl::StatusCode::kOutOfRange ||
         code == absl::StatusCode::kUnimplemented;
}

// The next call to the peer would fare no better: it is unreachable, holds
// another graph or has lost the partition, or was silent all along. Any other
// error speaks of this call alone, which goes elsewhere.
bool SpeaksOfPeer(absl::StatusCode code, bool silent) {
  return code == absl::StatusCode::kUnavailable ||
         code == absl::StatusCode::kFailedPrecondition ||
         code == absl::StatusCode::kNotFound ||
         (code == absl::StatusCode::kDeadlineExceeded && silent);
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
        self->spec_.strand->Post([self] { self->Abandon(); });
      }
    });
    Post([](OwnerCall& call) { call.Try(); });
  }

 private:
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
    if (over_) return;
    const absl::Duration left = give_up_ - spec_.strand->Now();
    if (left <= absl::ZeroDuration()) return Finish(Unavailable());
    auto owner = PickOwner();
    if (owner == nullptr) return WaitAndTryAll();
    const absl::Duration timeout = std::min(left, kAttemptTimeout);
    const uint64_t timeout_ms =
        std::max<int64_t>(1, absl::ToInt64Milliseconds(timeout));
    const absl::Time end = spec_.strand->Now() + timeout;
    client_ = owner->Leaf();
    call_ = client_->Call(
        {spec_.kind, spec_.header(timeout_ms), spec_.payload,
         spec_.payload_owner},
        end, spec_.max_reply_bytes,
        [self = shared_from_this(), owner, end,
         full = timeout == kAttemptTimeout](absl::StatusOr<CallReply> reply) {
          // What a peer itself answers comes before the end.
          const bool silent = full && self->spec_.strand->Now() >= end;
          self->spec_.strand->Post(
              [self, owner, silent, reply = std::move(reply)]() mutable {
                self->OnReply(owner, silent, std::move(reply));
              });
        });
  }

  void OnReply(const std::shared_ptr<Peer>& owner, bool silent,
               absl::StatusOr<CallReply> reply) {
    if (over_) return;
    absl::Status status = reply.status();
    if (status.ok()) status = spec_.accept(*std::move(reply));
    if (status.ok()) return Finish(status);
    if (IsPermanent(status.code())) {
      return Finish(absl::Status(
          status.code(),
          absl::StrCat("partition ", spec_.partition, ", asked ",
                       owner->address().ToString(), ": ", status.message())));
    }
    if (SpeaksOfPeer(status.code(), silent)) {
      directory_->ReportFailure(owner, status);
    }
    tried_.insert(owner->address());
    errors_[owner->address()] = status;
    Try();
  }

  void WaitAndTryAll() {
    tried_.clear();
    // Not past the time at which the caller is told what was tried.
    const absl::Time again =
        std::min(spec_.strand->Now() + backoff_.Next(), give_up_);
    retry_ = spec_.strand->PostAt(again,
                                  [self = shared_from_this()] { self->Try(); });
  }

  absl::Status Unavailable() const {
    std::string tried;
    for (const auto& [address, status] : errors_) {
      absl::StrAppend(&tried, tried.empty() ? "tried " : ", ",
                      address.ToString(), " (", status.ToString(), ")");
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

  void Abandon() {
    if (over_) return;
    over_ = true;
    if (client_ != nullptr) client_->Cancel(call_);
    LetGo();
  }

  void Finish(absl::Status status) {
    over_ = true;
    auto done = std::move(spec_.done);
    LetGo();
    done(std::move(status));
  }

  // What the callbacks hold may hold this, and much memory besides. Whoever
  // runs this holds the call; none of the callbacks is running.
  void LetGo() {
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
  std::set<Address> tried_;  // since the last back-off
  std::map<Address, absl::Status> errors_;
  std::shared_ptr<CallClient> client_;
  CallClient::CallId call_ = 0;
  TimerId retry_ = 0;  // of the back-off
  bool over_ = false;
};

}  // namespace

void StartOwnerCall(std::shared_ptr<PeerDirectory> directory,
                    OwnerCallSpec spec) {
  std::make_shared<OwnerCall>(std::move(directory), std::move(spec))->Start();
}

}  // namespace tributary
