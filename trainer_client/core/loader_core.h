// Asks a fleet for the batches of an epoch and puts them in order.
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
#include "trainer_client/core/batch/batch_lease.h"
#include "trainer_client/core/batch_window.h"
#include "trainer_client/core/credit_size.h"
#include "trainer_client/core/fleet/receive_slot.h"
#include "trainer_client/core/fleet/server_fleet.h"
#include "trainer_client/core/loader_stats.h"
#include "trainer_client/core/session/epoch_order.h"
#include "trainer_client/core/session/loader_session.h"
#include "trainer_client/core/strand_signal.h"

namespace tributary {

struct LoaderCoreOptions {
  uint64_t buffer_size = uint64_t{256} << 20;
  // What batches are received into; null: buffer_size bytes of this process.
  std::shared_ptr<SlotRing> ring;
  std::string ring_option = "buffer_size";  // for errors
  int prefetch_size = 4;
  absl::Duration rpc_timeout = absl::Seconds(180);
  uint64_t jitter_seed = 0;
};

// The loader as a state machine: no thread, no wait, no gRPC. Every method runs
// on the strand; time, order and messages come from it and from the fleet.
//
// Each index of the epoch is delivered once, ascending: as a batch, or as an
// error in its place. Which server made it does not matter, for a batch is a
// function of its key: so whatever is late, lost or refused is asked for again,
// the first answer counts and the others are dropped.
class LoaderCore : public FleetEvents,
                   public std::enable_shared_from_this<LoaderCore> {
 public:
  LoaderCore(LoaderCoreOptions options, LoaderSession session,
             std::shared_ptr<Strand> strand);
  ~LoaderCore() override;

  // Becomes the one that `fleet` tells.
  void Start(std::shared_ptr<ServerFleet> fleet);

  // See DistNeighborLoader. Nothing is asked for before the first Next.
  absl::Status StartEpoch(uint64_t epoch);
  absl::Status Resume(const Cursor& cursor);
  absl::Status Limit(uint64_t from, uint64_t to);
  Cursor CursorAfter(uint64_t batches) const;
  // Null before the first epoch; not changed by later ones.
  std::shared_ptr<const EpochOrder> order() const { return order_; }

  using Delivered =
      absl::AnyInvocable<void(absl::StatusOr<std::optional<BatchLease>>)>;
  // Calls back on the strand, perhaps inside this call, within rpc_timeout. One
  // at a time: FAILED_PRECONDITION for a second.
  void Next(Delivered delivered);
  void Cancel();
  // Cancels and closes; `closed` runs once nothing writes into the ring but
  // those whom it was lent to.
  void Close(absl::AnyInvocable<void()> closed);

  const LoaderStats& stats() const { return stats_; }
  const SlotRing& ring() const { return *ring_; }

 private:
  // ---- loader_core.cc: the user's side -------------------------------------
  absl::Status Begin(const Cursor& cursor);
  void Deliver();
  void DeliverFront();
  void Answer(absl::StatusOr<std::optional<BatchLease>> result);
  void OnDeadline(uint64_t wait);
  absl::Status LeasesFillRing();

  // ---- loader_asking.cc: what to ask of whom --------------------------------
  void PumpSoon();
  void Pump();
  void FillWindow();
  void AskAll();
  bool TryAsk(PendingBatch& batch);
  DeathRecord::Verdict Judge(PendingBatch& batch);
  static uint64_t LeastRoom(const PendingBatch& batch);
  std::shared_ptr<ReceiveSlot> MakeRoom(const PendingBatch& batch,
                                        const ServerLink& link);
  void Send(PendingBatch& batch, ServerLink& link,
            std::shared_ptr<ReceiveSlot> slot);
  void Tick();
  PendingBatch* AskedFor(const OpenGrant& grant);
  void PassOverSilent();
  void HedgeLate();

  // ---- loader_answers.cc: what servers say ----------------------------------
  absl::Status OnDescribed(ServerLink& link,
                           const ServerDescription& description) override;
  void OnServerUp(ServerLink& link) override;
  void OnServerDown(ServerLink& link, std::vector<OpenGrant> lost) override;
  void OnGrantEnd(ServerLink& link, const OpenGrant& grant,
                  GrantEnd end) override;
  void OnFilled(ServerLink& link, PendingBatch& batch, GrantEnd end);
  void OnNeeds(ServerLink& link, PendingBatch& batch, const OpenGrant& grant,
               uint64_t bytes);
  void OnError(ServerLink& link, PendingBatch& batch, const GrantEnd& end);
  void AskAgain(PendingBatch& batch, const ServerLink& link, absl::Status why);
  void Fail(PendingBatch& batch, absl::Status error);
  absl::Duration RetryDelay(int tries);

  BatchKey KeyOf(uint64_t index) const;

  const LoaderCoreOptions options_;
  const LoaderSession session_;
  const std::shared_ptr<Strand> strand_;
  const std::shared_ptr<SlotRing> ring_;
  std::shared_ptr<StrandSignal> room_freed_;
  std::shared_ptr<ServerFleet> fleet_;
  std::shared_ptr<const EpochOrder> order_;  // null: no epoch yet
  uint64_t generation_ = 0;
  uint64_t next_nth_ = 0;  // of this rank, next into the window
  BatchWindow window_;
  CreditSize credit_size_;
  PhiloxStream jitter_;
  uint32_t jitter_draws_ = 0;
  Delivered waiting_;
  uint64_t waits_ = 0;  // numbers the calls of Next
  absl::Time waiting_since_;
  TimerId deadline_ = 0;
  bool room_is_short_ = false;  // the front could not get any
  bool pump_posted_ = false;
  bool ticking_ = false;
  bool started_ = false;  // the first Next since Begin has come
  bool cancelled_ = false;
  LoaderStats stats_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_LOADER_CORE_H_
