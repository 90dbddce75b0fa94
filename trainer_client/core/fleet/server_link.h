// One server as a loader sees it: whether it lives, and what it was asked for.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_LINK_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_LINK_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "common/fleet/backoff.h"
#include "trainer_client/core/fleet/batch_stream.h"
#include "trainer_client/core/fleet/control_calls.h"

namespace tributary {

class ServerLink;

// A credit that has not been answered.
struct OpenGrant {
  uint64_t index = 0;
  // Which StartEpoch it belongs to: answers to an older one are dropped.
  uint64_t generation = 0;
  uint64_t max_bytes = 0;
  bool alone = false;      // nothing else is asked of the server meanwhile
  bool abandoned = false;  // cancelled, not yet returned: its slot is held
  absl::Time asked_at;
  uint64_t signs = 0;
  absl::Time last_sign;
};

// Told on the strand.
class ServerEvents {
 public:
  virtual ~ServerEvents() = default;
  // May refuse a server (another graph): then it stays down, with that status.
  virtual absl::Status OnDescribed(ServerLink& link,
                                   const ServerDescription& description) = 0;
  virtual void OnServerUp(ServerLink& link) = 0;
  // After a try that failed, or when it was up: `lost` is what it was asked
  // for. Their slots stay held until their streams have closed.
  virtual void OnServerDown(ServerLink& link, std::vector<OpenGrant> lost) = 0;
  virtual void OnGrantEnd(ServerLink& link, const OpenGrant& grant,
                          GrantEnd end) = 0;
};

struct ServerLinkOptions {
  Address address;
  Transport* transport = nullptr;
  std::shared_ptr<Strand> strand;
  int num_streams = 1;
  int grants_per_stream = 4;
  std::string client_name;
  GraphName graph;  // of several that a server holds
  absl::Duration call_timeout = absl::Seconds(5);
  // Silent for so long with grants open: suspect; for four times that: broken.
  absl::Duration silence = absl::Seconds(2);
  absl::Duration credit_timeout = absl::Seconds(180);
  BackoffOptions backoff;
  uint64_t jitter_seed = 0;
};

// Down -> Describe -> up -> down, again and again with a growing pause until
// closed. Any stream of the server that breaks takes it down: one way to fail.
// All methods on the strand.
class ServerLink : public BatchStreamEvents,
                   public std::enable_shared_from_this<ServerLink> {
 public:
  ServerLink(ServerLinkOptions options, std::weak_ptr<ServerEvents> events);

  void Start();
  // From now on the server is asked for exactly this content, whatever else has
  // the graph's name by then.
  void PinGraph(const Sha256Digest& content) { graph_.content = content; }
  // What streams are opened with, from now on. Unchanged afterwards.
  void SetSession(std::shared_ptr<const std::string> spec);
  // For good. `closed` runs once nothing writes into any slot any more.
  void Close(absl::AnyInvocable<void()> closed);

  const Address& address() const { return options_.address; }
  bool up() const { return state_ == State::kUp; }
  uint64_t incarnation() const { return description_.incarnation; }
  const ServerDescription& description() const { return description_; }
  // How long after it went down it was still not to be reached: when the last
  // try that failed began. Zero while it is up. Time that passes without a try
  // proves nothing: this process may have stood still.
  absl::Duration down_for() const {
    return up() ? absl::ZeroDuration() : down_until_ - down_since_;
  }
  const absl::Status& problem() const { return problem_; }
  // "127.0.0.1:50051 (partitions 0,1; up)", for messages.
  std::string ToString() const;

  // Whether a batch may be asked of it now; `alone`: with nothing beside.
  bool CanTake(bool alone) const;
  // `live`: abandoned ones do not count.
  bool HasGrantFor(uint64_t index, uint64_t generation, bool live) const;
  // Lower is better: open grants weighted by how long recent batches took.
  double Load() const;
  // Requires CanTake.
  void Ask(const OpenGrant& grant, BatchStream::Ask ask);
  void Abandon(uint64_t index, uint64_t generation);
  void AbandonAll();
  // Asks nothing of it for so long.
  void Rest(absl::Duration how_long);
  // Call every fraction of `silence`. The grants without a sign of life for
  // that long; what is dead is broken.
  std::vector<OpenGrant> FindSilent();
  // The grants that were not answered for so long.
  std::vector<OpenGrant> FindLate(absl::Duration age) const;
  size_t num_open_grants() const;
  // A server that breaks the protocol is as good as dead.
  void Break(absl::Status why);
  ControlCalls* control() { return control_.get(); }

 private:
  enum class State { kDown, kDescribing, kUp, kClosed };
  // A stream and what is asked on it, by the grant's number.
  struct Lane {
    std::shared_ptr<BatchStream> stream;
    std::map<uint64_t, OpenGrant> grants;
  };

  void Connect();
  void Described(uint64_t attempt, absl::StatusOr<ServerDescription> reply);
  void OpenStreams();
  void GoDown(absl::Status why);
  void CloseStreams(const absl::Status& why);
  void TellIfClosed();
  std::vector<Lane>::iterator LaneOf(const BatchStream& stream);
  // -1: every stream has all that it may have.
  int LeastLoaded() const;
  bool RefreshSigns(Lane& lane, std::vector<OpenGrant>& silent);

  // BatchStreamEvents
  void OnGrantEnd(BatchStream& stream, GrantEnd end) override;
  void OnStreamClosed(BatchStream& stream, absl::Status why) override;

  const ServerLinkOptions options_;
  const std::weak_ptr<ServerEvents> events_;
  GraphChoice graph_;
  State state_ = State::kDown;
  ServerDescription description_;
  absl::Status problem_ = absl::UnavailableError("not asked yet");
  Backoff backoff_;
  absl::Time down_since_, down_until_;
  absl::Time tried_at_;
  uint64_t attempt_ = 0;  // answers to earlier ones are dropped
  TimerId timer_ = 0;
  std::unique_ptr<ControlCalls> control_;
  std::shared_ptr<const std::string> spec_;
  std::vector<Lane> lanes_;
  // Closed by us, OnClosed still to come.
  std::vector<std::shared_ptr<BatchStream>> closing_;
  absl::Time last_check_ = absl::InfinitePast();
  int unknown_in_row_ = 0;
  absl::Time rests_until_ = absl::InfinitePast();
  absl::Duration usual_time_ = absl::Milliseconds(10);
  absl::AnyInvocable<void()> closed_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_LINK_H_
