// Accepts the connections of a server: limits how many there are, in all and
// per host, and survives a lack of descriptors.
#ifndef TRIBUTARY_CHANNEL_NET_CONNECTION_ACCEPTOR_H_
#define TRIBUTARY_CHANNEL_NET_CONNECTION_ACCEPTOR_H_

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "channel/net/connection_guard.h"
#include "channel/net/connection_handover.h"
#include "channel/net/connection_use.h"
#include "channel/net/listening_sockets.h"
#include "common/io/unique_fd.h"
#include "common/observe/refusal_counter.h"
#include "common/runtime/shared_budget.h"

namespace tributary {

struct ConnectionAcceptorOptions {
  // Limit of open connections. One host (a user, over a unix socket; a /64
  // network of IPv6) has at most half of them alone, by SharedBudget. The
  // process's limit of descriptors is raised for it as far as allowed, and
  // lowers it else: a connection takes two.
  size_t max_connections = 4096;
  ConnectionGuardOptions guard;
  // How long a connection waits for the first bytes that Callbacks::ready
  // needs.
  absl::Duration first_bytes_timeout = absl::Milliseconds(100);
};

// Over a unix socket only the server's own user and root may connect. Passes
// each accepted socket on, non-blocking, and learns when it has ended from a
// duplicate of its descriptor, which it closes when the other owner has shut
// the socket down: so that owner must call shutdown(), as gRPC does, for the
// place to become free. Connections above a limit are closed at once and
// counted in `refusals` as "too_many", "host_share", "uid" or "descriptors";
// those that ConnectionGuard cuts later, as it says, or as "hog" where they
// keep the threads that pass connections on from others. Where no descriptor is
// free, connections are closed by means of a spare one, so that none hangs in
// the queue and the thread never spins.
//
// Owns a thread, which accepts and guards and never waits for a connection, and
// those of ConnectionHandover. Thread-safe, but for Stop and the destructor.
class ConnectionAcceptor {
 public:
  static constexpr size_t kFirstBytes = 4096;

  struct Callbacks {
    // Called on the lanes of ConnectionHandover.
    ConnectionHandover::PassOn accepted;
    // The others are called on the acceptor's thread and must not block.
    //
    // Where it is set, a connection is passed on once this returns true for its
    // first bytes, at most kFirstBytes, which stay in its socket; or after
    // first_bytes_timeout. `share` names the other end.
    std::function<bool(absl::Span<const uint8_t> first,
                       const std::string& share)>
        ready;
    std::function<void()> every_second;  // may be null
  };

  // Accepts from `sockets` until Stop. `refusals` outlives the acceptor.
  // `table` has the connections that were passed on, or wait for it, and are
  // still open. RESOURCE_EXHAUSTED if no descriptor is free.
  static absl::StatusOr<std::unique_ptr<ConnectionAcceptor>> Start(
      std::unique_ptr<ListeningSockets> sockets,
      const ConnectionAcceptorOptions& options, RefusalCounter* refusals,
      Callbacks callbacks,
      std::shared_ptr<ConnectionTable> table =
          std::make_shared<ConnectionTable>());
  ~ConnectionAcceptor() { Stop(); }
  ConnectionAcceptor(const ConnectionAcceptor&) = delete;
  ConnectionAcceptor& operator=(const ConnectionAcceptor&) = delete;

  // Closes the listening sockets and joins the thread; the connections that
  // were passed on stay. Later calls do nothing.
  void Stop();
  size_t num_connections() const { return places_->used(); }
  // Returns max_connections, or less where descriptors are few.
  size_t limit() const { return places_->limit(); }

 private:
  struct Connection {
    UniqueFd duplicate;
    BudgetShare::Hold place;
    std::string share;  // what its place is counted by
    std::string key;    // in table_
    uint64_t id = 0;    // in handover_, never used again
    std::shared_ptr<ConnectionUse> use;
    UniqueFd waiting;  // to be passed on once its first bytes have arrived
    absl::Time accepted;
  };

  ConnectionAcceptor(std::unique_ptr<ListeningSockets> sockets,
                     const ConnectionAcceptorOptions& options,
                     RefusalCounter* refusals, Callbacks callbacks,
                     std::shared_ptr<ConnectionTable> table);
  absl::Status Prepare();
  void Run();
  void AcceptAll(int listener);
  // Returns false if there was no connection, or no descriptor for it.
  bool AcceptOne(int listener);
  // Handles the errors of accept(); returns true if more may be accepted.
  bool AcceptFailed(int listener, int error);
  void PauseListening(bool pause);
  void Pass(UniqueFd fd);
  // Passes a connection on whose first bytes are enough.
  void PassOnIfReady(Connection& connection);
  void PassOn(Connection& connection);
  void Forget(int key);
  // Passes on those that have waited for their first bytes for long enough.
  void PassOnSilent(absl::Time now);
  void Guard(absl::Time now);
  // Ends those of `ids`, which are being passed on, that are still open.
  void CutHogs(const std::vector<uint64_t>& ids);
  // Returns what the connection's share is counted by, or an error that says
  // who may connect.
  absl::StatusOr<std::string> ShareOf(int fd) const;
  void Refuse(const char* reason, const std::string& why);

  const ConnectionAcceptorOptions options_;
  RefusalCounter* const refusals_;
  const Callbacks callbacks_;
  const std::shared_ptr<SharedBudget> places_;
  // Used by the thread only, once it runs.
  std::unique_ptr<ListeningSockets> sockets_;
  UniqueFd epoll_;
  UniqueFd stop_event_;
  UniqueFd spare_;  // closed to accept, and close, one connection more
  bool paused_ = false;
  std::map<int, Connection> connections_;  // by duplicate
  std::set<int> silent_;  // those that wait for their first bytes
  uint64_t accepted_ = 0;
  ConnectionGuard guard_;
  const std::shared_ptr<ConnectionTable> table_;
  ConnectionHandover handover_;
  std::thread thread_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_NET_CONNECTION_ACCEPTOR_H_
