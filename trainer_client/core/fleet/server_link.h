// The connection of a loader to one server.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_LINK_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_LINK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "common/fleet/backoff.h"
#include "trainer_client/core/fleet/batch_fleet.h"
#include "trainer_client/core/fleet/control_calls.h"
#include "trainer_client/core/fleet/server_events.h"
#include "trainer_client/core/fleet/server_streams.h"

namespace tributary {

struct ServerLinkOptions {
  Address address;
  Transport* transport = nullptr;
  std::shared_ptr<Strand> strand;
  int num_streams = 1;
  int grants_per_stream = 4;
  std::string client_name;
  GraphName graph;  // which of the graphs that a server holds
  absl::Duration call_timeout = absl::Seconds(5);
  // A server with a grant that is silent for this long is suspect; after four
  // times this it is disconnected.
  absl::Duration silence = absl::Seconds(2);
  absl::Duration credit_timeout = absl::Seconds(180);
  BackoffOptions backoff;
  uint64_t jitter_seed = 0;
};

// A state machine: down -> describing -> up -> down, repeated with a growing
// pause until closed. It asks the server to describe itself, opens the batch
// streams (ServerStreams) once the server was accepted and a session is set,
// and goes down when any stream breaks, so there is one way to fail.
//
// All methods run on the strand. Owned by a ServerFleet; reports to `events`.
class ServerLink : public BatchServer,
                   public BatchStreamEvents,
                   public std::enable_shared_from_this<ServerLink> {
 public:
  ServerLink(ServerLinkOptions options, std::weak_ptr<ServerEvents> events);

  void Start();
  // From now on accepts only this content, even if another graph gets the same
  // name.
  void PinGraph(const Sha256Digest& content) { graph_.content = content; }
  // Sets the specification that streams are opened with, and declares it on
  // those that are open.
  void SetSession(std::shared_ptr<const std::string> spec);
  // Final. `closed` runs once nothing writes into any slot any more.
  void Close(absl::AnyInvocable<void()> closed);

  bool up() const { return state_ == State::kUp; }
  // Whether the latest attempt to reach it has failed, or it is to end soon.
  bool failing() const { return draining_ || (!up() && attempts_failed_ > 0); }
  // Returns how long it has been up; InfiniteDuration if it never failed.
  absl::Duration settled_for() const;
  // While `resting` it gets no requests.
  void SetResting(bool resting) { resting_ = resting; }
  const ServerDescription& description() const { return description_; }
  // Returns how long after it went down the server was still unreachable: until
  // the latest failed attempt began. Zero while it is up. Time without an
  // attempt proves nothing: this process may have stood still.
  absl::Duration down_for() const {
    return up() ? absl::ZeroDuration() : down_until_ - down_since_;
  }
  // For messages: "127.0.0.1:50051 (partitions 0,1; up, 3 batches asked for)".
  std::string ToString() const;
  // Tells the server, if it takes such reports, how much this trainer waits.
  void ReportWait(double wait_ratio) {
    if (description_.takes_wait_reports) streams_.ReportWait(wait_ratio);
  }
  // For calls beside the batch streams; null while it is down.
  ControlCalls* control() { return control_.get(); }

  // ---- grants ---------------------------------------------------------------
  // Whether a batch may be requested now. `exclusive`: only if it has no open
  // grant.
  bool CanTake(bool exclusive) const;
  // Lower is better: open grants weighted by how long recent batches took. A
  // server that was slow and is not asked any more is taken to be faster the
  // longer ago that was; else a fleet that has grown would go on without it.
  double Load() const;
  // Returns the batches of silent grants; disconnects the server if it must be
  // dead. Call it several times within `silence`.
  std::vector<BatchRef> FindSilent();
  // Cancels grants, and answers questions about them.
  ServerStreams& streams() { return streams_; }
  const ServerStreams& streams() const { return streams_; }

  // ---- BatchServer ----------------------------------------------------------
  const Address& address() const override { return options_.address; }
  uint64_t incarnation() const override { return description_.incarnation; }
  uint64_t largest_credit() const override {
    return description_.LargestCredit();
  }
  const absl::Status& problem() const override { return problem_; }
  void RequestBatch(CreditRequest request) override;
  void PauseRequests(absl::Duration how_long) override;
  void Disconnect(absl::Status why) override;

 private:
  enum class State { kDown, kDescribing, kUp, kClosed };

  // How long the first batch is expected to take.
  static constexpr absl::Duration kFirstGuess = absl::Milliseconds(10);

  absl::Duration ExpectedTime() const;
  // How long a cancel may stay without an answer.
  absl::Duration PatienceWithCancels() const;

  void Connect();
  void OnDescribeReply(uint64_t attempt,
                       absl::StatusOr<ServerDescription> reply);
  void OpenStreams();
  void GoDown(absl::Status why);
  void ReportIfClosed();
  // Asks a server that refuses batches, now and then, whether it drains. One
  // that does gets no more requests, and goes down once it has answered all.
  void AskWhetherItDrains();
  void OnDrainReply(absl::StatusOr<ServerDescription> reply);
  void GoDownIfDrained();
  // Opens the session again if the server has forgotten it, a few times.
  void OnSessionKnown(BatchStream& stream, bool known);

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
  absl::Time attempt_at_;
  uint64_t attempt_ = 0;  // replies to earlier ones are dropped
  TimerId timer_ = 0;
  std::unique_ptr<ControlCalls> control_;
  std::shared_ptr<const std::string> spec_;
  ServerStreams streams_;
  int unknown_sessions_in_row_ = 0;
  uint64_t attempts_failed_ = 0;  // and streams lost
  absl::Time up_since_;
  bool resting_ = false;
  bool draining_ = false;
  absl::Time asked_whether_it_drains_ = absl::InfinitePast();
  absl::Time paused_until_ = absl::InfinitePast();
  absl::Duration usual_time_ = kFirstGuess;        // of a batch
  absl::Time filled_at_ = absl::InfiniteFuture();  // the latest batch
  absl::AnyInvocable<void()> closed_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_LINK_H_
