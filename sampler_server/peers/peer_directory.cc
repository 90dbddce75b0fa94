#include "sampler_server/peers/peer_directory.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "channel/parse_header.h"
#include "common/observe/log.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kMaxPeers = 4096;
// An owner is slow if its answers take so many times as long as those of the
// fastest, and this.
constexpr double kSlowFactor = 4;
constexpr absl::Duration kSlowAnswer = absl::Milliseconds(10);

// Returns a seed that is the same in every run and different for every pair of
// servers.
uint64_t BackoffSeed(uint64_t own_incarnation, const Address& address) {
  return own_incarnation ^ std::hash<std::string>()(address.ToString());
}

}  // namespace

PeerDirectory::PeerDirectory(PeerDirectoryOptions options, Transport* transport,
                             Executor* executor)
    : options_(std::move(options)),
      transport_(transport),
      strand_(std::make_shared<Strand>(executor)) {}

void PeerDirectory::SetListed(std::vector<Address> addresses) {
  strand_->Post([self = shared_from_this(), addresses = std::move(addresses)] {
    if (!self->stopped_) self->ApplyList(addresses);
  });
}

void PeerDirectory::Stop(absl::AnyInvocable<void()> stopped) {
  strand_->Post(
      [self = shared_from_this(), stopped = std::move(stopped)]() mutable {
        self->stopped_ = true;
        for (auto& [address, watch] : self->watches_) {
          self->strand_->CancelTimer(watch.timer);
          watch.peer->SetProblem(absl::CancelledError("this server stops"));
        }
        self->watches_.clear();
        self->Publish();
        stopped();
      });
}

void PeerDirectory::ApplyList(const std::vector<Address>& addresses) {
  const std::set<Address> listed(addresses.begin(), addresses.end());
  for (auto& [address, watch] : watches_) {
    watch.listed = listed.contains(address);
  }
  for (const Address& address : listed) {
    if (watches_.contains(address)) continue;
    if (watches_.size() >= kMaxPeers) {
      LogRepeated(LogLevel::kWarning, "too many peers",
                  absl::StrCat("more than ", kMaxPeers,
                               " peers: ", address.ToString(), " is left out"));
      continue;
    }
    watches_.emplace(
        address,
        Watch{std::make_shared<Peer>(address, transport_, strand_->executor()),
              Backoff(options_.backoff,
                      BackoffSeed(options_.own_incarnation, address))});
    Describe(address);
  }
  Publish();
}

// Makes the peers known to other threads.
void PeerDirectory::Publish() {
  std::vector<std::shared_ptr<Peer>> peers;
  std::string self;
  for (const auto& [address, watch] : watches_) {
    if (!watch.is_self) {
      peers.push_back(watch.peer);
    } else if (self.empty()) {
      self = address.ToString();
    }
  }
  MutexLock lock(mutex_);
  peers_.swap(peers);
  self_.swap(self);
}

void PeerDirectory::DescribeAfter(const Address& address,
                                  absl::Duration delay) {
  Watch& watch = watches_.at(address);
  strand_->CancelTimer(watch.timer);
  watch.timer = strand_->PostAfter(
      delay, [self = shared_from_this(), address] { self->Describe(address); });
}

void PeerDirectory::Describe(const Address& address) {
  auto it = watches_.find(address);
  if (it == watches_.end() || it->second.in_flight) return;
  Watch& watch = it->second;
  if (watch.control == nullptr || !watch.control->open()) {
    watch.control = std::make_unique<CallClient>(
        transport_, address, StreamMethod::kControl, strand_->executor());
  }
  watch.in_flight = true;
  v1::DescribeRequest request;
  request.set_wire_version(kWireVersion);
  const Sha256Digest& layout = options_.schema.layout_digest;
  request.set_layout_digest(layout.data(), layout.size());
  request.set_graph_text(v1::GRAPH_TEXT_NONE);
  request.set_status(options_.statuses != nullptr && !watch.is_self &&
                     options_.statuses->Wanted(strand_->Now()));
  watch.control->Call(
      {MessageKind::kDescribeRequest, request.SerializeAsString()},
      strand_->Now() + options_.describe_timeout, 0,
      [self = shared_from_this(), address](absl::StatusOr<CallReply> reply) {
        self->strand_->Post(
            [self, address, reply = std::move(reply)]() mutable {
              self->OnDescribed(address, std::move(reply));
            });
      });
}

void PeerDirectory::OnDescribed(const Address& address,
                                absl::StatusOr<CallReply> reply) {
  auto it = watches_.find(address);
  if (it == watches_.end()) return;
  Watch& watch = it->second;
  watch.in_flight = false;
  absl::Status problem = Accept(watch, reply);
  if (problem.ok()) {
    watch.backoff.Reset();
    return DescribeAfter(address, options_.describe_interval);
  }
  LogRepeated(
      LogLevel::kWarning, "peer", address.ToString(),
      absl::StrCat("peer ", address.ToString(), ": ", problem.ToString()));
  watch.control.reset();
  watch.peer->SetProblem(std::move(problem));
  if (!watch.listed) {
    watches_.erase(it);
    return Publish();
  }
  DescribeAfter(address, watch.backoff.Next());
}

absl::Status PeerDirectory::Accept(Watch& watch,
                                   const absl::StatusOr<CallReply>& reply) {
  RETURN_IF_ERROR(reply.status());
  ASSIGN_OR_RETURN(const auto described, ParseReplyHeader<v1::DescribeReply>(
                                             reply->kind, reply->header));
  const bool is_self = described.incarnation() == options_.own_incarnation;
  if (is_self != watch.is_self) {
    watch.is_self = is_self;
    Publish();
  }
  if (options_.statuses != nullptr && !described.status().empty() && !is_self) {
    options_.statuses->Set(watch.peer->address().ToString(), described.status(),
                           strand_->Now());
  }
  RETURN_IF_ERROR(CheckGraph(described));
  transport_->NoteTakesTcp(watch.peer->address(), described.incarnation(),
                           described.takes_tcp());
  watch.peer->SetHealthy(
      {described.partitions().begin(), described.partitions().end()},
      described.draining());
  return absl::OkStatus();
}

absl::Status PeerDirectory::CheckGraph(const v1::DescribeReply& described) {
  const Sha256Digest& ours = options_.schema.layout_digest;
  if (!described.layout_digest().empty()) {
    if (described.layout_digest() == std::string(ours.begin(), ours.end())) {
      return absl::OkStatus();
    }
    return absl::FailedPreconditionError(absl::StrCat(
        "it describes a graph with layout digest ",
        absl::BytesToHexString(described.layout_digest().substr(0, 32)),
        "; it was asked for '", options_.schema.name, "' with ", ToHex(ours)));
  }
  // A server that always sends the text and no digests.
  if (described.graph_json() == accepted_json_) return absl::OkStatus();
  ASSIGN_OR_RETURN(const GraphSchema theirs,
                   GraphSchema::FromJson(described.graph_json()));
  if (theirs.layout_digest != ours) {
    return absl::FailedPreconditionError(
        absl::StrCat("it serves graph '", theirs.name, "' with layout digest ",
                     ToHex(theirs.layout_digest), "; this server has '",
                     options_.schema.name, "' with ", ToHex(ours)));
  }
  accepted_json_ = described.graph_json();
  return absl::OkStatus();
}

namespace {

// Moves the owners to the end whose calls take so long that they would hold up
// batches: a peer may be slow for hours and yet answer everything.
void PutSlowOnesLast(std::vector<std::shared_ptr<Peer>>& owners,
                     absl::Time now) {
  absl::Duration fastest = absl::InfiniteDuration();
  absl::Duration slowest = absl::ZeroDuration();
  for (const auto& owner : owners) {
    const absl::Duration time = owner->answer_times().Expected(now);
    fastest = std::min(fastest, time);
    slowest = std::max(slowest, time);
  }
  const absl::Duration most = kSlowAnswer + kSlowFactor * fastest;
  if (slowest <= most) return;
  std::stable_partition(owners.begin(), owners.end(), [&](const auto& owner) {
    return owner->answer_times().Expected(now) <= most;
  });
}

}  // namespace

std::vector<std::shared_ptr<Peer>> PeerDirectory::Owners(uint32_t partition) {
  std::vector<std::shared_ptr<Peer>> owners;
  uint64_t turn = 0;
  {
    MutexLock lock(mutex_);
    turn = turn_++;
    for (const auto& peer : peers_) {
      if (peer->healthy() && peer->Owns(partition)) owners.push_back(peer);
    }
  }
  if (!owners.empty()) {
    std::rotate(owners.begin(), owners.begin() + turn % owners.size(),
                owners.end());
  }
  const absl::Time now = strand_->Now();
  if (owners.size() > 1) PutSlowOnesLast(owners, now);
  std::stable_partition(owners.begin(), owners.end(),
                        [](const auto& peer) { return !peer->draining(); });
  std::stable_partition(owners.begin(), owners.end(), [now](const auto& peer) {
    return !peer->left_alone(now);
  });
  return owners;
}

void PeerDirectory::ReportBadAnswer(const std::shared_ptr<Peer>& peer,
                                    const absl::Status& why) {
  if (!peer->LeaveAlone(strand_->Now())) return;
  const std::string address = peer->address().ToString();
  LogRepeated(LogLevel::kWarning, absl::StrCat("bad answers of peer ", address),
              absl::StrCat("peer ", address,
                           " is left alone for a while, since it answered: ",
                           why.ToString()));
}

void PeerDirectory::ReportSilence(const std::shared_ptr<Peer>& peer,
                                  const absl::Status& why) {
  if (!peer->LeaveAlone(strand_->Now())) return;
  const std::string address = peer->address().ToString();
  LogRepeated(LogLevel::kWarning, absl::StrCat("silence of peer ", address),
              absl::StrCat("peer ", address,
                           " is left alone for a while: ", why.ToString()));
  peer->RenewLeaf();
  strand_->Post([self = shared_from_this(), address = peer->address()] {
    self->Describe(address);
  });
}

void PeerDirectory::ReportFailure(const std::shared_ptr<Peer>& peer,
                                  absl::Status why) {
  if (!peer->healthy()) return;
  peer->SetProblem(std::move(why));
  strand_->Post([self = shared_from_this(), address = peer->address()] {
    self->Describe(address);
  });
}

std::string PeerDirectory::Problems() const {
  std::string text;
  MutexLock lock(mutex_);
  for (const auto& peer : peers_) {
    const absl::Status problem = peer->problem();
    if (problem.ok()) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", peer->address().ToString(),
                    " (", problem.ToString(), ")");
  }
  return text;
}

std::vector<PeerView> PeerDirectory::Views() const {
  std::vector<PeerView> views;
  MutexLock lock(mutex_);
  for (const auto& peer : peers_) {
    views.push_back({peer->State(), peer->draining(), peer->problem()});
  }
  return views;
}

std::string PeerDirectory::self_address() const {
  MutexLock lock(mutex_);
  return self_;
}

std::vector<v1::PeerState> PeerDirectory::States() const {
  std::vector<v1::PeerState> states;
  MutexLock lock(mutex_);
  for (const auto& peer : peers_) states.push_back(peer->State());
  return states;
}

}  // namespace tributary
