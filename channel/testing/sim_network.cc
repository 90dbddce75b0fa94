#include "channel/testing/sim_network.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"

namespace tributary {
namespace {

constexpr int kClient = 0;
constexpr int kServer = 1;

// The message as the bytes that a wire would carry.
std::vector<uint8_t> Encode(const OutgoingMessage& message) {
  const EnvelopePrefix prefix = EncodePrefix(message);
  std::vector<uint8_t> bytes(prefix.begin(), prefix.end());
  bytes.insert(bytes.end(), message.header.begin(), message.header.end());
  bytes.insert(bytes.end(), message.payload.begin(), message.payload.end());
  return bytes;
}

}  // namespace

// Both ends of a stream and what is in flight between them.
class SimLink : public std::enable_shared_from_this<SimLink> {
 public:
  struct End {
    SimExecutor* node = nullptr;
    std::string name;
    std::shared_ptr<StreamHandler> handler;
    bool told_closed = false;  // OnClosed is scheduled, or the node is dead
    std::deque<std::vector<uint8_t>> in_flight;  // sent by this end
    size_t queued_bytes = 0;                     // of them, and of lost ones
    absl::Time last_arrival = absl::InfinitePast();  // of what it sent
    absl::Status why;
  };

  explicit SimLink(SimNetwork* network) : network_(network) {}

  End& end(int side) { return ends_[side]; }
  bool broken() const { return broken_; }

  absl::Status Send(int side, OutgoingMessage message);
  void Close(int side, absl::Status why);
  // In-flight messages are lost; both ends are told.
  void Break(const absl::Status& client_why, const absl::Status& server_why);
  // The end's node is gone: drops its handler, tells the other end later.
  void NodeDied(int side);
  void TellClosed(int side, absl::Time when, absl::Status why);
  // Handlers and streams own each other until OnClosed; the world may end
  // before.
  void ForgetHandlers() {
    for (End& end : ends_) end.handler.reset();
  }

 private:
  void DeliverNext(int from);
  absl::Time NextArrival(int from, absl::Duration delay);

  SimNetwork* const network_;
  End ends_[2];
  bool broken_ = false;   // nothing more is delivered
  bool closing_ = false;  // one end has closed: nothing more is accepted
};

namespace {

class SimStream final : public Stream {
 public:
  SimStream(std::shared_ptr<SimLink> link, int side)
      : link_(std::move(link)), side_(side) {}
  ~SimStream() override {
    link_->Close(side_, absl::CancelledError("stream dropped"));
  }
  absl::Status Send(OutgoingMessage message) override {
    return link_->Send(side_, std::move(message));
  }
  size_t queued_bytes() const override {
    return link_->end(side_).queued_bytes;
  }
  void Close(absl::Status why) override { link_->Close(side_, std::move(why)); }

 private:
  const std::shared_ptr<SimLink> link_;
  const int side_;
};

}  // namespace

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

absl::Time SimLink::NextArrival(int from, absl::Duration delay) {
  End& end = ends_[from];
  const absl::Time when = network_->world_->now() + delay;
  end.last_arrival =
      std::max(when, end.last_arrival + absl::Nanoseconds(1));  // in order
  return end.last_arrival;
}

absl::Status SimLink::Send(int side, OutgoingMessage message) {
  End& end = ends_[side];
  if (end.told_closed || closing_) {
    return absl::UnavailableError(
        absl::StrCat("stream to ", ends_[1 - side].name, " is closed"));
  }
  std::vector<uint8_t> bytes = Encode(message);
  if (end.queued_bytes + bytes.size() > network_->faults_.max_queued_bytes) {
    const auto why = absl::ResourceExhaustedError(
        absl::StrCat("stream to ", ends_[1 - side].name, " has ",
                     end.queued_bytes, " bytes waiting"));
    Break(why, why);
    return why;
  }
  end.queued_bytes += bytes.size();
  if (broken_) return absl::OkStatus();  // into the void; it will be told
  if (network_->world_->Chance(network_->faults_.corrupt)) {
    bytes[network_->world_->Below(bytes.size())] ^=
        static_cast<uint8_t>(1u << network_->world_->Below(8));
    ++network_->messages_corrupted_;
  }
  if (network_->world_->Chance(network_->faults_.cut)) {
    const auto why = absl::UnavailableError("connection reset");
    Break(why, why);
    return absl::OkStatus();
  }
  end.in_flight.push_back(std::move(bytes));
  network_->world_->Schedule(
      ends_[1 - side].node->node(), NextArrival(side, network_->Latency()),
      [self = shared_from_this(), side] { self->DeliverNext(side); });
  return absl::OkStatus();
}

void SimLink::DeliverNext(int from) {
  End& sender = ends_[from];
  End& receiver = ends_[1 - from];
  if (broken_) return;
  if (network_->Parted(sender.node->node(), receiver.node->node())) {
    // Held back by the network, in order: tries again until healed.
    network_->world_->Schedule(
        receiver.node->node(), network_->world_->now() + absl::Milliseconds(1),
        [self = shared_from_this(), from] { self->DeliverNext(from); });
    return;
  }
  const std::vector<uint8_t> bytes = std::move(sender.in_flight.front());
  sender.in_flight.pop_front();
  sender.queued_bytes -= bytes.size();
  if (receiver.told_closed) return;
  const absl::Span<const uint8_t> slice(bytes);
  auto message = DecodeMessage({&slice, 1});
  if (!message.ok()) {
    Break(message.status(), message.status());
    return;
  }
  ++network_->messages_delivered_;
  const auto handler = receiver.handler;
  handler->OnMessage(**message);
}

void SimLink::Close(int side, absl::Status why) {
  if (broken_ || closing_ || ends_[side].told_closed) return;
  closing_ = true;
  const absl::Time soon = network_->world_->now() + absl::Microseconds(1);
  TellClosed(side, soon, why);
  // What was sent before an orderly end still arrives.
  TellClosed(1 - side, NextArrival(side, network_->Latency()), std::move(why));
}

void SimLink::Break(const absl::Status& client_why,
                    const absl::Status& server_why) {
  if (broken_) return;
  broken_ = true;
  const absl::Time now = network_->world_->now();
  TellClosed(kClient, now + network_->Latency(), client_why);
  TellClosed(kServer, now + network_->Latency(), server_why);
}

void SimLink::NodeDied(int side) {
  broken_ = true;
  End& dead = ends_[side];
  dead.told_closed = true;
  dead.handler.reset();
  const auto most =
      absl::ToInt64Nanoseconds(network_->faults_.max_crash_detection);
  const absl::Time when =
      network_->world_->now() +
      absl::Nanoseconds(static_cast<int64_t>(
          network_->world_->Below(static_cast<uint64_t>(most) + 1)));
  TellClosed(1 - side, when,
             absl::UnavailableError(
                 absl::StrCat(dead.name, ": connection reset by peer")));
}

void SimLink::TellClosed(int side, absl::Time when, absl::Status why) {
  End& end = ends_[side];
  if (end.told_closed || end.node == nullptr) return;
  network_->world_->Schedule(
      end.node->node(), when, [self = shared_from_this(), side, why] {
        End& told = self->ends_[side];
        if (told.told_closed) return;
        told.told_closed = true;
        if (auto handler = std::exchange(told.handler, nullptr)) {
          handler->OnClosed(why);
        }
      });
}

SimNetwork::SimNetwork(SimScheduler* world, SimNetworkFaults faults)
    : world_(world), faults_(faults) {}

SimNetwork::~SimNetwork() {
  for (const auto& weak : links_) {
    if (const auto link = weak.lock()) link->ForgetHandlers();
  }
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

std::shared_ptr<Stream> SimNetwork::Connect(
    SimExecutor* from, const Address& to, StreamMethod method,
    std::shared_ptr<StreamHandler> handler) {
  auto link = std::make_shared<SimLink>(this);
  std::erase_if(links_, [](const auto& weak) { return weak.expired(); });
  links_.push_back(link);
  SimLink::End& client = link->end(kClient);
  client.node = from;
  client.name = from->name();
  client.handler = std::move(handler);
  auto listener = listeners_.find(to);
  const auto refused = absl::UnavailableError(
      absl::StrCat(to.ToString(), ": connection refused"));
  SimLink::End& server = link->end(kServer);
  server.name = to.ToString();
  if (listener == listeners_.end() || world_->Chance(faults_.refuse_connect)) {
    link->Break(refused, refused);
    return std::make_shared<SimStream>(link, kClient);
  }
  server.node = listener->second.node;
  // Accepted before the first message can arrive: connecting comes first.
  client.last_arrival = world_->now() + Latency();
  world_->Schedule(server.node->node(), client.last_arrival,
                   [this, link, to, method] { Arrive(link, to, method); });
  return std::make_shared<SimStream>(link, kClient);
}

void SimNetwork::Arrive(const std::shared_ptr<SimLink>& link, const Address& to,
                        StreamMethod method) {
  if (link->broken()) return;
  auto listener = listeners_.find(to);
  absl::Status why =
      absl::UnavailableError(absl::StrCat(to.ToString(), ": refused"));
  auto stream = std::make_shared<SimStream>(link, kServer);
  if (listener != listeners_.end() &&
      listener->second.node == link->end(kServer).node) {
    link->end(kServer).handler = listener->second.acceptor->Accept(
        method, link->end(kClient).name, stream, &why);
  }
  if (link->end(kServer).handler == nullptr) {
    link->end(kServer).told_closed = true;
    link->Break(why, why);
  }
}

void SimNetwork::Crash(SimExecutor* node) {
  for (auto it = listeners_.begin(); it != listeners_.end();) {
    it = it->second.node == node ? listeners_.erase(it) : std::next(it);
  }
  for (const auto& weak : std::vector<std::weak_ptr<SimLink>>(links_)) {
    const auto link = weak.lock();
    if (!link) continue;
    for (int side : {kClient, kServer}) {
      if (link->end(side).node == node) link->NodeDied(side);
    }
  }
  world_->Crash(node->node());
}

void SimNetwork::Partition(SimExecutor* a, SimExecutor* b) {
  parted_.insert(std::minmax(a->node(), b->node()));
}

void SimNetwork::Heal() { parted_.clear(); }

size_t SimNetwork::open_links() {
  std::erase_if(links_, [](const auto& weak) { return weak.expired(); });
  return links_.size();
}

bool SimNetwork::Parted(int a, int b) const {
  return parted_.count(std::minmax(a, b)) > 0;
}

absl::Duration SimNetwork::Latency() {
  const auto spread =
      absl::ToInt64Nanoseconds(faults_.max_latency - faults_.min_latency);
  return faults_.min_latency +
         absl::Nanoseconds(static_cast<int64_t>(
             world_->Below(static_cast<uint64_t>(spread) + 1)));
}

}  // namespace tributary
