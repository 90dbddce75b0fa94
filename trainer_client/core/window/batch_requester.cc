#include "trainer_client/core/window/batch_requester.h"

#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "trainer_client/core/window/credit_inputs.h"

namespace tributary {

using Decision = DeathRecord::Decision;

void BatchRequester::FillWindow() {
  while (state_->window.size() < options_.window_size &&
         state_->epoch.HasNext()) {
    state_->window.Add(state_->epoch.TakeNext());
  }
}

void BatchRequester::RequestDue(absl::Time now) {
  front_lacks_room_ = false;
  for (PendingBatch& batch : state_->window) {
    if (!batch.IsDue(now) || Request(batch, now)) continue;
    front_lacks_room_ = batch.index() == state_->window.front().index();
    if (front_lacks_room_) CancelLate();
    return;
  }
}

bool BatchRequester::Request(PendingBatch& batch, absl::Time now) {
  const Decision decision = batch.DecideRequest(
      [this](const DeathRecord::Holder& holder) {
        return fleet_->FateOf(holder);
      },
      fleet_->losses());
  if (decision == Decision::kWait) return true;
  if (batch.refusals().Final(*fleet_)) {
    FailRefused(batch);
    return true;
  }
  std::vector<Address> excluded = batch.refusals().servers();
  if (decision == Decision::kGiveUp &&
      !LeaveOutTheOneThatDies(batch, excluded)) {
    GiveUp(batch);
    return true;
  }
  return RequestBeside(std::move(excluded), decision != Decision::kRequest,
                       batch, now);
}

// A server that has died under the batch several times, or says so by a new
// incarnation, convicts it only if no other one can try.
bool BatchRequester::LeaveOutTheOneThatDies(
    const PendingBatch& batch, std::vector<Address>& excluded) const {
  std::set<Address> dead;  // of those that made nothing else
  for (const DeathRecord::Loss& loss : batch.deaths().losses()) {
    if (loss.alone) dead.insert(loss.holder.address);
  }
  if (dead.size() != 1) return false;
  excluded.push_back(*dead.begin());
  return fleet_->AnyMayComeBeside(excluded);
}

// A server that says that the batch needs more than there is room for must not
// keep it from those that have not said so.
bool BatchRequester::RequestBeside(std::vector<Address> excluded,
                                   bool exclusive, PendingBatch& batch,
                                   absl::Time now) {
  bool lacks_room = false;
  while (true) {
    BatchServer* server =
        fleet_->Choose({.batch = state_->epoch.RefOf(batch.index()),
                        .exclusive = exclusive,
                        .avoid = batch.avoid(),
                        .refused_by = excluded});
    if (server == nullptr) return !lacks_room;
    std::shared_ptr<ReceiveSlot> slot = state_->rooms.Allocate(
        batch, *server, state_->window, &state_->stats.evicted);
    if (slot != nullptr) {
      Send(batch, *server, std::move(slot), now);
      return true;
    }
    if (!batch.HasNeedOf(server->address())) return false;
    lacks_room = true;
    excluded.push_back(server->address());
  }
}

void BatchRequester::FailRefused(PendingBatch& batch) {
  const absl::Status why = batch.refusals().Error();
  batch.Fail(absl::Status(
      why.code(), absl::StrCat(state_->epoch.KeyOf(batch.index()).ToString(),
                               ": ", why.message())));
  fleet_->Cancel(state_->epoch.RefOf(batch.index()), nullptr);
}

// A server may go on showing signs of life without ever answering: then the
// room that its late grants hold is asked back.
void BatchRequester::CancelLate() {
  for (PendingBatch& batch : state_->window) {
    if (batch.hedged() && batch.state() == PendingBatch::State::kWanted) {
      fleet_->Cancel(state_->epoch.RefOf(batch.index()), nullptr);
    }
  }
}

void BatchRequester::GiveUp(PendingBatch& batch) {
  const std::string holders = absl::StrJoin(
      batch.deaths().losses(), ", ", [](std::string* out, const auto& loss) {
        absl::StrAppend(out, loss.holder.address.ToString());
      });
  batch.Fail(absl::AbortedError(absl::StrCat(
      state_->epoch.KeyOf(batch.index()).ToString(), ": ",
      batch.deaths().losses().size(),
      " servers died making it, the last ones with nothing beside: ", holders,
      "; it is given up to spare the others")));
  fleet_->Cancel(state_->epoch.RefOf(batch.index()), nullptr);
}

void BatchRequester::Send(PendingBatch& batch, BatchServer& server,
                          std::shared_ptr<ReceiveSlot> slot, absl::Time now) {
  const BatchRef ref = state_->epoch.RefOf(batch.index());
  CreditRequest request;
  request.key = state_->epoch.KeyOf(batch.index());
  request.generation = ref.generation;
  request.exclusive = batch.deaths().is_suspect();
  request.slot = std::move(slot);
  request.inputs =
      MakeCreditInputs(state_->session, *state_->epoch.order(), batch.index());
  if (held_ != nullptr) request.held = {held_, held_->view()};
  request.compact = options_.compact;
  request.trace_id = state_->TraceIdOf(batch.index());
  if (!request.trace_id.empty()) batch.trail().Asked(server.address(), now);
  server.RequestBatch(std::move(request));
  batch.MarkRequested();
  // A late server may still answer first; a silent one is told to stop.
  if (!batch.hedged()) fleet_->Cancel(ref, &server);
}

PendingBatch* BatchRequester::FindRequested(const BatchRef& batch) {
  PendingBatch* found = state_->Find(batch);
  const bool requested =
      found != nullptr && found->state() == PendingBatch::State::kRequested;
  return requested ? found : nullptr;
}

void BatchRequester::PassOverSilent() {
  for (const BatchRef& ref : fleet_->FindSilent()) {
    PendingBatch* batch = FindRequested(ref);
    if (batch == nullptr) continue;
    batch->PassOver();
    ++state_->stats.reassigned;
  }
}

void BatchRequester::HedgeLate() {
  if (fleet_->num_up() < 2) return;
  for (const BatchRef& ref : fleet_->FindLate(options_.hedge_after)) {
    PendingBatch* batch = FindRequested(ref);
    if (batch == nullptr || !batch->Hedge()) continue;
    ++state_->stats.hedged;
    ++state_->stats.reassigned;
  }
}

}  // namespace tributary
