// The attempts and tensors of a server.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_TENSOR_STORE_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_TENSOR_STORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/proto/tensors.pb.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"
#include "common/runtime/shared_budget.h"
#include "common/runtime/work_slice.h"
#include "sampler_server/jobs/job_weights.h"
#include "sampler_server/tensors/attempt.h"
#include "sampler_server/tensors/memory/staging_memory.h"
#include "sampler_server/tensors/memory/tensor_memory.h"
#include "sampler_server/tensors/tensor_table.h"

namespace tributary {

struct TensorStoreOptions {
  size_t memory = size_t{1} << 30;  // of tensors (--tensor-memory); 0: none
  JobWeights weights;
  uint64_t incarnation = 0;  // of this server
  // An attempt that no stream uses ends after this, so that a job that died
  // gives its memory back.
  absl::Duration unused_timeout = absl::Seconds(60);

  // What attempts take beside rows and gradients, shared by caller.
  std::shared_ptr<SharedBudget> attempts =
      SharedBudget::Create("attempt budget", size_t{64} << 20);

  // Gradients of open rounds have a quarter as much, beside it.
  size_t staging() const { return memory / 4; }
};

// A scope, and a tensor's name in it.
using TensorKey = std::pair<AttemptScope, std::string>;

// The objects of the server around the store; all outlive it.
struct TensorStoreEnvironment {
  Executor* executor = nullptr;  // runs what was parked, and timers
  // Returns a hold on the graph with that content digest, which stays served
  // meanwhile; an error if it is not served.
  std::function<absl::StatusOr<std::shared_ptr<const void>>(
      const std::string& digest)>
      pin_graph;
  // Returns a hold that a drain of the server waits for; may be empty.
  std::function<std::shared_ptr<const void>()> hold_server;
  std::function<bool()> draining;  // may be empty
};

// A list of tensors that is made in steps; see TensorStore::ListSome.
struct TensorList {
  explicit TensorList(std::string job) : job(std::move(job)) {}
  std::string job;                // of which; empty: of all
  std::optional<TensorKey> last;  // on the list
  v1::ListTensorsReply reply;
};

// Tensors by (job, graph, name), and for each (job, graph) at most one open
// attempt, the newest. Thread-safe. Create with std::make_shared.
class TensorStore : public std::enable_shared_from_this<TensorStore> {
 public:
  static constexpr uint32_t kMaxWorld = 4096;
  static constexpr size_t kMaxAttempts = 256;  // open
  static constexpr size_t kMaxTensors = 1024;
  static constexpr size_t kMaxScopes = 4096;  // whose newest number is kept
  static constexpr size_t kMaxTensorBytes = size_t{1} << 60;

  TensorStore(TensorStoreOptions options, TensorStoreEnvironment environment);

  using Opened =
      absl::AnyInvocable<void(absl::StatusOr<std::shared_ptr<Attempt>>)>;
  using Closed = absl::AnyInvocable<void(absl::Status)>;

  // Returns the options of the attempt that `caller` (Caller::share_key) wants,
  // but for the placement. Errors: INVALID_ARGUMENT for a field out of range;
  // FAILED_PRECONDITION if this server is not the member that is meant;
  // PERMISSION_DENIED for a job that --job-weights refuse.
  absl::StatusOr<AttemptOptions> CheckOpen(
      const v1::OpenAttemptRequest& request, const std::string& caller) const;
  // Opens an attempt. Finds the one that the same client has opened before.
  // Ends an older one and drops its tensors that are not persistent; opens once
  // its work is over. Calls `done` inside this call or then; it must not work.
  // Errors: FAILED_PRECONDITION if it is older than one that was opened, naming
  // both, or if this server does not serve the graph; RESOURCE_EXHAUSTED beyond
  // kMaxAttempts, and for a caller that has more open than it leaves to others,
  // or whose attempts hold its share of the attempt budget; UNAVAILABLE when
  // draining.
  void Open(AttemptOptions options, Opened done);
  // Finds an open attempt for a rank. NOT_FOUND until it is open, and, with
  // attempt 0, while only one of the rank's earlier process is.
  absl::StatusOr<std::shared_ptr<Attempt>> Join(const v1::AttemptRef& ref);
  // Returns the attempt of a call. FAILED_PRECONDITION, naming both numbers, if
  // another one is open, or saying why it has ended; else as Attempt::Admit.
  absl::StatusOr<std::shared_ptr<Attempt>> Find(const v1::AttemptRef& ref);
  // Ends it as its rank 0 asks. Calls `done` as Open does, once its work is
  // over.
  void Close(const v1::AttemptRef& ref, Closed done);
  // Counts a stream of the attempt until the result is destroyed.
  std::shared_ptr<const void> Use(Attempt& attempt);
  // Ends all attempts with `why`. Work that has to be done to its end goes on.
  void EndAll(const absl::Status& why);

  // Makes the tensor or finds it; see tensors.proto. `existed` says which.
  absl::StatusOr<std::shared_ptr<TensorTable>> Create(
      Attempt& attempt, const v1::TensorSpec& spec, bool* existed);
  absl::Status AttachOptimizer(Attempt& attempt, const std::string& name,
                               OptimizerKind kind);
  // Return whether there was such a tensor. The second form is the operator's:
  // it drops the job's tensors of that name, of one graph or, with an empty
  // digest, of all; FAILED_PRECONDITION if an open attempt uses one.
  absl::StatusOr<bool> Drop(Attempt& attempt, const std::string& name);
  absl::StatusOr<bool> DropForOperator(const std::string& job,
                                       const std::string& graph,
                                       const std::string& name);
  // Adds tensors to the list until the slice is used up. Returns whether it is
  // complete. Tensors that are made or dropped meanwhile may be on it.
  bool ListSome(TensorList& list, WorkSlice& slice) const;

  // Memory for gradients that the attempt stages.
  absl::StatusOr<StagedMemory> ReserveStaging(const Attempt& attempt,
                                              size_t bytes);
  bool draining() const {
    return environment_.draining && environment_.draining();
  }
  const TensorMemory& memory() const { return memory_; }
  const StagingMemory& staging() const { return staging_; }
  size_t open_attempts() const;

 private:
  // An attempt that begins when the older one is over.
  struct Opening {
    AttemptOptions options;
    std::shared_ptr<const void> pin;
    std::vector<Opened> done;  // of all calls that ask for it
  };
  struct Scope {
    uint64_t newest = 0;              // number that was ever opened
    absl::Status ended;               // why the newest one has ended
    std::shared_ptr<Attempt> open;    // null: none
    std::shared_ptr<Attempt> ending;  // whose work is not over; null: none
    std::optional<Opening> next;
    bool idle() const { return !open && !ending && !next; }
    // Those of the attempt that is to be opened, else of the open one; null if
    // there is neither.
    const AttemptOptions* newest_options() const {
      if (next) return &next->options;
      return open ? &open->options() : nullptr;
    }
  };
  struct Tensor {
    v1::TensorSpec spec;
    std::shared_ptr<TensorTable> table;
    uint64_t attempt = 0;  // that uses it; 0: none
  };
  // Returns the attempt that is open already; null: it may be opened.
  absl::StatusOr<std::shared_ptr<Attempt>> CheckNewest(
      const AttemptOptions& options) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Makes the attempt the scope's next one, or adds `done` to those that wait
  // for it; returns it if it is open already. Sets the one that it takes the
  // place of, and the one that has to end first.
  absl::StatusOr<std::shared_ptr<Attempt>> AddOpening(
      AttemptOptions options, Opened& done, std::optional<Opening>& replaced,
      std::shared_ptr<Attempt>& older);
  absl::Status CheckRoomForAttempt(const std::string& caller) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckRoomForTensor(const std::string& job) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ends it; runs `over` when its work is.
  void EndAttempt(const std::shared_ptr<Attempt>& attempt,
                  const absl::Status& why, absl::AnyInvocable<void()> over);
  // Drops what an attempt leaves, and opens the next one.
  void OnOver(const std::shared_ptr<Attempt>& attempt);
  // Opens the scope's next attempt if no older one is in the way.
  void OpenNext(const AttemptScope& key);
  // Ends the attempt if no stream uses it for unused_timeout, from `after` on.
  void EndUnusedAfter(absl::Duration after, std::shared_ptr<Attempt> attempt);
  void EndUnused(const std::shared_ptr<Attempt>& attempt);
  // Takes what an attempt of `options` will hold, out of its caller's share.
  absl::Status TakeMemory(AttemptOptions& options) const;
  // Returns the tables, to be destroyed without the lock: they may be large.
  std::vector<std::shared_ptr<TensorTable>> DropTensorsOf(
      const AttemptScope& scope) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ForgetScopes() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<Tensor> MakeTensor(Attempt& attempt,
                                    const v1::TensorSpec& spec);
  // Finds a tensor for the attempt; `rounds` is memory that it needs no more.
  absl::Status FindTensor(Attempt& attempt, const v1::TensorSpec& spec,
                          Tensor& tensor, ZeroedMemory& rounds)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const TensorStoreOptions options_;
  const TensorStoreEnvironment environment_;
  TensorMemory memory_;
  StagingMemory staging_;
  Mutex attach_mutex_;  // so that two ranks reserve an optimizer's state once
  mutable Mutex mutex_;
  std::map<AttemptScope, Scope> scopes_ ABSL_GUARDED_BY(mutex_);
  std::map<TensorKey, Tensor> tensors_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_TENSOR_STORE_H_
