// Lets the launchers of a job's machines act together, by the rendezvous store.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_NODE_LINK_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_NODE_LINK_H_

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/runtime/mutex.h"
#include "trainer_client/torch/ddp/attempt_state.h"
#include "trainer_client/torch/ddp/liveness_watch.h"
#include "trainer_client/torch/ddp/node_place.h"

namespace tributary {

class RendezvousStore;

struct NodeLinkOptions {
  NodePlace node;         // with the port of the store
  std::string run_id;     // of the run; a machine of another one is refused
  std::string agreement;  // must be equal on all machines, else none joins
  // The longest wait for the store, from the start.
  absl::Duration connect_timeout = absl::Minutes(10);
  // How often the machines look at the store.
  absl::Duration interval = absl::Milliseconds(200);
  SilenceLimits limits;  // of another machine's launcher
  // Whether a machine that is lost may be started again and join then. If not,
  // its loss is that of the job.
  bool replaceable = false;
};

// Where a machine stands that has joined the job, which may be under way: its
// launcher may have been started again.
struct NodeJoin {
  int attempt = 0;
  int failures = 0;        // of attempts before that
  bool was_ready = false;  // an earlier launcher of it took part in the attempt
  bool had_ended = false;  // and the ranks of that one had all ended
};

// The reports of all machines about the current attempt.
struct NodesView {
  int ready = 0;  // machines that can start their ranks
  int ended = 0;  // machines whose ranks have all ended
  int left = 0;   // machines that have left the job, in all attempts
  std::optional<NodeJoin> joined;  // of this machine; nullopt: not yet
  // Why the attempt ends: the first report of the highest priority. Once all
  // have ended it does not change.
  std::optional<AttemptEnd> end;
  // Not OK: the store or another machine cannot be reached, or another launcher
  // has this one's place. FAILED_PRECONDITION and INVALID_ARGUMENT: the store
  // is another run's, or the machines were started with different flags.
  absl::Status lost;
};

// One machine's connection. A thread writes what this machine reports, reads
// what the others do, and beats for this machine. Machine 0 watches the beats
// of all others, which need only watch the store that it serves. If machines
// are replaceable, it ends the attempt for one that is silent. All methods are
// thread-safe and do not block.
class NodeLink {
 public:
  // Starts to connect.
  explicit NodeLink(NodeLinkOptions options);
  // Requires that Stop() has returned true.
  ~NodeLink();

  // Reports that this machine can start the attempt's ranks. The view is then
  // that of this attempt.
  void ReportReady(int attempt);
  // Reports why the current attempt must end; an interrupt ends the job, in
  // whichever attempt the others are.
  void ReportEnd(const AttemptEnd& end);
  // Reports that this machine's ranks of the current attempt have all ended.
  void ReportEnded();
  // Reports that this machine leaves the job.
  void ReportLeft();

  NodesView view() const;
  // Whether everything reported has reached the store.
  bool flushed() const;

  // Ends the thread. Returns false if it has not ended within `timeout`: the
  // store does not answer, and LibTorch has no way to give a call up.
  bool Stop(absl::Duration timeout);

 private:
  // The report of this machine.
  struct Reports {
    int attempt = -1;
    bool ended = false;
    bool left = false;
    bool interrupted = false;
    std::optional<AttemptEnd> end;
    bool operator==(const Reports& other) const;
  };

  void Run();
  absl::Status Work();
  absl::StatusOr<std::unique_ptr<RendezvousStore>> Connect();
  absl::Status CheckRun(RendezvousStore& store);
  absl::Status Join(RendezvousStore& store);
  absl::StatusOr<NodeJoin> ReadJoin(RendezvousStore& store) const;
  // Adds a machine to the counter `name` of an attempt, once.
  static absl::Status Count(int attempt, const char* name, int node,
                            RendezvousStore& store);
  static absl::Status WriteEnd(int attempt, const AttemptEnd& end,
                               RendezvousStore& store);
  absl::Status Write(const Reports& reports, RendezvousStore& store);
  absl::StatusOr<NodesView> Read(int attempt, RendezvousStore& store);
  absl::Status WatchNodes(int attempt, RendezvousStore& store);
  absl::Status Beat(RendezvousStore& store);
  absl::Status TakeOut(int node, int attempt, const std::string& reason,
                       RendezvousStore& store);
  void Publish(const Reports& of, NodesView view);
  bool WaitForChange(const Reports& written);

  const NodeLinkOptions options_;
  // Used by the thread alone.
  Reports written_;
  int64_t join_number_ = 0;  // of the launchers with this node rank
  std::optional<NodeJoin> joined_;
  absl::Status lost_node_;
  std::optional<LivenessWatch> watch_;
  absl::Time watched_at_ = absl::InfinitePast();

  mutable Mutex mutex_;
  CondVar changed_;
  Reports reports_ ABSL_GUARDED_BY(mutex_);
  Reports flushed_ ABSL_GUARDED_BY(mutex_);
  NodesView view_ ABSL_GUARDED_BY(mutex_);
  absl::Time answered_at_ ABSL_GUARDED_BY(mutex_);  // infinite: not yet
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  bool done_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_NODE_LINK_H_
