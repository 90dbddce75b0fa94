// Reads the stored graph from the servers that own its partitions.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_READS_GRAPH_CLIENT_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_READS_GRAPH_CLIENT_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/call_client.h"
#include "channel/message.h"
#include "channel/transport.h"
#include "common/fleet/address.h"
#include "common/hash/sha256.h"
#include "common/io/buffer.h"
#include "common/runtime/executor.h"
#include "trainer_client/core/fleet/refusals.h"
#include "trainer_client/core/fleet/server_fleet.h"

namespace tributary {

// One call: a request of graph_reads.proto.
struct GraphRead {
  MessageKind kind{};
  // Goes to an owner of this partition; none: to any server of the layout.
  std::optional<uint32_t> partition;
  std::string header;
  std::vector<uint8_t> payload;
  size_t reply_bytes = 0;  // of the reply's payload, exactly
  // 0: the server with the fewest open calls is asked. Else one of those that
  // may be asked, in turn by this number: for who doubts an answer.
  uint32_t turn = 0;
};

struct GraphClientOptions {
  Transport* transport = nullptr;  // outlives the client
  std::shared_ptr<Strand> strand;
  Sha256Digest layout{};  // servers of another one are not asked
  // Calls to one server that are open at the same time, over all reads.
  size_t max_outstanding = 8;
  // After this a call is made again, on another server if there is one.
  absl::Duration call_timeout = absl::Seconds(10);
  // Before a call is made again.
  absl::Duration pause = absl::Milliseconds(20);
};

// Makes calls on data streams, each to the owner with the fewest open calls,
// and on another one if that fails: what cannot be reached is tried again until
// the deadline; what every owner has refused fails with their refusals, which
// say so if one alone has refused. While another one is down, it is waited for
// until the deadline.
//
// A state machine without threads: all methods run on the strand, as do the
// callbacks. Held by shared_ptr. The fleet tells who is up and owns what.
class GraphClient : public std::enable_shared_from_this<GraphClient> {
 public:
  GraphClient(GraphClientOptions options, std::shared_ptr<ServerFleet> fleet);
  ~GraphClient();

  // Replies' payloads, in the order of the reads.
  using Replies = std::vector<AlignedBuffer>;
  using Done = absl::AnyInvocable<void(absl::StatusOr<Replies>)>;
  // Makes all calls and calls `done` once, never inside this call, with their
  // replies or the first error, which names the server. DEADLINE_EXCEEDED, with
  // the servers' states, if they are not complete by `deadline`.
  void Read(std::vector<GraphRead> reads, absl::Time deadline, Done done);
  // Fails all reads with CANCELLED and closes the streams.
  void Close();

  uint64_t calls_made() const { return calls_made_; }

 private:
  // The calls of one Read().
  struct Task {
    std::vector<GraphRead> reads;
    Replies replies;
    size_t missing = 0;
    Done done;
    TimerId deadline_timer = 0;
    absl::Time deadline;
    absl::Status last_error;
    // Open calls, to cancel them at the end.
    std::map<std::pair<Address, CallClient::CallId>, size_t> open;
  };
  // A call that waits for its turn.
  struct Waiting {
    std::shared_ptr<Task> task;
    size_t read = 0;  // its index
    absl::Time not_before = absl::InfinitePast();
    std::optional<Address> avoid;  // failed last
    Refusals refused;              // of servers that will not answer it
    uint64_t stream = 0;           // that it was sent on
  };
  struct Server {
    std::unique_ptr<CallClient> client;
    uint64_t stream = 0;  // counts the clients
    size_t open = 0;      // calls
    uint64_t incarnation = 0;
    bool right_layout = false;
  };

  void Pump();
  void PumpAt(absl::Time when);
  // Makes the call if a server can take it. Returns whether it left the queue.
  bool Start(Waiting& call);
  // Returns the servers that may be asked at all.
  std::vector<ServerLink*> Eligible(const Waiting& call);
  // Returns null if there is none that may be asked now. `*any` is set if some
  // server may be asked at all.
  ServerLink* Choose(const Waiting& call, bool* any);
  // Returns whether the call's refusals are final. Requires that no server may
  // be asked now.
  bool MayFail(const Waiting& call) const;
  bool HasLayout(ServerLink& link);
  void Send(ServerLink& link, Waiting call);
  void OnReply(const Address& address, Waiting call,
               absl::StatusOr<CallReply> reply);
  void TakeReply(Waiting call, CallReply reply, const Address& address);
  // `broken`: the stream has ended, so the error need not be the server's
  // answer.
  void Retry(Waiting call, const Address& address, const absl::Status& status,
             bool broken);
  void Finish(const std::shared_ptr<Task>& task, absl::Status status);

  const GraphClientOptions options_;
  const std::shared_ptr<ServerFleet> fleet_;
  std::map<Address, Server> servers_;
  std::list<Waiting> waiting_;
  std::set<std::shared_ptr<Task>> tasks_;
  absl::Time pump_at_ = absl::InfiniteFuture();
  uint64_t calls_made_ = 0;
  bool closed_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_READS_GRAPH_CLIENT_H_
