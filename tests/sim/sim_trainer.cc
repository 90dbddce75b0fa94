#include "tests/sim/sim_trainer.h"

namespace tributary {

SimTrainer::SimTrainer(SimScheduler* world, SimNetwork* network,
                       SimTrainerOptions options)
    : world_(world),
      node_(world->AddNode("trainer")),
      options_(std::move(options)),
      strand_(std::make_shared<Strand>(node_)),
      core_(std::make_shared<LoaderCore>(options_.core, options_.session,
                                         strand_)) {
  ServerFleetOptions fleet;
  fleet.source.addresses = options_.servers;
  fleet.link.transport = network->TransportOf(node_);
  fleet.link.strand = strand_;
  fleet.link.client_name = "simulated";
  fleet.link.call_timeout = absl::Seconds(1);
  fleet.link.silence = absl::Milliseconds(500);
  fleet.link.credit_timeout = options_.core.rpc_timeout;
  fleet.jitter_seed = options_.jitter_seed;
  strand_->Post([core = core_, fleet] {
    auto servers =
        std::make_shared<ServerFleet>(fleet, std::weak_ptr<FleetEvents>());
    core->Start(servers);
    servers->Start();
  });
}

void SimTrainer::Run(const Cursor& cursor) {
  strand_->Post([this, cursor] {
    const absl::Status resumed = core_->Resume(cursor);
    if (!resumed.ok()) errors_.push_back(resumed);
    Pull();
  });
}

void SimTrainer::Pull() {
  core_->Next([this](auto next) { Take(std::move(next)); });
}

void SimTrainer::Take(absl::StatusOr<std::optional<BatchLease>> next) {
  if (next.ok() && !next->has_value()) {
    held_.clear();
    done_ = true;
    return;
  }
  if (!next.ok()) {
    errors_.push_back(next.status());
    done_ = errors_.size() > 100;
  } else {
    BatchLease& lease = **next;
    taken_.emplace_back(lease.index(), ToHex(lease.view().Digest()));
    // One or two steps hold their batches, and let go of them in any order.
    held_.push_back(std::move(lease));
    if (held_.size() > 1 + world_->Below(2)) {
      world_->Chance(0.5) ? held_.pop_front() : held_.pop_back();
    }
  }
  if (done_) return;
  const auto step = static_cast<int64_t>(
      world_->Below(absl::ToInt64Nanoseconds(options_.max_step)));
  strand_->PostAfter(absl::Nanoseconds(step), [this] { Pull(); });
}

void SimTrainer::Close() {
  strand_->Post([this] {
    held_.clear();
    core_->Close([this] { closed_ = true; });
  });
}

}  // namespace tributary
