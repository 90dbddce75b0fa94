#include "tests/sim/sim_trainer.h"

#include <utility>

#include "absl/strings/match.h"

namespace tributary {

SimTrainer::SimTrainer(SimScheduler* world, SimNetwork* network,
                       SimTrainerOptions options, SimUser* user)
    : node_(world->AddNode(options.name, options.drift)),
      options_(std::move(options)),
      user_(user),
      random_(options_.seed, options_.name + "/user"),
      strand_(std::make_shared<Strand>(node_)),
      core_(std::make_shared<LoaderCore>(options_.core, options_.session,
                                         strand_)) {
  ServerFleetOptions fleet;
  fleet.source.addresses = options_.servers;
  // A quarter of the trainers keep streams to two servers, and to owners.
  fleet.max_servers = options_.seed % 4 == 1 ? 2 : 0;
  fleet.client = options_.name;
  fleet.link.transport = network->TransportOf(node_);
  fleet.link.strand = strand_;
  fleet.link.client_name = options_.client;
  fleet.link.call_timeout = absl::Seconds(1);
  fleet.link.silence = absl::Milliseconds(500);
  fleet.link.credit_timeout = options_.core.rpc_timeout;
  fleet.jitter_seed = options_.core.jitter_seed;
  strand_->Post([core = core_, fleet, content = options_.graph_content,
                 held = options_.held] {
    auto servers = std::make_shared<ServerFleet>(fleet);
    if (content.has_value()) servers->PinGraph(*content);
    core->Start(servers);
    if (held != nullptr) core->Hold(held);
    servers->Start();
  });
}

void SimTrainer::AddRows() {
  constexpr absl::Duration kLongest = absl::Milliseconds(20);
  if (done_ || closed_ || !options_.add_rows()) return;
  strand_->PostAfter(random_.Between(absl::ZeroDuration(), kLongest),
                     [this] { AddRows(); });
}

void SimTrainer::Run(const Cursor& cursor) {
  if (options_.add_rows) {
    strand_->Post([this] { AddRows(); });
    options_.held->SetOnDrop(
        [this](int, uint32_t) { strand_->Post([this] { AddRows(); }); });
  }
  strand_->Post([this, cursor] {
    const absl::Status resumed = core_->Resume(cursor);
    if (!resumed.ok()) user_->OnError(resumed);
    Pull();
  });
}

void SimTrainer::Pull() {
  waiting_ = true;
  core_->Next([this](auto next) {
    waiting_ = false;
    Take(std::move(next));
  });
}

void SimTrainer::Take(absl::StatusOr<std::optional<BatchLease>> next) {
  if (!next.ok() && absl::IsFailedPrecondition(next.status()) &&
      absl::StrContains(next.status().message(), "leased")) {
    user_->OnLeasesFillRing(held_.size());
    if (!held_.empty()) Release(/*oldest=*/true);
    return strand_->Post([this] { Pull(); });
  }
  if (next.ok() && !next->has_value()) {
    while (!held_.empty()) Release(/*oldest=*/true);
    done_ = true;
    return;
  }
  ++delivered_;
  if (next.ok()) {
    user_->OnBatch((**next).view());
    held_.push_back(*std::move(*next));
  } else {
    user_->OnError(next.status());
  }
  strand_->PostAfter(random_.Between(absl::ZeroDuration(), options_.max_step),
                     [this] { Step(); });
}

// Batches of earlier steps may be kept a while and are released in any order.
void SimTrainer::Step() {
  if (strand_->Now() < away_until_) {
    strand_->PostAt(away_until_, [this] { Step(); });
    return;
  }
  if (delivered_ % options_.checkpoint_every == 0) committed_ = delivered_;
  while (held_.size() > random_.Below(options_.max_held + 1)) {
    Release(random_.Chance(0.5));
  }
  Pull();
}

void SimTrainer::Release(bool oldest) {
  user_->OnRelease((oldest ? held_.front() : held_.back()).view());
  oldest ? held_.pop_front() : held_.pop_back();
}

void SimTrainer::StayAway(absl::Duration time) {
  strand_->Post([this, time] { away_until_ = strand_->Now() + time; });
}

void SimTrainer::Close() {
  strand_->Post([this] {
    held_.clear();
    core_->Close([this] { closed_ = true; });
  });
}

}  // namespace tributary
