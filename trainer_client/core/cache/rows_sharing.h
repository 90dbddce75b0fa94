// How one process takes part in held rows that several share.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_ROWS_SHARING_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_ROWS_SHARING_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "trainer_client/core/cache/rows_meeting.h"
#include "trainer_client/core/held/held_rows.h"

namespace tributary {

// The one that has the name leads: it fetches the rows and hands each piece on,
// which the others map. When it ends, one that is a candidate takes the name,
// with the pieces that it has.
//
// A state machine without threads: all but the atomic members is the meeting's
// thread's. Held by shared_ptr.
class RowsSharing final : public RowsMeeting::Events,
                          public std::enable_shared_from_this<RowsSharing> {
 public:
  // How a process takes part.
  struct Joined {
    // Whether rows are shared at all: not if another user has taken the name,
    // or the leader does not answer.
    bool shared = true;
    // The share of the rows that are held: the leader's, which may be this
    // process.
    double share = 0;
  };
  using OnJoined = std::function<void(std::optional<Joined>)>;

  // `meeting` lives as long as methods are called.
  explicit RowsSharing(RowsMeeting* meeting) : meeting_(meeting) {}

  // As those of MachineRows.
  void Join(std::optional<double> share, OnJoined on_joined);
  void Attach(std::weak_ptr<HeldRows> rows, std::vector<HeldRows::Type> types);
  void Resign();
  void Offer(int node_type, uint32_t first, uint32_t num_rows,
             FrozenMemory memory);
  void Drop(int node_type, uint32_t num_rows);

  // Thread-safe. Without a leader to share with, each process fetches its own.
  bool fetches() const { return leads_ || alone_; }
  void SetCandidate() { candidate_ = true; }
  // Whether it has the name.
  bool leads() const { return leads_; }

  void OnPeer(RowsMeeting::Peer peer) override;
  void OnReadable(RowsMeeting::Peer peer) override;
  void OnWritable(RowsMeeting::Peer peer) override { SendPieces(peer); }

 private:
  using Peer = RowsMeeting::Peer;
  struct Piece {
    uint64_t sequence = 0;
    int node_type = 0;
    uint32_t first = 0, num_rows = 0;
    FrozenMemory memory;
  };

  void Attempt();
  void AttemptLater(absl::Duration pause);
  void Answer(const std::optional<Joined>& joined);
  void GoAlone(absl::string_view why);

  // Leading.
  bool Bind();
  void SendPieces(Peer follower);
  void OnFollower(Peer follower);
  void Close(Peer follower);

  // Following.
  bool Connect();
  void ExpectHello();
  void OnLeader();
  void LoseLeader();
  void TakeHello(const RowsMessage& hello);
  void TakePiece(const RowsMessage& message,
                 absl::StatusOr<FrozenMemory> memory);
  bool IsPiece(const RowsMessage& message, size_t bytes) const;

  // Removes the pieces of a type from row `num_rows` on.
  void Truncate(int node_type, uint32_t num_rows);

  RowsMeeting* const meeting_;
  std::optional<double> share_;  // none: it cannot lead
  std::optional<Joined> joined_;
  std::vector<OnJoined> callers_;  // of Join, until it has joined
  std::atomic<bool> candidate_{false}, leads_{false}, alone_{false};
  std::weak_ptr<HeldRows> rows_;
  std::vector<HeldRows::Type> types_;
  std::vector<Piece> pieces_;  // sequences ascend
  uint64_t next_sequence_ = 1;
  std::map<Peer, uint64_t> followers_;  // the next sequence of each
  std::optional<Peer> leader_;
  bool greeted_ = false;  // by the leader
  uint64_t leaders_ = 0;  // counts them
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_ROWS_SHARING_H_
