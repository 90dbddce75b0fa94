#include "trainer_client/core/fleet/server_fleet.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/observe/log.h"
#include "trainer_client/core/fleet/server_spread.h"

namespace tributary {
namespace {

// A frozen or cut-off server looks like a dead one, but comes back: only after
// this share of the time that a batch may take is it taken for dead.
constexpr double kShareOfTheDead = 0.25;

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
  std::vector<Address> mine = listing.addresses;
  if (!options_.server_rank.empty()) {
    mine.clear();
    for (int rank : options_.server_rank) {
      const auto i = static_cast<size_t>(rank);
      if (i < listing.addresses.size()) mine.push_back(listing.addresses[i]);
    }
  }
  if (options_.num_clients > 0) {
    const auto [first, end] =
        SpreadServers(mine.size(), static_cast<size_t>(options_.num_clients),
                      static_cast<size_t>(options_.client_rank));
    own_ = {mine.begin() + first, mine.begin() + end};
  }
  for (const Address& address : membership_.Update(mine)) Add(address);
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

ServerLink* ServerFleet::Choose(const Choice& choice) const {
  ServerLink* best = nullptr;
  std::tuple<bool, bool, double> best_cost;
  const size_t n = links_.size();
  for (size_t i = 0; i < n; ++i) {
    ServerLink* link = links_[(choice.index + i) % n].get();
    if (!link->CanTake(choice.alone) ||
        link->HasGrantFor(choice.index, choice.generation, /*live=*/false)) {
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

void ServerFleet::Abandon(uint64_t index, uint64_t generation,
                          const ServerLink* keep) {
  for (const auto& link : links_) {
    if (link.get() != keep) link->Abandon(index, generation);
  }
}

void ServerFleet::AbandonAll() {
  for (const auto& link : links_) link->AbandonAll();
}

bool ServerFleet::IsAsked(uint64_t index, uint64_t generation) const {
  return std::any_of(links_.begin(), links_.end(), [&](const auto& link) {
    return link->HasGrantFor(index, generation, /*live=*/true);
  });
}

size_t ServerFleet::num_open_grants() const {
  size_t n = 0;
  for (const auto& link : links_) n += link->num_open_grants();
  return n;
}

size_t ServerFleet::num_up() const {
  return static_cast<size_t>(
      std::count_if(links_.begin(), links_.end(),
                    [](const auto& link) { return link->up(); }));
}

ServerLink* ServerFleet::AnyUp() const {
  for (const auto& link : links_) {
    if (link->up()) return link.get();
  }
  return nullptr;
}

absl::Status ServerFleet::RefusedByAll() const {
  for (const auto& link : links_) {
    if (link->up() || !IsFinal(link->problem())) return absl::OkStatus();
  }
  if (links_.empty()) return absl::OkStatus();
  const ServerLink& first = *links_.front();
  return absl::Status(first.problem().code(),
                      absl::StrCat("server ", first.address().ToString(), ": ",
                                   std::string(first.problem().message())));
}

std::vector<OpenGrant> ServerFleet::FindSilent() {
  std::vector<OpenGrant> silent;
  // By number: a server that breaks may leave the fleet, and so this list.
  const auto links = links_;
  for (const auto& link : links) {
    for (const OpenGrant& grant : link->FindSilent()) silent.push_back(grant);
  }
  return silent;
}

std::vector<OpenGrant> ServerFleet::FindLate(absl::Duration age) const {
  std::vector<OpenGrant> late;
  for (const auto& link : links_) {
    for (const OpenGrant& grant : link->FindLate(age)) late.push_back(grant);
  }
  return late;
}

const ServerLink* ServerFleet::Find(const Address& address) const {
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
  const bool gone =
      link->down_for() >= kShareOfTheDead * options_.link.credit_timeout &&
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

absl::Status ServerFleet::OnDescribed(ServerLink& link,
                                      const ServerDescription& description) {
  const auto events = events_.lock();
  if (events == nullptr) return absl::CancelledError("the loader has gone");
  return events->OnDescribed(link, description);
}

void ServerFleet::OnServerUp(ServerLink& link) {
  if (auto events = events_.lock()) events->OnServerUp(link);
}

void ServerFleet::OnServerDown(ServerLink& link, std::vector<OpenGrant> lost) {
  const auto self =
      std::find_if(links_.begin(), links_.end(),
                   [&](const auto& l) { return l.get() == &link; });
  if (self == links_.end()) return;
  const std::shared_ptr<ServerLink> keep = *self;
  if (membership_.RemoveIfAbsent(link.address())) {
    links_.erase(self);
    leaving_.push_back(keep);
    link.Close([weak = weak_from_this(), gone = &link] {
      if (auto fleet = weak.lock()) {
        std::erase_if(fleet->leaving_,
                      [&](const auto& l) { return l.get() == gone; });
      }
    });
  }
  if (auto events = events_.lock()) events->OnServerDown(link, std::move(lost));
}

void ServerFleet::OnGrantEnd(ServerLink& link, const OpenGrant& grant,
                             GrantEnd end) {
  if (auto events = events_.lock()) {
    events->OnGrantEnd(link, grant, std::move(end));
  }
}

}  // namespace tributary
