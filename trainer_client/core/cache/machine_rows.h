// One copy of held rows for all trainers of a user on a machine.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_MACHINE_ROWS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_MACHINE_ROWS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "channel/net/socket_loop.h"
#include "channel/shm/shared_memory.h"
#include "common/io/unique_fd.h"
#include "trainer_client/core/held/held_rows.h"

namespace tributary {

// Processes that want the same rows meet at a unix socket in the abstract
// namespace, whose name has the user and what the rows are: so they see each
// other where they share a network namespace (a machine, a pod), and nothing
// is left behind when they are killed. The one that binds the name leads: it
// fetches the rows, and hands each piece on as a frozen memory, which the
// others map. When the leader ends, their mappings live on, and one that is a
// candidate leads with the pieces that it has. Peers of another user are
// refused.
//
// Thread-safe. Callbacks come on a thread of its own, which must not be the
// one that destroys the object.
class MachineRows {
 public:
  // How this process takes part.
  struct Joined {
    // Whether rows are shared at all: not if another user has taken the name,
    // or the leader does not answer.
    bool shared = true;
    // The share of the rows that are held: the leader's, which may be this
    // process.
    double share = 0;
  };
  using OnJoined = std::function<void(std::optional<Joined>)>;

  // `identity` says what the rows are, all but the share. RESOURCE_EXHAUSTED if
  // the system grants no thread or descriptor.
  static absl::StatusOr<std::unique_ptr<MachineRows>> Start(
      const std::string& identity);
  ~MachineRows();
  // The socket's name, without the leading zero.
  static std::string NameOf(const std::string& identity);

  // Takes part. With a share this process leads if no other one does; without,
  // `on_joined` gets none then, and Join may be called again. Once it has
  // joined, all callers get the same.
  void Join(std::optional<double> share, OnJoined on_joined);
  // The rows that pieces of the leader are added to; `types` are theirs. Only
  // the first call counts.
  void Attach(std::weak_ptr<HeldRows> rows, std::vector<HeldRows::Type> types);
  // Whether this process is the one to fetch. From now on it is a candidate to
  // lead.
  bool Leads();
  // Does not lead, now and later.
  void Resign();
  // Hands a piece on that the leader has added to the rows.
  void Offer(int node_type, uint32_t first, uint32_t num_rows,
             std::shared_ptr<SharedMemory> memory);
  // Forgets the pieces of a type beyond `num_rows` rows; a follower asks the
  // leader for others.
  void Drop(int node_type, uint32_t num_rows);

 private:
  class Loop;

  MachineRows(std::unique_ptr<SocketLoop> loop, std::shared_ptr<Loop> state)
      : loop_(std::move(loop)), state_(std::move(state)) {}

  std::unique_ptr<SocketLoop> loop_;
  const std::shared_ptr<Loop> state_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_MACHINE_ROWS_H_
