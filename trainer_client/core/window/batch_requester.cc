#include "trainer_client/core/window/batch_requester.h"

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
    if (!batch.IsDue(now) || Request(batch)) continue;
    front_lacks_room_ = batch.index() == state_->window.front().index();
    return;
  }
}

bool BatchRequester::Request(PendingBatch& batch) {
  const Decision decision = batch.DecideRequest(
      [this](const DeathRecord::Holder& holder) {
        return fleet_->FateOf(holder);
      },
      fleet_->losses());
  if (decision == Decision::kGiveUp) GiveUp(batch);
  if (decision == Decision::kGiveUp || decision == Decision::kWait) return true;
  const std::vector<Address>& refused = batch.refused_by();
  if (!refused.empty() && !fleet_->AnyUpBeside(refused)) {
    FailRefused(batch);
    return true;
  }
  BatchServer* server =
      fleet_->Choose({.batch = state_->epoch.RefOf(batch.index()),
                      .exclusive = decision == Decision::kRequestExclusively,
                      .avoid = batch.avoid(),
                      .refused_by = refused});
  if (server == nullptr) return true;
  std::shared_ptr<ReceiveSlot> slot = state_->rooms.Allocate(
      batch, server->largest_credit(), state_->window, &state_->stats.evicted);
  if (slot == nullptr) return false;
  Send(batch, *server, std::move(slot));
  return true;
}

void BatchRequester::FailRefused(PendingBatch& batch) {
  batch.Fail(batch.refusal());
  fleet_->Cancel(state_->epoch.RefOf(batch.index()), nullptr);
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
                          std::shared_ptr<ReceiveSlot> slot) {
  const BatchRef ref = state_->epoch.RefOf(batch.index());
  CreditRequest request;
  request.key = state_->epoch.KeyOf(batch.index());
  request.generation = ref.generation;
  request.exclusive = batch.deaths().is_suspect();
  request.slot = std::move(slot);
  request.inputs =
      MakeCreditInputs(state_->session, *state_->epoch.order(), batch.index());
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
