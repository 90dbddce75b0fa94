// Decides when a credit becomes a task: in fair turns, within limits of
// concurrency and rate, and only with its memory reserved.
#ifndef TRIBUTARY_SAMPLER_SERVER_JOBS_ADMISSION_H_
#define TRIBUTARY_SAMPLER_SERVER_JOBS_ADMISSION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/runtime/byte_budget.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"
#include "sampler_server/jobs/fair_queue.h"
#include "sampler_server/jobs/job_weights.h"

namespace tributary {

// Upper limits, and the shares of jobs.
struct AdmissionLimits {
  int running = 8;             // tasks at once
  int computing = 8;           // of them, those that wait for no peer or disk
  int running_per_stream = 4;  // batches of one stream, being made or sent
  // Multiplies `running` and `running_per_stream` after ExpectFileReads.
  int file_read_factor = 1;
  size_t queued = 4096;             // credits that wait
  size_t queued_bytes = 64u << 20;  // of their inputs
  JobWeights weights;
  uint64_t bytes_per_second = 0;  // of batches made; 0: unlimited

  // Returns the limits of a server with `threads` sampling threads. Tasks that
  // wait for peers or for rows of files hold no thread, so more may run than
  // compute. Only as many compute as keep the threads busy, so that the weights
  // decide which batch is next.
  static AdmissionLimits ForThreads(int threads, bool has_peers) {
    AdmissionLimits limits;
    limits.computing = 2 * threads;
    limits.running_per_stream = limits.computing;
    limits.running = (has_peers ? 2 : 1) * limits.computing;
    limits.file_read_factor = 4;
    return limits;
  }
};

// The cost of making a batch; its job is charged for `cpu` and `bytes`.
struct BatchCost {
  absl::Duration cpu;
  size_t bytes = 0;   // of the batch; 0: none was made
  size_t unread = 0;  // of them, in the budget until Admission::Finish
};

// Credits that wait, and the bytes of their inputs.
struct QueuePlaces {
  size_t credits = 0;
  size_t bytes = 0;
};

// Batches that are queued or being made: of all jobs, and of one of them.
struct BatchesAhead {
  size_t all = 0;
  size_t of_job = 0;
};

// The present state of a job.
struct JobState {
  std::string name;
  uint32_t weight = 1;  // of an unlisted job: that of all unlisted together
  bool listed = false;
  size_t waiting = 0;       // batches that wait for their turn
  size_t started = 0;       // batches being made or sent
  size_t unread_bytes = 0;  // of batches made and not yet taken by the network
};

// A queue of batches. Each belongs to a stream of a job (the name that a client
// gives itself). Jobs take turns as FairQueue decides, and are charged for
// their batches: a nanosecond of CPU time, or a byte, costs one.
//
// A batch holds no memory while it waits. When its turn comes it waits for its
// whole reservation, and no other batch overtakes it; once started it never
// waits for more. A task ends by itself, by its deadline at the latest; a batch
// that is made is released when its reader takes it, and the stream of a reader
// that does not is closed while others wait for the memory (ReaderStall). So
// waits have no cycle, and all of them end.
//
// Two resources are given back by readers alone: places in the queue, and the
// memory of unread batches. They are shared by dynamic thresholds (Choudhury,
// Hahne: "Dynamic queue length thresholds", 1998): a job may take no more of
// them than it leaves to the others, but always one batch. So a job alone uses
// half of the resource, the next one half of the rest, and no job is kept from
// starting by what others have not read. If jobs are listed, the rule also
// holds for all unlisted ones together. A batch that is being made counts as
// half of its reservation, which its room never exceeds, so tasks may use the
// whole budget.
//
// A name costs nothing where it is only a claim, so places in the queue are
// also counted by caller (Caller::share_key) and by stream: a caller takes at
// most three times what it leaves, a stream a third. Only a caller that has
// nothing in the queue is sure of a place, as long as there is one.
//
// Thread-safe. Create with std::make_shared.
class Admission : public std::enable_shared_from_this<Admission> {
 public:
  using BatchId = uint64_t;  // 0: none
  struct Batch {
    std::string job;
    std::string caller;  // whose places it counts in (Caller::share_key)
    uint64_t stream = 0;
    size_t queued_bytes = 0;   // held while it waits
    size_t reserve_bytes = 0;  // to be reserved before it starts
    // Runs on the executor, unless the batch is cancelled before.
    absl::AnyInvocable<void(Reservation)> start;
  };

  // `executor` outlives this.
  Admission(const AdmissionLimits& limits, std::shared_ptr<ByteBudget> budget,
            Executor* executor)
      : limits_(limits),
        budget_(std::move(budget)),
        executor_(executor),
        turns_(limits.weights) {}

  // Queues a batch. RESOURCE_EXHAUSTED when too many wait; INVALID_ARGUMENT,
  // naming the option to raise, when the reservation can never be had.
  absl::StatusOr<BatchId> Enqueue(Batch batch);
  // Returns true if the batch had not started; then it never will. If false,
  // call Finish when it has ended.
  bool Cancel(BatchId id);
  // The task of a started batch begins (true) or ends (false) to wait for a
  // peer or a disk.
  void SetWaiting(BatchId id, bool waits);
  // The task of a started batch has ended, and its batch, if any, may still be
  // sent: it counts no longer in `running`, but in `running_per_stream`.
  // Charges the job.
  void MarkMade(BatchId id, const BatchCost& cost);
  // A started batch has ended and holds nothing. If it was never marked as
  // made, its job is charged nothing.
  void Finish(BatchId id);

  // A graph is served whose rows are read from files: from now on the limits
  // are those of file_read_factor.
  void ExpectFileReads();

  size_t num_queued() const;
  // Returns how many batches would be before one of `job` that came now: they
  // wait, or are being made.
  BatchesAhead Ahead(const std::string& job) const;
  int num_running() const;  // without batches that are made
  std::vector<JobState> Jobs() const;
  // Returns when the batch whose turn it is began to wait for memory;
  // InfiniteFuture if none waits.
  absl::Time memory_wanted_since() const;
  // Returns for how long `bytes_per_second` has been in use so far: the bytes
  // of batches divided by it, as far as their time has come. It grows by a
  // second each second while batches are held back, and by less if fewer are
  // asked for; it may fall by the share of a batch that was begun and not made.
  // Zero without a limit.
  absl::Duration rate_time() const;

 private:
  // The use of shared resources by one job or several.
  struct Use {
    QueuePlaces queue;
    size_t started = 0;
    size_t unread = 0;
    // Unread bytes, and half the reservations of batches being made.
    size_t retained = 0;
  };
  struct Started {
    std::string job;
    uint64_t stream = 0;
    double guess = 0;        // of its cost, charged already
    double paced_bytes = 0;  // counted in paced_until_
    size_t retained = 0;
    size_t unread = 0;
    bool waits = false;
    bool made = false;
  };

  absl::Status CheckQueue(const Batch& batch) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckShares(const Batch& batch) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Starts the next batch, if one may start.
  void Pump();
  bool MayStartOne() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool StreamMayRun(uint64_t stream) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool JobMayStart(const std::string& job, BatchId id) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool PickNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void OnReserved(BatchId id, Reservation reservation);
  void BeginLocked(BatchId id, Batch& batch)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Duration PaceOf(double bytes) const;
  // Counts bytes of a batch that has begun, or takes them back.
  void AddPace(double bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int FileReadFactor() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return reads_files_ ? limits_.file_read_factor : 1;
  }
  // The batch begins (true) or ends (false) to wait.
  void CountWaiting(const Batch& batch, bool waits)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Changes the use of the job and of the groups that it belongs to.
  template <typename Change>
  void ChangeUse(const std::string& job, Change change)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const AdmissionLimits limits_;
  const std::shared_ptr<ByteBudget> budget_;
  Executor* const executor_;
  mutable Mutex mutex_;
  bool reads_files_ ABSL_GUARDED_BY(mutex_) = false;
  BatchId next_id_ ABSL_GUARDED_BY(mutex_) = 1;
  std::map<BatchId, Batch> waiting_ ABSL_GUARDED_BY(mutex_);
  FairQueue turns_ ABSL_GUARDED_BY(mutex_);     // waiting_ without picked_
  BatchId picked_ ABSL_GUARDED_BY(mutex_) = 0;  // waits for its reservation
  double picked_guess_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Time picked_at_ ABSL_GUARDED_BY(mutex_);
  ByteBudget::WaiterId waiter_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<BatchId, Started> started_ ABSL_GUARDED_BY(mutex_);
  int running_ ABSL_GUARDED_BY(mutex_) = 0;    // of started_: not made
  int computing_ ABSL_GUARDED_BY(mutex_) = 0;  // of running_: not waiting
  std::map<uint64_t, int> started_by_stream_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, Use> jobs_ ABSL_GUARDED_BY(mutex_);  // with any batch
  Use all_ ABSL_GUARDED_BY(mutex_);                          // jobs together
  Use unlisted_ ABSL_GUARDED_BY(mutex_);
  // With any batch that waits.
  std::map<std::string, QueuePlaces> places_of_caller_ ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, QueuePlaces> places_of_stream_ ABSL_GUARDED_BY(mutex_);
  // When the next batch may start, by bytes_per_second.
  absl::Time paced_until_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  absl::Duration paced_ ABSL_GUARDED_BY(mutex_);     // in all, until then
  double latest_bytes_ ABSL_GUARDED_BY(mutex_) = 0;  // of the latest batch
  // When Pump is called next; InfiniteFuture if it need not be.
  absl::Time pace_timer_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_JOBS_ADMISSION_H_
