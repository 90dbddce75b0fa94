// Checks every message between trainers and servers, and between peers, against
// docs/protocol.md.
#ifndef TRIBUTARY_TESTS_SIM_PROTOCOL_WATCH_H_
#define TRIBUTARY_TESTS_SIM_PROTOCOL_WATCH_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "channel/testing/sim_network.h"
#include "common/proto/wire.pb.h"
#include "tests/sim/sim_world.h"

namespace tributary {

// Checks that each credit gets one answer, and signs of life until then; that a
// cancelled one ends soon; that frames are consecutive; that no server is asked
// for rows of partitions it does not own; that trainers do not request batches
// that they have. Reports violations to the world's verdict. `world` outlives
// it.
class ProtocolWatch final : public SimNetworkWatch {
 public:
  explicit ProtocolWatch(SimWorld* world);

  void OnConnect(const SimLinkInfo& link) override;
  void OnSend(const SimLinkInfo& link, SimSide from,
              const OutgoingMessage& message) override;
  void OnArrival(const SimLinkInfo& link, SimSide to,
                 const OutgoingMessage& message) override;
  void OnClose(const SimLinkInfo& link, SimSide side,
               const absl::Status& why) override;
  void OnClosed(const SimLinkInfo& link, SimSide side) override;

  // Checks what should have happened by now. Call it every kPatrol.
  void Patrol();
  static constexpr absl::Duration kPatrol = absl::Milliseconds(50);
  // Returns the number of batch streams whose server's end is open.
  size_t open_batch_links() const;
  // Describes them, for messages.
  std::string OpenBatchLinks() const;

 private:
  // A grant, as far as messages have revealed it.
  struct Grant {
    uint64_t index = 0;
    uint64_t max_bytes = 0;
    absl::Time arrived = absl::InfiniteFuture();         // at the server
    absl::Time last_sign = absl::InfinitePast();         // from the server
    absl::Time cancel_arrived = absl::InfiniteFuture();  // at the server
    bool may_lack = false;  // rows that its trainer holds, or bytes of edges
    bool cancel_sent = false;
    uint64_t sent = 0;           // bytes sent in frames
    uint64_t skipped = 0;        // bytes left out before the last frame
    uint64_t left_out = 0;       // bytes that no frame has
    uint64_t arrived_bytes = 0;  // of frames, at the trainer
    uint64_t total = 0;          // bytes of the batch
    bool answered = false;       // the server has sent its answer ...
    bool returned = false;       // ... or Returned after it
    bool ended = false;          // the answer has arrived
  };
  struct BatchLink {
    SimLinkInfo info;
    bool client_closed = false;
    bool server_closed = false;
    uint64_t last_grant = 0;
    std::map<uint64_t, Grant> grants;
  };

  void Fail(const SimLinkInfo& link, absl::string_view invariant,
            const std::string& what);
  void FromTrainer(BatchLink& link, const OutgoingMessage& message);
  void FromServer(BatchLink& link, const OutgoingMessage& message);
  Grant* Answer(BatchLink& link, uint64_t grant);
  void OnFrame(BatchLink& link, const v1::Frame& frame, size_t bytes);
  void OnReturned(BatchLink& link, uint64_t grant);
  void OnProgress(BatchLink& link, const v1::Progress& progress);
  void OnBatchError(const v1::BatchError& error);
  void ToServer(BatchLink& link, const OutgoingMessage& message);
  void ToTrainer(BatchLink& link, const OutgoingMessage& message);
  void LeafCallSent(const SimLinkInfo& link, const OutgoingMessage& message);
  void LeafReplySent(const SimLinkInfo& link, const OutgoingMessage& message);
  void CheckHopReply(const SimLinkInfo& link, const v1::SampleHopRequest& asked,
                     const v1::SampleHopReply& reply);
  void LeafCallArrived(const SimLinkInfo& link, const OutgoingMessage& message);
  void PatrolServer(BatchLink& link);
  void PatrolTrainer(BatchLink& link);
  void PatrolIdleServers();
  absl::Time now() const { return world_->scheduler().now(); }

  SimWorld* const world_;
  std::map<uint64_t, BatchLink> links_;                 // by stream id
  std::set<std::pair<int, std::string>> seen_batches_;  // trainer, server
  std::map<int, absl::Time> no_links_since_;            // by server's node
  struct LeafCall {
    uint64_t asked = 0;  // nodes or rows
    v1::SampleHopRequest hop;
    const void* payload = nullptr;
  };
  // By stream and call.
  std::map<std::pair<uint64_t, uint64_t>, LeafCall> leaf_calls_;
  // Payloads that were sent and not answered yet, to recognise retries.
  std::map<const void*, std::weak_ptr<const void>> leaf_payloads_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_PROTOCOL_WATCH_H_
