#include "trainer_client/core/fleet/server_fleet.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "channel/planned_end.h"
#include "common/observe/log.h"
#include "common/text/status.h"
#include "trainer_client/core/fleet/refusals.h"
#include "trainer_client/core/fleet/server_spread.h"
#include "trainer_client/core/fleet/server_subset.h"
#include "trainer_client/core/fleet/wait_notice.h"

namespace tributary {
namespace {

// A frozen or cut-off server looks like a dead one, but comes back: it counts
// as dead only after this share of the time that a batch may take.
constexpr double kDeadAfterShareOfTimeout = 0.25;
// Servers outside of the subset are let go once its members have been up so
// long.
constexpr absl::Duration kSettled = absl::Seconds(10);
// Of which so many may stay until then.
constexpr size_t kMostSubstitutes = 4;

uint64_t MixSeed(uint64_t seed, uint64_t number) {
  return seed ^ (number + 1) * 0x9E3779B97F4A7C15;
}

}  // namespace

ServerFleet::ServerFleet(ServerFleetOptions options)
    : options_(std::move(options)) {}

void ServerFleet::Start() {
  discovery_ = std::make_shared<Discovery>(
      options_.source, options_.link.strand, options_.resolver);
  discovery_->Start([weak = weak_from_this()](const ServerListing& listing) {
    if (auto self = weak.lock()) self->OnListing(listing);
  });
}

void ServerFleet::OnListing(const ServerListing& listing) {
  if (closed_) return;
  listing_problem_ = listing.problem;
  if (!listing_problem_.ok()) {
    LogRepeated(
        LogLevel::kWarning, "the list of servers",
        absl::StrCat("the list of servers: ", listing_problem_.ToString()));
  }
  const std::vector<Address> selected = Select(listing.addresses);
  if (options_.num_clients > 0) {
    const auto [first, end] = SpreadServers(
        selected.size(), static_cast<size_t>(options_.num_clients),
        static_cast<size_t>(options_.client_rank));
    own_ = {selected.begin() + first, selected.begin() + end};
  }
  UpdateKnown(selected);
  Rebalance();
}

void ServerFleet::UpdateKnown(const std::vector<Address>& selected) {
  for (const Address& address : membership_.Update(selected)) {
    known_.push_back(
        {.address = address, .score = SubsetScore(options_.client, address)});
  }
  // In a large fleet the order is the client's own, so that not all prefer the
  // first of the list.
  if (LimitsServers()) {
    std::stable_sort(
        known_.begin(), known_.end(),
        [](const Known& a, const Known& b) { return a.score > b.score; });
  }
  // Without a link, a server is known only as long as it is listed.
  std::erase_if(known_, [&](const Known& known) {
    return Find(known.address) == nullptr &&
           membership_.RemoveIfAbsent(known.address);
  });
}

std::set<Address> ServerFleet::Wanted() const {
  std::set<Address> wanted;
  if (!LimitsServers()) {
    for (const Known& known : known_) wanted.insert(known.address);
    return wanted;
  }
  std::vector<SubsetCandidate> candidates;
  for (const Known& known : known_) {
    const ServerLink* link = Find(known.address);
    candidates.push_back({.score = known.score,
                          .own = own_.contains(known.address),
                          .usable = link == nullptr || !link->failing(),
                          .partitions = known.partitions});
  }
  for (const size_t i :
       ChooseSubset(candidates, options_.max_servers, num_partitions_)) {
    wanted.insert(known_[i].address);
  }
  return wanted;
}

void ServerFleet::Rebalance() {
  if (closed_) return;
  const std::set<Address> wanted = Wanted();
  for (const Known& known : known_) {
    if (wanted.contains(known.address) && Find(known.address) == nullptr) {
      Add(known.address);
    }
  }
  LetGoUnwanted(wanted);
}

void ServerFleet::LetGoUnwanted(const std::set<Address>& wanted) {
  const bool settled =
      std::all_of(links_.begin(), links_.end(), [&](const auto& link) {
        return !wanted.contains(link->address()) ||
               (link->up() && link->settled_for() >= kSettled);
      });
  size_t kept = 0;
  const auto links = links_;
  for (const auto& link : links) {
    const bool surplus = !wanted.contains(link->address());
    const bool keep = !surplus || (!settled && kept < kMostSubstitutes);
    link->SetResting(!keep);
    if (!surplus || link->failing()) continue;  // a failed one goes on trying
    if (keep) ++kept;
    if (keep || link->streams().num_grants() > 0) continue;
    CountUp();
    std::erase(links_, link);
    counted_up_ = num_up();
    Remove(link);
  }
  if (kept == 0 || std::exchange(settling_, true)) return;
  options_.link.strand->PostAfter(kSettled / 4, [weak = weak_from_this()] {
    auto self = weak.lock();
    if (self == nullptr) return;
    self->settling_ = false;
    self->Rebalance();
  });
}

void ServerFleet::RebalanceSoon() {
  if (options_.max_servers == 0 || std::exchange(rebalance_posted_, true)) {
    return;
  }
  options_.link.strand->Post([weak = weak_from_this()] {
    auto self = weak.lock();
    if (self == nullptr) return;
    self->rebalance_posted_ = false;
    self->Rebalance();
  });
}

void ServerFleet::SetNumPartitions(uint32_t num_partitions) {
  num_partitions_ = std::max(num_partitions_, num_partitions);
  RebalanceSoon();
}

void ServerFleet::Learn(const Address& address,
                        const ServerDescription& description) {
  const auto learn = [&](const std::string& name, bool itself,
                         const std::vector<uint32_t>& partitions) {
    for (const uint32_t p : partitions) {
      num_partitions_ = std::max(num_partitions_, p + 1);
    }
    for (Known& known : known_) {
      if (known.address.ToString() != name) continue;
      if (itself || !known.described) known.partitions = partitions;
      known.described |= itself;
    }
  };
  learn(address.ToString(), true, description.partitions);
  if (options_.max_servers == 0) return;
  for (const DescribedPeer& peer : description.peers) {
    learn(peer.address, false, peer.partitions);
  }
}

void ServerFleet::CountUp() {
  const absl::Time now = options_.link.strand->Now();
  losses_.up += (now - counted_at_) * static_cast<double>(counted_up_);
  counted_at_ = now;
  counted_up_ = num_up();
}

FleetLosses ServerFleet::losses() const {
  FleetLosses losses = losses_;
  losses.up += (options_.link.strand->Now() - counted_at_) *
               static_cast<double>(counted_up_);
  return losses;
}

std::vector<Address> ServerFleet::Select(
    const std::vector<Address>& listed) const {
  if (options_.server_rank.empty()) return listed;
  std::vector<Address> selected;
  for (int rank : options_.server_rank) {
    const auto i = static_cast<size_t>(rank);
    if (i < listed.size()) selected.push_back(listed[i]);
  }
  return selected;
}

void ServerFleet::Add(const Address& address) {
  ServerLinkOptions link = options_.link;
  link.address = address;
  link.jitter_seed = MixSeed(options_.jitter_seed, links_made_++);
  links_.push_back(std::make_shared<ServerLink>(link, weak_from_this()));
  if (content_.has_value()) links_.back()->PinGraph(*content_);
  if (spec_ != nullptr) links_.back()->SetSession(spec_);
  links_.back()->Start();
}

void ServerFleet::SetSession(std::shared_ptr<const std::string> spec) {
  spec_ = std::move(spec);
  for (const auto& link : links_) link->SetSession(spec_);
}

void ServerFleet::PinGraph(const Sha256Digest& content) {
  content_ = content;
  for (const auto& link : links_) link->PinGraph(content);
}

void ServerFleet::Close(absl::AnyInvocable<void()> closed) {
  closed_ = true;
  if (discovery_ != nullptr) discovery_->Stop();
  struct Closing {
    size_t links;
    absl::AnyInvocable<void()> closed;
  };
  auto closing = std::make_shared<Closing>(links_.size() + leaving_.size() + 1,
                                           std::move(closed));
  const auto one_less = [closing] {
    if (--closing->links == 0) closing->closed();
  };
  const auto links = links_;
  const auto leaving = leaving_;
  for (const auto& link : links) link->Close(one_less);
  for (const auto& link : leaving) link->Close(one_less);
  one_less();
}

BatchServer* ServerFleet::Choose(const Choice& choice) const {
  const auto refused = [&](const ServerLink& link) {
    return std::count(choice.refused_by.begin(), choice.refused_by.end(),
                      link.address()) > 0;
  };
  ServerLink* best = nullptr;
  std::tuple<bool, bool, double> best_cost;
  const size_t n = links_.size();
  for (size_t i = 0; i < n; ++i) {
    ServerLink* link = links_[(choice.batch.index + i) % n].get();
    if (!link->CanTake(choice.exclusive) ||
        link->streams().HasGrantFor(choice.batch) || refused(*link)) {
      continue;
    }
    const std::tuple<bool, bool, double> cost(
        link->address() == choice.avoid,
        !own_.empty() && own_.count(link->address()) == 0, link->Load());
    if (best == nullptr || cost < best_cost) {
      best = link;
      best_cost = cost;
    }
  }
  return best;
}

void ServerFleet::Cancel(const BatchRef& batch, const BatchServer* keep) {
  for (const auto& link : links_) {
    if (link.get() != keep) link->streams().Cancel(batch);
  }
}

void ServerFleet::CancelAll() {
  for (const auto& link : links_) link->streams().CancelAll();
}

bool ServerFleet::IsRequested(const BatchRef& batch) const {
  return std::any_of(links_.begin(), links_.end(), [&](const auto& link) {
    return link->streams().HasLiveGrantFor(batch);
  });
}

size_t ServerFleet::num_open_grants() const {
  size_t n = 0;
  for (const auto& link : links_) n += link->streams().num_grants();
  return n;
}

size_t ServerFleet::num_up() const {
  return static_cast<size_t>(
      std::count_if(links_.begin(), links_.end(),
                    [](const auto& link) { return link->up(); }));
}

bool ServerFleet::AnyUpBeside(const std::vector<Address>& servers) const {
  return std::any_of(links_.begin(), links_.end(), [&](const auto& link) {
    return link->up() &&
           std::count(servers.begin(), servers.end(), link->address()) == 0;
  });
}

bool ServerFleet::AnyMayComeBeside(const std::vector<Address>& servers) const {
  return AnyOwnerMayComeBeside(servers, std::nullopt);
}

bool ServerFleet::AnyOwnerMayComeBeside(
    const std::vector<Address>& servers,
    std::optional<uint32_t> partition) const {
  return std::any_of(known_.begin(), known_.end(), [&](const Known& known) {
    if (std::count(servers.begin(), servers.end(), known.address) > 0) {
      return false;
    }
    // What a server owns is unknown until it or a peer has told.
    if (partition.has_value() && !known.partitions.empty() &&
        std::count(known.partitions.begin(), known.partitions.end(),
                   *partition) == 0) {
      return false;
    }
    const ServerLink* link = Find(known.address);
    return link == nullptr || link->up() ||
           (!IsFinal(link->problem()) &&
            !absl::IsFailedPrecondition(link->problem()));
  });
}

void ServerFleet::ReportWait(double wait_ratio) {
  for (const auto& link : links_) link->ReportWait(wait_ratio);
}

bool ServerFleet::AllAnswered() const {
  return !links_.empty() &&
         std::all_of(links_.begin(), links_.end(), [](const auto& link) {
           return link->up() || link->failing();
         });
}

std::vector<ServerLink*> ServerFleet::Up() const {
  std::vector<ServerLink*> up;
  for (const auto& link : links_) {
    if (link->up()) up.push_back(link.get());
  }
  return up;
}

absl::Status ServerFleet::RefusedByReachable() const {
  Refusals refusals;
  for (const Known& known : known_) {
    const ServerLink* link = Find(known.address);
    if (link == nullptr) return absl::OkStatus();  // not asked yet
    const bool refuses = RefusesForGood(link->problem());
    if (!refuses && !link->failing()) return absl::OkStatus();
    if (refuses) refusals.Add(link->address(), link->problem());
  }
  return refusals.Final(*this) ? refusals.Error() : absl::OkStatus();
}

absl::Status ServerFleet::RefusedByAll() const {
  if (links_.size() < known_.size()) return absl::OkStatus();
  for (const auto& link : links_) {
    if (link->up() || !IsFinal(link->problem())) return absl::OkStatus();
  }
  Refusals refusals;
  for (auto link = links_.rbegin(); link != links_.rend(); ++link) {
    refusals.Add((*link)->address(), (*link)->problem());
  }
  return refusals.empty() ? absl::OkStatus() : refusals.Error();
}

std::vector<BatchRef> ServerFleet::FindSilent() {
  std::vector<BatchRef> silent;
  // A copy: a server that is disconnected may leave the fleet, and so links_.
  const auto links = links_;
  for (const auto& link : links) {
    const std::vector<BatchRef> batches = link->FindSilent();
    silent.insert(silent.end(), batches.begin(), batches.end());
  }
  return silent;
}

std::vector<BatchRef> ServerFleet::FindLate(absl::Duration age) const {
  std::vector<BatchRef> late;
  for (const auto& link : links_) {
    const std::vector<BatchRef> batches = link->streams().FindLate(age);
    late.insert(late.end(), batches.begin(), batches.end());
  }
  return late;
}

ServerLink* ServerFleet::Find(const Address& address) const {
  for (const auto& link : links_) {
    if (link->address() == address) return link.get();
  }
  return nullptr;
}

// A server that does not come back is dead only if another can be reached: else
// it may be this trainer that has lost its network.
DeathRecord::Fate ServerFleet::FateOf(const DeathRecord::Holder& holder) const {
  const ServerLink* link = Find(holder.address);
  if (link == nullptr || link->incarnation() != holder.incarnation) {
    return DeathRecord::Fate::kDead;
  }
  if (link->up()) return DeathRecord::Fate::kAlive;
  const bool gone = link->down_for() >= kDeadAfterShareOfTimeout *
                                            options_.link.credit_timeout &&
                    num_up() > 0;
  return gone ? DeathRecord::Fate::kDead : DeathRecord::Fate::kUnknown;
}

std::string ServerFleet::ToString() const {
  std::string text =
      absl::StrJoin(links_, ", ", [](std::string* out, const auto& link) {
        absl::StrAppend(out, link->ToString());
      });
  if (links_.empty()) text = "none is known";
  if (!listing_problem_.ok()) {
    absl::StrAppend(&text, "; their list: ", listing_problem_.ToString());
  }
  return text;
}

std::string ServerFleet::Missing(uint32_t num_partitions) const {
  std::vector<ServerState> servers;
  for (const auto& link : links_) {
    servers.push_back({link->address().ToString(), link->up(), link->problem(),
                       link->description().partitions});
  }
  return DescribeMissing(servers, num_partitions, listing_problem_);
}

absl::Status ServerFleet::OnDescribed(ServerLink& link,
                                      const ServerDescription& description) {
  const auto events = events_.lock();
  if (events == nullptr) return absl::CancelledError("the loader has gone");
  RETURN_IF_ERROR(events->OnDescribed(link, description));
  Learn(link.address(), description);
  return absl::OkStatus();
}

void ServerFleet::OnServerUp(ServerLink& link) {
  CountUp();
  RebalanceSoon();
  if (auto events = events_.lock()) events->OnServerUp(link);
}

void ServerFleet::OnServerDown(ServerLink& link, std::vector<OpenGrant> lost) {
  const size_t up_before = counted_up_;
  CountUp();
  if (counted_up_ < up_before && !IsPlannedEnd(link.problem())) ++losses_.lost;
  RebalanceSoon();
  const auto position =
      std::find_if(links_.begin(), links_.end(),
                   [&](const auto& l) { return l.get() == &link; });
  if (position == links_.end()) return;
  const std::shared_ptr<ServerLink> keep = *position;
  if (membership_.RemoveIfAbsent(link.address())) {
    links_.erase(position);
    std::erase_if(known_, [&](const Known& known) {
      return known.address == keep->address();
    });
    Remove(keep);
  }
  if (auto events = events_.lock()) events->OnServerDown(link, std::move(lost));
}

void ServerFleet::Remove(const std::shared_ptr<ServerLink>& link) {
  leaving_.push_back(link);
  link->Close([weak = weak_from_this(), gone = link.get()] {
    if (auto fleet = weak.lock()) {
      std::erase_if(fleet->leaving_,
                    [&](const auto& l) { return l.get() == gone; });
    }
  });
}

void ServerFleet::OnGrantEnd(ServerLink& link, const OpenGrant& grant,
                             GrantEnd end) {
  if (options_.max_servers != 0 && !link.CanTake(false)) RebalanceSoon();
  if (auto events = events_.lock()) {
    events->OnGrantEnd(link, grant, std::move(end));
  }
}

}  // namespace tributary
