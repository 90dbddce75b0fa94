// One stream of the simulated network: both ends and what is between them.
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

// Connecting, messages and the close travel in one order in each direction. A
// payload is read when its message arrives, as a real network reads it some
// time after Send; its owner is let go of then, or when the stream is lost.
class SimLink : public std::enable_shared_from_this<SimLink> {
 public:
  SimLink(SimNetwork* network, SimLinkInfo info, SimRandom random);

  // Before anything else.
  void SetEnd(SimSide side, SimExecutor* node, std::string name);
  void SetHandler(SimSide side, std::shared_ptr<StreamHandler> handler);
  // The first thing to travel; it calls SimNetwork::Accept.
  void StartConnecting(absl::Duration extra_delay);
  // All that the client sends from now on goes there too.
  void SetDouble(std::shared_ptr<SimLink> twin) { twin_ = std::move(twin); }
  // It is such a twin: nobody is at its client's end.
  void SetIsDouble() { info_.is_double = true; }
  // The server would not have it.
  void Refuse(const absl::Status& why);

  absl::Status Send(SimSide side, OutgoingMessage message);
  void Close(SimSide side, absl::Status why);
  size_t queued_bytes(SimSide side) const { return end(side).queued_bytes; }

  // Nothing in flight arrives; both ends are told soon.
  void Break(const absl::Status& client_why, const absl::Status& server_why);
  // Nothing arrives any more; each end is told some time later.
  void Stall();
  // The end's node is gone: drops its handler, tells the other end later.
  void NodeDied(SimSide side);
  // What waited for a partition to heal goes on, if it has.
  void Resume();
  bool is_held_back() const {
    return !lost_ && ends_[0].waiting + ends_[1].waiting > 0;
  }
  // Handlers and streams own each other until OnClosed; the world may end
  // before.
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
    size_t flipped = SIZE_MAX;  // the bit that arrives wrong
    size_t bytes = 0;
    bool detached = false;  // the payload is the network's own
    absl::Status why;       // kClose
  };
  struct End {
    SimExecutor* node = nullptr;
    std::string name;
    std::shared_ptr<StreamHandler> handler;
    bool closed = false;       // by its own Close
    bool told_closed = false;  // nothing more is to be heard
    std::deque<Item> out;      // sent by this end, not yet arrived
    size_t queued_bytes = 0;   // of them, and of what was sent when lost
    int waiting = 0;           // arrivals that a partition holds back
    absl::Time last_arrival = absl::InfinitePast();  // of what it sent
  };

  static SimSide Other(SimSide side) {
    return side == SimSide::kClient ? SimSide::kServer : SimSide::kClient;
  }
  End& end(SimSide side) { return ends_[static_cast<int>(side)]; }
  const End& end(SimSide side) const { return ends_[static_cast<int>(side)]; }
  absl::Duration Latency();
  void Enqueue(SimSide from, Item item, absl::Duration delay);
  void ScheduleArrival(SimSide from, absl::Duration delay);
  void Arrive(SimSide from);
  void Deliver(SimSide from, Item item);
  bool HappensTo(Item& item);
  void TellClosed(SimSide side, absl::Duration delay, absl::Status why);
  void DropQueue(SimSide side);
  // Lets go of the payloads' owners: the end is closed, what it sent is still
  // on its way.
  void Detach(SimSide side);
  // Counts an item's payload, while it waits here.
  void Hold(SimSide side, const Item& item, bool holds);

  SimNetwork* const network_;
  SimLinkInfo info_;
  SimRandom random_;
  End ends_[2];
  std::shared_ptr<SimLink> twin_;
  bool lost_ = false;  // nothing more arrives
};

// One end of it, as its user holds it.
std::shared_ptr<Stream> MakeSimStream(std::shared_ptr<SimLink> link,
                                      SimSide side);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TESTING_SIM_LINK_H_
