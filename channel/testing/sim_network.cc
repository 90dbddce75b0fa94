#include "channel/testing/sim_network.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/testing/sim_link.h"

namespace tributary {

class SimTransport final : public Transport {
 public:
  SimTransport(SimNetwork* network, SimExecutor* node)
      : network_(network), node_(node) {}
  std::shared_ptr<Stream> Connect(
      const Address& address, StreamMethod method,
      std::shared_ptr<StreamHandler> handler) override {
    return network_->Connect(node_, address, method, std::move(handler));
  }

 private:
  SimNetwork* const network_;
  SimExecutor* const node_;
};

class SimRoom final : public SharedRoom {
 public:
  explicit SimRoom(std::shared_ptr<SharedRoom> room) : room_(std::move(room)) {}
  absl::Span<uint8_t> bytes() override {
    return room_ == nullptr ? absl::Span<uint8_t>() : room_->bytes();
  }
  void Unmap() { room_.reset(); }

 private:
  std::shared_ptr<SharedRoom> room_;
};

SimNetwork::SimNetwork(SimScheduler* world, SimNetworkFaults faults)
    : world_(world), faults_(faults) {}

SimNetwork::~SimNetwork() {
  watch_ = nullptr;
  held_back_.clear();
  for (const auto& link : Links()) link->ForgetHandlers();
}

Transport* SimNetwork::TransportOf(SimExecutor* node) {
  auto& transport = transports_[node->node()];
  if (!transport) transport = std::make_unique<SimTransport>(this, node);
  return transport.get();
}

void SimNetwork::Listen(SimExecutor* node, const Address& address,
                        StreamAcceptor* acceptor) {
  listeners_[address] = {node, acceptor};
}

void SimNetwork::StopListening(const Address& address) {
  listeners_.erase(address);
}

std::vector<std::shared_ptr<SimLink>> SimNetwork::Links() {
  std::erase_if(links_, [](const auto& weak) { return weak.expired(); });
  std::vector<std::shared_ptr<SimLink>> links;
  for (const auto& weak : links_) links.push_back(weak.lock());
  return links;
}

// The random stream of a link depends on the seed, on its two ends, and on how
// often they have connected before.
std::shared_ptr<SimLink> SimNetwork::NewLink(SimExecutor* from,
                                             const Address& to,
                                             StreamMethod method) {
  const auto listener = listeners_.find(to);
  SimLinkInfo info;
  info.id = ++links_made_;
  info.method = method;
  info.client = from->node();
  info.address = to;
  const int attempt = attempts_[{from->name(), to, method}]++;
  const SimRandom random(world_->seed(),
                         absl::StrCat(from->name(), ">", to.ToString(), "/",
                                      static_cast<int>(method), "#", attempt));
  SimExecutor* node = nullptr;
  if (listener != listeners_.end()) {
    node = listener->second.node;
    info.server = node->node();
  }
  const auto pace = paces_.find({to, method});
  auto link = std::make_shared<SimLink>(
      this, info, random,
      pace == paces_.end() ? absl::Nanoseconds(1) : pace->second);
  link->SetEnd(SimSide::kClient, from, from->name());
  link->SetEnd(SimSide::kServer, node,
               node == nullptr ? to.ToString() : node->name());
  links_.push_back(link);
  return link;
}

std::shared_ptr<Stream> SimNetwork::Connect(
    SimExecutor* from, const Address& to, StreamMethod method,
    std::shared_ptr<StreamHandler> handler) {
  if (links_.size() > 64) (void)Links();  // forgets those that are gone
  auto link = NewLink(from, to, method);
  link->SetHandler(SimSide::kClient, std::move(handler));
  if (watch_ != nullptr) watch_->OnConnect(link->info());
  const bool refused = link->random().Chance(faults_.refuse_connect);
  counts_.refused += refused ? 1 : 0;
  if (refused || link->info().server < 0) {
    const auto why = absl::UnavailableError(
        absl::StrCat(to.ToString(), ": connection refused"));
    link->Break(why, why);
    return MakeSimStream(std::move(link), SimSide::kClient);
  }
  absl::Duration extra;
  if (link->random().Chance(faults_.slow_connect)) {
    extra =
        link->random().Between(absl::ZeroDuration(), faults_.max_slow_connect);
    ++counts_.slow;
  }
  link->StartConnecting(extra);
  if (link->random().Chance(faults_.connect_twice)) Double(*link, to, method);
  return MakeSimStream(std::move(link), SimSide::kClient);
}

void SimNetwork::Double(SimLink& link, const Address& to, StreamMethod method) {
  auto twin = NewLink(link.node(SimSide::kClient), to, method);
  twin->SetIsDouble();
  if (watch_ != nullptr) watch_->OnConnect(twin->info());
  twin->StartConnecting(faults_.max_latency);
  link.SetDouble(std::move(twin));
  ++counts_.twice;
}

void SimNetwork::SetIdentity(const SimExecutor* node, Identity identity) {
  identities_[node->node()] = std::move(identity);
}

void SimNetwork::Accept(const std::shared_ptr<SimLink>& link) {
  const auto listener = listeners_.find(link->info().address);
  absl::Status why = absl::UnavailableError(
      absl::StrCat(link->info().address.ToString(), ": refused"));
  std::shared_ptr<StreamHandler> handler;
  if (listener != listeners_.end() &&
      listener->second.node == link->node(SimSide::kServer)) {
    handler = listener->second.acceptor->Accept(
        link->info().method,
        MakeCaller(link->client_name(), identities_[link->info().client]),
        MakeSimStream(link, SimSide::kServer), &why);
  }
  if (handler == nullptr) return link->Refuse(why);
  link->SetHandler(SimSide::kServer, std::move(handler));
}

void SimNetwork::Crash(SimExecutor* node) {
  for (auto it = listeners_.begin(); it != listeners_.end();) {
    it = it->second.node == node ? listeners_.erase(it) : std::next(it);
  }
  for (const auto& link : Links()) {
    for (SimSide side : {SimSide::kClient, SimSide::kServer}) {
      if (link->node(side) == node) link->NodeDied(side);
    }
  }
  world_->Crash(node->node());
  for (const auto& [holder, weak] : rooms_) {
    const auto room = holder == node->node() ? weak.lock() : nullptr;
    if (room != nullptr) room->Unmap();
  }
}

void SimNetwork::BreakStreamsOf(SimExecutor* node) {
  const auto why = absl::UnavailableError("connection reset");
  for (const auto& link : Links()) {
    for (SimSide side : {SimSide::kClient, SimSide::kServer}) {
      if (link->node(side) == node) link->Break(why, why);
    }
  }
}

void SimNetwork::Part(const std::string& from, const std::string& to) {
  parted_.emplace(from, to);
}

void SimNetwork::Heal(const std::string& from, const std::string& to) {
  parted_.erase({from, to});
  Resume();
}

void SimNetwork::Partition(SimExecutor* a, SimExecutor* b) {
  Part(a->name(), b->name());
  Part(b->name(), a->name());
}

void SimNetwork::Heal() {
  parted_.clear();
  Resume();
}

void SimNetwork::Resume() {
  const auto links = std::exchange(held_back_, {});
  for (const auto& [id, link] : links) {
    link->Resume();
    if (link->is_held_back()) held_back_.emplace(id, link);
  }
}

size_t SimNetwork::open_links() {
  size_t n = 0;
  for (const auto& link : Links()) n += link->open() ? 1 : 0;
  return n;
}

std::shared_ptr<SharedRoom> SimNetwork::Map(int node,
                                            std::shared_ptr<SharedRoom> room) {
  if (!carries_rooms_ || room == nullptr) return nullptr;
  std::erase_if(rooms_, [](const auto& r) { return r.second.expired(); });
  auto mapped = std::make_shared<SimRoom>(std::move(room));
  rooms_.emplace_back(node, mapped);
  return mapped;
}

bool SimNetwork::Parted(const std::string& from, const std::string& to) const {
  return !parted_.empty() && parted_.contains({from, to});
}

}  // namespace tributary
