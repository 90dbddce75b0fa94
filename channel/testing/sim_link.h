// One stream of the simulated network: both ends and the messages in flight.
#ifndef TRIBUTARY_CHANNEL_TESTING_SIM_LINK_H_
#define TRIBUTARY_CHANNEL_TESTING_SIM_LINK_H_

#include <algorithm>
#include <deque>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "channel/envelope.h"
#include "channel/testing/sim_network.h"

namespace tributary {

// Delivers the connect, the messages and the close of each direction in order.
// A payload is read when its message arrives, as a real network reads it some
// time after Send; its owner is released then, or when the stream is lost.
// Every other link reads payloads into the rooms of StreamHandler::RoomFor, as
// TCP does: from some time before a message has arrived, and until the stream
// has ended, other bytes are there. Used on the simulation's thread only.
class SimLink : public std::enable_shared_from_this<SimLink> {
 public:
  // Two messages of one direction arrive at least `pace` apart.
  SimLink(SimNetwork* network, SimLinkInfo info, SimRandom random,
          absl::Duration pace);

  // Sets the node of one end. Call before anything else.
  void SetEnd(SimSide side, SimExecutor* node, std::string name);
  void SetHandler(SimSide side, std::shared_ptr<StreamHandler> handler);
  // Sends the connect, whose arrival calls SimNetwork::Accept.
  void StartConnecting(absl::Duration extra_delay);
  // Sends everything that the client sends from now on to `twin` as well.
  void SetDouble(std::shared_ptr<SimLink> twin) { twin_ = std::move(twin); }
  // Makes this link such a twin: its client's end has no handler.
  void SetIsDouble() { info_.is_double = true; }
  // Closes the link because the server refused it.
  void Refuse(const absl::Status& why);

  absl::Status Send(SimSide side, OutgoingMessage message);
  void Close(SimSide side, absl::Status why);
  size_t queued_bytes(SimSide side) const { return end(side).queued_bytes; }

  // Loses the messages in flight; both ends are told soon.
  void Break(const absl::Status& client_why, const absl::Status& server_why);
  // Lets nothing arrive any more; each end is told some time later.
  void Stall();
  // The end's node has crashed: drops its handler and tells the other end
  // later.
  void NodeDied(SimSide side);
  // Delivers what a partition held back, if it has healed.
  void Resume();
  bool is_held_back() const {
    return !lost_ && ends_[0].waiting + ends_[1].waiting > 0;
  }
  // Drops the handlers. Handlers and streams own each other until OnClosed, and
  // the simulation may end before it.
  void ForgetHandlers();

  const SimLinkInfo& info() const { return info_; }
  const std::string& client_name() const { return ends_[0].name; }
  SimExecutor* node(SimSide side) const { return end(side).node; }
  bool open() const {
    return std::any_of(std::begin(ends_), std::end(ends_), [](const End& e) {
      return e.node != nullptr && !e.told_closed;
    });
  }
  SimRandom& random() { return random_; }

 private:
  struct Item {
    enum class Kind { kConnect, kMessage, kClose };
    Kind kind{};
    OutgoingMessage message;
    EnvelopePrefix prefix{};
    size_t flipped = SIZE_MAX;  // the bit that arrives inverted
    size_t bytes = 0;
    uint64_t number = 0;    // among those of its sender
    bool detached = false;  // the payload is the network's own
    absl::Status why;       // kClose
  };
  struct End {
    SimExecutor* node = nullptr;
    std::string name;
    std::shared_ptr<StreamHandler> handler;
    bool closed = false;       // by its own Close
    bool told_closed = false;  // receives nothing more
    std::deque<Item> out;      // sent by this end, not yet arrived
    size_t most_out = 0;       // items in it since it was made
    size_t queued_bytes = 0;   // of `out`, and of messages sent when lost
    int waiting = 0;           // arrivals held back by a partition
    absl::Time last_arrival = absl::InfinitePast();  // of what it sent
    uint64_t sent = 0;                               // items
    PayloadRoom room;  // of the message that is arriving here
  };

  static SimSide Other(SimSide side) {
    return side == SimSide::kClient ? SimSide::kServer : SimSide::kClient;
  }
  End& end(SimSide side) { return ends_[static_cast<int>(side)]; }
  const End& end(SimSide side) const { return ends_[static_cast<int>(side)]; }
  absl::Duration Latency();
  void Enqueue(SimSide from, Item item, absl::Duration delay);
  Item TakeFront(End& sender);
  void ScheduleArrival(SimSide from, absl::Duration delay);
  // These are for the links that read into rooms.
  bool ReadsInto(const Item& item) const;
  static std::vector<uint8_t> BytesOf(const Item& item);
  void BeginToArrive(SimSide from, uint64_t number);
  void TakeRoom(End& receiver, const IncomingMessage& message);
  void Arrive(SimSide from);
  void Deliver(SimSide from, Item item);
  bool SurvivesFaults(Item& item);
  void TellClosed(SimSide side, absl::Duration delay, absl::Status why);
  void DropQueue(SimSide side);
  // Copies the payloads in flight and releases their owners, because the end
  // has closed.
  void Detach(SimSide side);
  // Adds or removes an item's payload to or from the bytes held for its sender.
  void Hold(SimSide side, const Item& item, bool holds);

  SimNetwork* const network_;
  SimLinkInfo info_;
  SimRandom random_;
  const absl::Duration pace_;
  End ends_[2];
  std::shared_ptr<SimLink> twin_;
  bool lost_ = false;  // nothing more arrives
};

// Returns the Stream of one end, as its user holds it.
std::shared_ptr<Stream> MakeSimStream(std::shared_ptr<SimLink> link,
                                      SimSide side);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TESTING_SIM_LINK_H_
