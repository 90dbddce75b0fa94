#include "channel/testing/sim_link.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

// What a room holds before and beside what is read.
constexpr uint8_t kUnreadByte = 0xA5;

class SimStream final : public Stream {
 public:
  SimStream(std::shared_ptr<SimLink> link, SimSide side)
      : link_(std::move(link)), side_(side) {}
  ~SimStream() override {
    link_->Close(side_, absl::CancelledError("stream dropped"));
  }
  absl::Status Send(OutgoingMessage message) override {
    return link_->Send(side_, std::move(message));
  }
  size_t queued_bytes() const override { return link_->queued_bytes(side_); }
  void Close(absl::Status why) override { link_->Close(side_, std::move(why)); }

 private:
  const std::shared_ptr<SimLink> link_;
  const SimSide side_;
};

}  // namespace

std::shared_ptr<Stream> MakeSimStream(std::shared_ptr<SimLink> link,
                                      SimSide side) {
  return std::make_shared<SimStream>(std::move(link), side);
}

SimLink::SimLink(SimNetwork* network, SimLinkInfo info, SimRandom random,
                 absl::Duration pace)
    : network_(network), info_(std::move(info)), random_(random), pace_(pace) {}

void SimLink::SetEnd(SimSide side, SimExecutor* node, std::string name) {
  end(side).node = node;
  end(side).name = std::move(name);
}

void SimLink::SetHandler(SimSide side, std::shared_ptr<StreamHandler> handler) {
  end(side).handler = std::move(handler);
}

absl::Duration SimLink::Latency() {
  return std::max(pace_, random_.Between(network_->faults_.min_latency,
                                         network_->faults_.max_latency));
}

// Keeps the order: no item arrives before one that was sent earlier.
void SimLink::ScheduleArrival(SimSide from, absl::Duration delay) {
  End& sender = end(from);
  sender.last_arrival =
      std::max(network_->world_->now() + delay, sender.last_arrival + pace_);
  network_->world_->Schedule(
      end(Other(from)).node->node(), sender.last_arrival,
      [self = shared_from_this(), from] { self->Arrive(from); });
}

void SimLink::Hold(SimSide side, const Item& item, bool holds) {
  if (item.message.kind != MessageKind::kFrame || item.detached) return;
  size_t& held = network_->frame_bytes_[end(side).node->node()];
  held += holds ? item.message.payload.size() : -item.message.payload.size();
}

void SimLink::Enqueue(SimSide from, Item item, absl::Duration delay) {
  End& sender = end(from);
  Hold(from, item, true);
  const uint64_t number = item.number = ++sender.sent;
  const bool reads = ReadsInto(item);
  sender.out.push_back(std::move(item));
  sender.most_out = std::max(sender.most_out, sender.out.size());
  ScheduleArrival(from, delay);
  if (!reads) return;
  const absl::Time now = network_->world_->now();
  network_->world_->Schedule(end(Other(from)).node->node(),
                             now + (sender.last_arrival - now) / 2,
                             [self = shared_from_this(), from, number] {
                               self->BeginToArrive(from, number);
                             });
}

bool SimLink::ReadsInto(const Item& item) const {
  return info_.id % 2 == 0 && !network_->carries_rooms_ &&
         item.kind == Item::Kind::kMessage && !item.message.payload.empty();
}

// Messages before it have arrived by now, or it is given its room later.
void SimLink::BeginToArrive(SimSide from, uint64_t number) {
  const End& sender = end(from);
  End& receiver = end(Other(from));
  if (lost_ || receiver.told_closed || receiver.closed ||
      receiver.handler == nullptr || sender.out.empty() ||
      sender.out.front().number != number ||
      network_->Parted(sender.name, receiver.name)) {
    return;
  }
  const std::vector<uint8_t> bytes = BytesOf(sender.out.front());
  const absl::Span<const uint8_t> slice(bytes);
  if (const auto message = DecodeMessage({&slice, 1}); message.ok()) {
    TakeRoom(receiver, **message);
  }
}

void SimLink::TakeRoom(End& receiver, const IncomingMessage& message) {
  const auto handler = receiver.handler;
  receiver.room = handler->RoomFor(message);
  std::fill(receiver.room.bytes.begin(), receiver.room.bytes.end(),
            kUnreadByte);
}

std::vector<uint8_t> SimLink::BytesOf(const Item& item) {
  const OutgoingMessage& message = item.message;
  std::vector<uint8_t> bytes(item.prefix.begin(), item.prefix.end());
  bytes.reserve(item.bytes);
  bytes.insert(bytes.end(), message.header.begin(), message.header.end());
  bytes.insert(bytes.end(), message.payload.begin(), message.payload.end());
  if (item.flipped != SIZE_MAX) {
    bytes[item.flipped / 8] ^= uint8_t(1u << item.flipped % 8);
  }
  return bytes;
}

void SimLink::StartConnecting(absl::Duration extra_delay) {
  Item item;
  item.kind = Item::Kind::kConnect;
  Enqueue(SimSide::kClient, std::move(item), Latency() + extra_delay);
}

absl::Status SimLink::Send(SimSide side, OutgoingMessage message) {
  End& sender = end(side);
  if (sender.told_closed || sender.closed) {
    return absl::UnavailableError(
        absl::StrCat("stream to ", end(Other(side)).name, " is closed"));
  }
  absl::Status why = CheckEnvelopeLimits(message);
  const size_t bytes = EnvelopeBytes(message);
  if (why.ok() &&
      sender.queued_bytes + bytes > network_->faults_.max_queued_bytes) {
    why = absl::ResourceExhaustedError(
        absl::StrCat("stream to ", end(Other(side)).name, " has ",
                     sender.queued_bytes, " bytes waiting"));
  }
  if (!why.ok()) {
    Break(why, why);
    return why;
  }
  if (network_->watch_ != nullptr) {
    network_->watch_->OnSend(info_, side, message);
  }
  if (side == SimSide::kClient && twin_ != nullptr) {
    OutgoingMessage copy = message;
    copy.room.reset();
    (void)twin_->Send(side, std::move(copy));
  }
  sender.queued_bytes += bytes;
  Item item;
  item.kind = Item::Kind::kMessage;
  item.bytes = bytes;
  item.prefix = EncodePrefix(message);
  if (!network_->carries_rooms_) message.room.reset();
  item.message = std::move(message);
  if (!lost_ && SurvivesFaults(item)) {
    Enqueue(side, std::move(item), Latency());
  } else {  // lost; the sender will be told
    Hold(side, item, true);
    sender.out.push_back(std::move(item));
  }
  return absl::OkStatus();
}

// Applies the network's faults to a message. Returns false if they end the
// stream.
bool SimLink::SurvivesFaults(Item& item) {
  const SimNetworkFaults& faults = network_->faults_;
  if (random_.Chance(faults.corrupt)) {
    item.flipped = random_.Below(item.bytes * 8);
    ++network_->counts_.corrupted;
  }
  if (random_.Chance(faults.cut)) {
    ++network_->counts_.cut;
    const auto why = absl::UnavailableError("connection reset");
    Break(why, why);
    return false;
  }
  if (random_.Chance(faults.stall)) {
    ++network_->counts_.stalled;
    Stall();
    return false;
  }
  return true;
}

void SimLink::Arrive(SimSide from) {
  if (lost_) return;
  End& sender = end(from);
  if (network_->Parted(sender.name, end(Other(from)).name)) {
    ++sender.waiting;
    ++network_->counts_.held_back;
    network_->held_back_[info_.id] = shared_from_this();
    return;
  }
  Item item = TakeFront(sender);
  Hold(from, item, false);
  sender.queued_bytes -= item.bytes;
  Deliver(from, std::move(item));
}

// A deque keeps the memory of its longest time: tests that count what a process
// holds would see it.
SimLink::Item SimLink::TakeFront(End& sender) {
  constexpr size_t kMany = 256;
  Item item = std::move(sender.out.front());
  sender.out.pop_front();
  if (sender.out.empty() && sender.most_out > kMany) {
    std::deque<Item>().swap(sender.out);
    sender.most_out = 0;
  }
  return item;
}

void SimLink::Resume() {
  for (SimSide from : {SimSide::kClient, SimSide::kServer}) {
    if (network_->Parted(end(from).name, end(Other(from)).name)) continue;
    for (int n = std::exchange(end(from).waiting, 0); n > 0 && !lost_; --n) {
      ScheduleArrival(from, Latency());
    }
  }
}

void SimLink::Deliver(SimSide from, Item item) {
  const SimSide to = Other(from);
  End& receiver = end(to);
  if (item.kind == Item::Kind::kConnect) {
    network_->Accept(shared_from_this());
    return;
  }
  if (receiver.told_closed || receiver.closed) return;
  if (item.kind == Item::Kind::kClose) {
    return TellClosed(to, absl::ZeroDuration(), std::move(item.why));
  }
  if (receiver.handler == nullptr) return;  // a double's client
  const std::vector<uint8_t> bytes = BytesOf(item);
  const bool damaged = item.flipped != SIZE_MAX;
  const absl::Span<const uint8_t> slice(bytes);
  auto message = DecodeMessage({&slice, 1});
  if (!message.ok()) return Break(message.status(), message.status());
  ++network_->counts_.delivered;
  if (network_->watch_ != nullptr && !damaged) {
    network_->watch_->OnArrival(info_, to, item.message);
  }
  item.message.payload_owner.reset();
  (*message)->set_room(
      network_->Map(receiver.node->node(), std::move(item.message.room)));
  if (ReadsInto(item) && receiver.room.bytes.empty()) {
    TakeRoom(receiver, **message);
  }
  const auto handler = receiver.handler;
  handler->OnMessage(**message);
  receiver.room = {};
}

void SimLink::Close(SimSide side, absl::Status why) {
  End& closer = end(side);
  if (closer.told_closed || closer.closed) return;
  closer.closed = true;
  if (network_->watch_ != nullptr) {
    network_->watch_->OnClose(info_, side, why);
  }
  if (side == SimSide::kClient && twin_ != nullptr) twin_->Close(side, why);
  if (!lost_ && end(Other(side)).node != nullptr) {
    Item item;
    item.kind = Item::Kind::kClose;
    item.why = why;
    Enqueue(side, std::move(item), Latency());
  }
  TellClosed(side, absl::Microseconds(1), std::move(why));
}

void SimLink::Refuse(const absl::Status& why) {
  end(SimSide::kServer).told_closed = true;
  Break(why, why);
}

void SimLink::Break(const absl::Status& client_why,
                    const absl::Status& server_why) {
  if (std::exchange(lost_, true)) return;
  TellClosed(SimSide::kClient, Latency(), client_why);
  TellClosed(SimSide::kServer, Latency(), server_why);
}

// The ends are told independently: one may have connected again long before the
// other detects the stall.
void SimLink::Stall() {
  if (std::exchange(lost_, true)) return;
  const auto why = absl::UnavailableError("no answer to keepalive pings");
  for (SimSide side : {SimSide::kClient, SimSide::kServer}) {
    TellClosed(side,
               random_.Between(absl::Milliseconds(1),
                               network_->faults_.max_stall_detection),
               why);
  }
}

void SimLink::NodeDied(SimSide side) {
  lost_ = true;
  End& dead = end(side);
  if (!std::exchange(dead.told_closed, true) && network_->watch_ != nullptr) {
    network_->watch_->OnClosed(info_, side);
  }
  dead.handler.reset();
  dead.room = {};
  DropQueue(side);
  // What the other end had sent before it closed is not read any more, and
  // lends the dead nothing.
  if (end(Other(side)).told_closed) DropQueue(Other(side));
  if (side == SimSide::kClient && twin_ != nullptr) twin_->NodeDied(side);
  TellClosed(Other(side),
             random_.Between(absl::ZeroDuration(),
                             network_->faults_.max_crash_detection),
             absl::UnavailableError(
                 absl::StrCat(dead.name, ": connection reset by peer")));
}

void SimLink::TellClosed(SimSide side, absl::Duration delay, absl::Status why) {
  if (end(side).told_closed || end(side).node == nullptr) return;
  network_->world_->Schedule(
      end(side).node->node(), network_->world_->now() + delay,
      [self = shared_from_this(), side, why = std::move(why)] {
        End& told = self->end(side);
        if (std::exchange(told.told_closed, true)) return;
        if (auto* watch = self->network_->watch_) {
          watch->OnClosed(self->info_, side);
        }
        self->lost_ ? self->DropQueue(side) : self->Detach(side);
        // A double that its client did not close breaks with the stream.
        if (side == SimSide::kClient && self->twin_ && !told.closed) {
          self->twin_->Break(why, why);
        }
        std::fill(told.room.bytes.begin(), told.room.bytes.end(), kUnreadByte);
        if (auto handler = std::exchange(told.handler, nullptr)) {
          handler->OnClosed(why);
        }
        told.room = {};
      });
}

// Owners may post and send when destroyed, so they are destroyed last, when
// this object's state is consistent.
void SimLink::DropQueue(SimSide side) {
  const auto dropped = std::exchange(end(side).out, {});
  for (const Item& item : dropped) Hold(side, item, false);
  end(side).queued_bytes = 0;
}

void SimLink::Detach(SimSide side) {
  std::vector<std::shared_ptr<const void>> owners;  // destroyed at the end
  for (Item& item : end(side).out) {
    Hold(side, item, false);
    item.detached = true;
    const auto& payload = item.message.payload;
    auto copy =
        std::make_shared<std::vector<uint8_t>>(payload.begin(), payload.end());
    item.message.payload = *copy;
    owners.push_back(std::exchange(item.message.payload_owner, copy));
  }
}

void SimLink::ForgetHandlers() {
  lost_ = true;
  for (End& e : ends_) e.told_closed = true;
  for (SimSide side : {SimSide::kClient, SimSide::kServer}) {
    end(side).handler.reset();
    end(side).room = {};
    DropQueue(side);
  }
}

}  // namespace tributary
