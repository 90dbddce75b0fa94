// LoaderCore: what to ask of whom.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "trainer_client/core/loader_core.h"

namespace tributary {
namespace {

constexpr absl::Duration kTick = absl::Milliseconds(20);
}  // namespace

// Below it a try is not worth its round trip.
uint64_t LoaderCore::LeastRoom(const PendingBatch& batch) {
  constexpr uint64_t kLeast = 4096;
  return batch.needed != 0 ? batch.needed : kLeast;
}

// Events of one moment are handled by one pass.
void LoaderCore::PumpSoon() {
  if (std::exchange(pump_posted_, true)) return;
  strand_->Post([weak = weak_from_this()] {
    if (auto self = weak.lock()) self->Pump();
  });
}

void LoaderCore::Pump() {
  pump_posted_ = false;
  if (cancelled_ || !started_) return;
  FillWindow();
  AskAll();
  if (!ticking_ && (waiting_ || window_.AnyUnfinished())) {
    ticking_ = true;
    strand_->PostAfter(kTick, [weak = weak_from_this()] {
      if (auto self = weak.lock()) self->Tick();
    });
  }
  Deliver();
}

void LoaderCore::FillWindow() {
  const auto most = static_cast<size_t>(options_.prefetch_size) + 1;
  while (window_.size() < most && next_nth_ < order_->BatchesOfRank()) {
    window_.Add(order_->IndexOfRank(next_nth_++));
  }
}

// Ascending, and no further than there is room: a higher index never takes what
// a lower one needs.
void LoaderCore::AskAll() {
  room_is_short_ = false;
  const absl::Time now = strand_->Now();
  for (PendingBatch& batch : window_) {
    if (batch.state != PendingBatch::State::kWanted) continue;
    if (now < batch.not_before) continue;
    if (TryAsk(batch)) continue;
    room_is_short_ = batch.index == window_.front().index;
    return;
  }
}

// False when there is no room for it, which those above it must not take.
bool LoaderCore::TryAsk(PendingBatch& batch) {
  const DeathRecord::Verdict verdict = Judge(batch);
  if (verdict == DeathRecord::Verdict::kGuilty) return true;
  if (verdict == DeathRecord::Verdict::kWait) return true;
  ServerLink* link =
      fleet_->Choose({.index = batch.index,
                      .generation = generation_,
                      .alone = verdict == DeathRecord::Verdict::kAlone,
                      .avoid = batch.avoid});
  if (link == nullptr) return true;
  std::shared_ptr<ReceiveSlot> slot = MakeRoom(batch, *link);
  if (slot == nullptr) return false;
  Send(batch, *link, std::move(slot));
  return true;
}

DeathRecord::Verdict LoaderCore::Judge(PendingBatch& batch) {
  const DeathRecord::Verdict verdict =
      batch.deaths.Judge([this](const DeathRecord::Holder& holder) {
        return fleet_->FateOf(holder);
      });
  if (verdict != DeathRecord::Verdict::kGuilty) return verdict;
  const std::string holders = absl::StrJoin(
      batch.deaths.holders(), ", ", [](std::string* out, const auto& holder) {
        absl::StrAppend(out, holder.address.ToString());
      });
  Fail(batch,
       absl::AbortedError(absl::StrCat(
           KeyOf(batch.index).ToString(), ": ", batch.deaths.holders().size(),
           " servers died making it, the last one with nothing beside: ",
           holders, "; it is given up to spare the others")));
  return verdict;
}

// Evicts what is ready above it. Beyond what it is known to need it asks for no
// more than the server can make, and the first of the window makes do with
// less: it must not wait for room that it may not need.
std::shared_ptr<ReceiveSlot> LoaderCore::MakeRoom(const PendingBatch& batch,
                                                  const ServerLink& link) {
  const uint64_t most = link.description().LargestCredit();
  uint64_t bytes = batch.needed != 0
                       ? std::max(batch.needed, std::min(batch.wanted, most))
                       : std::min(credit_size_.Next(), most);
  const bool may_shrink = batch.index == window_.front().index;
  while (true) {
    if (auto slot = ReceiveSlot::Allocate(ring_, bytes)) return slot;
    if (window_.EvictAbove(batch.index)) {
      ++stats_.evicted;
    } else if (may_shrink && bytes > LeastRoom(batch)) {
      bytes = std::max(AlignUp(bytes / 2, kCacheLine), LeastRoom(batch));
    } else {
      return nullptr;
    }
  }
}

void LoaderCore::Send(PendingBatch& batch, ServerLink& link,
                      std::shared_ptr<ReceiveSlot> slot) {
  std::vector<uint64_t> numbers = order_->InputNumbers(batch.index);
  session_.link_lists.Group(&numbers);
  std::vector<int64_t> ids;
  if (session_.links == nullptr) {
    ids.resize(numbers.size());
    std::transform(numbers.begin(), numbers.end(), ids.begin(),
                   [this](uint64_t i) { return (*session_.input_ids)[i]; });
  }
  std::vector<int64_t> times;
  if (session_.input_times != nullptr) {
    for (uint64_t i : numbers) times.push_back((*session_.input_times)[i]);
  }
  OpenGrant grant;
  grant.index = batch.index;
  grant.generation = generation_;
  grant.alone = batch.deaths.holders().size() + 1 >= DeathRecord::kDeaths;
  BatchStream::Ask ask;
  ask.key = KeyOf(batch.index);
  ask.slot = std::move(slot);
  if (session_.links != nullptr) {
    ask.num_links = numbers.size();
    ask.link_credit = std::make_shared<const std::vector<uint8_t>>(
        EncodeLinkCredit({{numbers.begin(), numbers.end()},
                          session_.links->Take(numbers),
                          times}));
  } else {
    ask.input_numbers = numbers;
    ask.original_ids = ids;
    ask.input_times = times;
  }
  link.Ask(grant, std::move(ask));
  batch.state = PendingBatch::State::kAsked;
  // A late one may still come first; a silent one is told, if it can hear.
  if (!batch.hedged) fleet_->Abandon(batch.index, generation_, &link);
}

void LoaderCore::Tick() {
  ticking_ = false;
  if (cancelled_) return;
  PassOverSilent();
  HedgeLate();
  Pump();
}

// The batch that the grant is for, if it has no other fate yet.
PendingBatch* LoaderCore::AskedFor(const OpenGrant& grant) {
  if (grant.generation != generation_) return nullptr;
  PendingBatch* batch = window_.Find(grant.index);
  const bool asked =
      batch != nullptr && batch->state == PendingBatch::State::kAsked;
  return asked ? batch : nullptr;
}

// Wanted again, though the first holder may still answer.
void LoaderCore::PassOverSilent() {
  for (const OpenGrant& grant : fleet_->FindSilent()) {
    PendingBatch* batch = AskedFor(grant);
    if (batch == nullptr) continue;
    batch->state = PendingBatch::State::kWanted;
    batch->error = absl::UnavailableError("its server is silent");
    ++stats_.reassigned;
  }
}

// A server may be stuck and not know it. Once a batch, when a quarter of the
// time is over: a slow fleet must not be made slower.
void LoaderCore::HedgeLate() {
  if (fleet_->num_up() < 2) return;
  for (const OpenGrant& grant : fleet_->FindLate(options_.rpc_timeout / 4)) {
    PendingBatch* batch = AskedFor(grant);
    if (batch == nullptr || std::exchange(batch->hedged, true)) continue;
    batch->state = PendingBatch::State::kWanted;
    ++stats_.hedged;
    ++stats_.reassigned;
  }
}

}  // namespace tributary
