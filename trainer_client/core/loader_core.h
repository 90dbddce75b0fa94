// The loader as a state machine: requests the batches of an epoch from a fleet
// and delivers them in order.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_LOADER_CORE_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_LOADER_CORE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "common/trace/batch_timeline.h"
#include "trainer_client/core/batch/batch_lease.h"
#include "trainer_client/core/fleet/server_fleet.h"
#include "trainer_client/core/fleet/wait_notice.h"
#include "trainer_client/core/held/held_rows.h"
#include "trainer_client/core/session/epoch_order.h"
#include "trainer_client/core/session/loader_session.h"
#include "trainer_client/core/strand_signal.h"
#include "trainer_client/core/waiting_next.h"
#include "trainer_client/core/window/answer_handler.h"
#include "trainer_client/core/window/batch_requester.h"
#include "trainer_client/core/window/loader_state.h"
#include "trainer_client/core/window/loader_stats.h"

namespace tributary {

struct LoaderCoreOptions {
  uint64_t buffer_size = uint64_t{256} << 20;
  // The ring that batches are received into; null: one over buffer_size bytes
  // of this process.
  std::shared_ptr<SlotRing> ring;
  std::string ring_option = "buffer_size";  // for errors
  int prefetch_size = 4;
  absl::Duration rpc_timeout = absl::Seconds(180);
  WaitObserver on_wait;  // may be empty
  uint64_t jitter_seed = 0;
  // Epochs count their generations from here. A core that follows another one
  // over the same fleet has larger numbers than that had, so that it does not
  // take late answers for its own; each epoch takes two.
  uint64_t first_generation = 0;
  // See LoaderEnvironment::on_traced; on the strand. May be empty. Ids of
  // loaders with different seeds differ.
  TracedObserver on_traced;
  uint64_t trace_seed = 0;
  bool compact = true;  // edges may come compact
  std::string job;      // named in traces
};

// Delivers each index of the epoch once, in ascending order: as a batch, or as
// an error in its place. A batch is a function of its key, so it does not
// matter which server made it: what is late, lost or refused is requested
// again, the first answer counts and later ones are dropped.
//
// LoaderCore owns the state and the moments at which it moves on: the user's
// calls, the servers' events, a tick. BatchRequester decides what to request,
// AnswerHandler what the answers mean.
//
// No threads, no waiting, no gRPC: time, order and messages come from the
// strand and the fleet. All methods run on the strand. Held by shared_ptr; the
// fleet reports to it through a weak one.
class LoaderCore : public ServerEvents,
                   public std::enable_shared_from_this<LoaderCore> {
 public:
  LoaderCore(LoaderCoreOptions options, LoaderSession session,
             std::shared_ptr<Strand> strand);
  ~LoaderCore() override;

  // Uses `fleet` from now on, and receives its events. Comes before all other
  // calls but Cancel.
  void Start(std::shared_ptr<ServerFleet> fleet);

  // Credits name what is held of these rows from now on; they are in the form
  // of the session's batches. Comes after Start.
  void Hold(std::shared_ptr<HeldRows> rows) {
    requester_->Hold(std::move(rows));
  }

  // Receives a batch that is delivered, and how many of its bytes were sent.
  using DeliveryObserver =
      std::function<void(const BatchView& batch, uint64_t wire_bytes)>;
  // Shows each batch that is delivered to `observer`, which must take little
  // time; null: to nobody.
  void Observe(DeliveryObserver observer) { observer_ = std::move(observer); }

  // See DistLoader. Nothing is requested before the first Next.
  // CANCELLED: the loader was cancelled.
  absl::Status StartEpoch(uint64_t epoch);
  // Besides: what LoaderEpoch::Check says.
  absl::Status Resume(const Cursor& cursor);
  // See LoaderEpoch::Limit.
  absl::Status Limit(uint64_t from, uint64_t to);
  Cursor CursorAfter(uint64_t batches) const;
  // Null before the first epoch. The object is never changed later.
  std::shared_ptr<const EpochOrder> order() const {
    return state_.epoch.order();
  }

  using Delivered = WaitingNext::Delivered;
  // Calls back on the strand, possibly inside this call, within rpc_timeout.
  // FAILED_PRECONDITION: no epoch, another Next() waits, or the user's leases
  // fill the ring. CANCELLED: the loader was cancelled. PERMISSION_DENIED or
  // UNAUTHENTICATED, with a server's text: every server that can be reached
  // refuses this trainer; the next call goes on with the next batch.
  // UNAVAILABLE or DEADLINE_EXCEEDED: the batch did not come within
  // rpc_timeout; the next call goes on with the next one. Other errors come in
  // the place of a batch that could not be made.
  void Next(Delivered delivered);
  // Final: Next() answers CANCELLED from now on.
  void Cancel();
  // Cancels and closes; `closed` runs once nothing but the user's leases refers
  // to the ring.
  void Close(absl::AnyInvocable<void()> closed);

  LoaderStats stats() const;
  const SlotRing& ring() const { return *ring_; }

 private:
  // Answers a Next() that waits for the epoch before with CANCELLED.
  void Begin(const Cursor& cursor);
  // Requests what is due and delivers what is ready.
  void Pump();
  // Pumps once for all events of one moment.
  void PumpSoon();
  void Tick();
  void Deliver();
  void DeliverFront();
  void Answer(WaitingNext::Result result);
  void Trace(PendingBatch& batch);
  // Notes in the trail of a batch that has become ready for how long the user
  // had waited until then.
  void NoteWaits(const BatchRef& batch);
  void OnDeadline(uint64_t call);
  // Answers a waiting Next() if no server takes this trainer.
  void FailIfRefused();
  // Answers Next() with an error in place of the front of the window.
  void FailFront(absl::Status why);
  // Tells the user what the servers lack while a Next() waits.
  void ReportWait();
  // Tells the servers how much Next() waits, now and then until it is
  // cancelled.
  void ReportWaitToServers();

  // ServerEvents
  absl::Status OnDescribed(ServerLink& link,
                           const ServerDescription& description) override;
  void OnServerUp(ServerLink& link) override;
  void OnServerDown(ServerLink& link, std::vector<OpenGrant> lost) override;
  void OnGrantEnd(ServerLink& link, const OpenGrant& grant,
                  GrantEnd end) override;

  const LoaderCoreOptions options_;
  const std::shared_ptr<Strand> strand_;
  const std::shared_ptr<SlotRing> ring_;
  LoaderState state_;
  std::shared_ptr<StrandSignal> room_freed_;
  // These three are set by Start.
  std::shared_ptr<ServerFleet> fleet_;
  std::optional<BatchRequester> requester_;
  std::optional<AnswerHandler> answers_;
  WaitingNext next_;
  WaitReporter wait_;
  DeliveryObserver observer_;  // may be empty
  bool pump_posted_ = false;
  bool ticking_ = false;
  bool reports_to_servers_ = false;
  bool cancelled_ = false;
  absl::Duration unix_shift_;  // from the strand's clock to Unix time
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_LOADER_CORE_H_
