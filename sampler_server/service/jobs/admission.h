// Lets credits become tasks: in fair turns, so many at once, and only with
// their memory reserved.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_JOBS_ADMISSION_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_JOBS_ADMISSION_H_

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
#include "sampler_server/service/jobs/fair_queue.h"
#include "sampler_server/service/jobs/job_weights.h"

namespace tributary {

struct AdmissionLimits {
  int running = 8;                  // tasks at once
  int computing = 8;                // of them, those that wait for no peer
  int running_per_stream = 4;       // of one stream, being made or sent
  int times_with_files = 1;         // as many of both, after ExpectFileReads
  size_t queued = 4096;             // credits that wait
  size_t queued_bytes = 64u << 20;  // that their inputs take
  JobWeights weights;
  uint64_t bytes_per_second = 0;  // of batches made; 0: any

  // Of a server with so many sampling threads. Tasks that wait, for peers or
  // for rows of files, hold no thread: more of them may run than compute. No
  // more compute than keep the threads busy, so that who is next is for weights
  // to say.
  static AdmissionLimits ForThreads(int threads, bool has_peers) {
    AdmissionLimits limits;
    limits.computing = 2 * threads;
    limits.running_per_stream = limits.computing;
    limits.running = (has_peers ? 2 : 1) * limits.computing;
    limits.times_with_files = 4;
    return limits;
  }
};

// What making a batch took; its job is charged for `cpu` and `bytes`.
struct BatchCost {
  absl::Duration cpu;
  size_t bytes = 0;   // of the batch; 0: none was made
  size_t unread = 0;  // of them, in the budget until Admission::Finish
};

// What a job has here now.
struct JobState {
  std::string name;
  uint32_t weight = 1;  // that of all unlisted jobs together, if it is one
  bool listed = false;
  size_t waiting = 0;       // batches
  size_t started = 0;       // being made or sent
  size_t unread_bytes = 0;  // made, and not yet taken by the network
};

// Jobs, which are what clients call themselves, have turns as FairQueue says,
// charged by what their batches cost: a nanosecond of CPU, or a byte, is one.
//
// A batch holds nothing while it waits; when its turn comes it waits for its
// whole reservation and no other overtakes it; once started it never waits for
// more. What is being made ends by itself, by its deadline at the latest; what
// is made goes when its reader takes it, and a reader who does not is sent away
// while others wait for his memory (TrainerStream). So waits have no cycle, and
// all of them end.
//
// What is shared and given back by its reader alone, places in the queue and
// memory of unread batches, goes by one rule (Choudhury, Hahne: "Dynamic queue
// length thresholds", 1998): a job takes no more of it than it leaves to the
// others, but one batch always. So it uses what it finds, a half if it is
// alone, and whoever comes later finds half of that: none is kept from
// starting by what others have not read. Where jobs are listed, all that are
// not keep to it together, too. A batch that is being made counts as half of
// its reservation, which its room never exceeds; so making may fill all.
//
// Thread-safe. Create with std::make_shared.
class Admission : public std::enable_shared_from_this<Admission> {
 public:
  using BatchId = uint64_t;  // 0 names none
  struct Batch {
    std::string job;
    uint64_t stream = 0;
    size_t queued_bytes = 0;   // what it takes while it waits
    size_t reserve_bytes = 0;  // what it needs to start
    // Runs on the executor, unless cancelled before.
    absl::AnyInvocable<void(Reservation)> start;
  };

  Admission(const AdmissionLimits& limits, std::shared_ptr<ByteBudget> budget,
            Executor* executor)
      : limits_(limits),
        budget_(std::move(budget)),
        executor_(executor),
        turns_(limits.weights) {}

  // RESOURCE_EXHAUSTED when too many wait; INVALID_ARGUMENT, naming the option
  // to raise, when the reservation can never be had.
  absl::StatusOr<BatchId> Enqueue(Batch batch);
  // True: it had not started and never will. False: Finish it.
  bool Cancel(BatchId id);
  // A started batch's task begins or ends to wait for a peer.
  void SetWaits(BatchId id, bool waits);
  // A started batch is made and may be on its way out: it no longer counts in
  // `running`, and still in `running_per_stream`.
  void Made(BatchId id, const BatchCost& cost);
  // A started batch has ended, and holds nothing.
  void Finish(BatchId id);

  // From now on there is a graph whose rows are read from files.
  void ExpectFileReads();

  size_t num_queued() const;
  int num_running() const;  // those made left out
  std::vector<JobState> Jobs() const;
  // Since when a batch whose turn it is has waited for memory; InfiniteFuture:
  // none does.
  absl::Time memory_wanted_since() const;

 private:
  // Of one job or several: what they have of what is shared.
  struct Use {
    size_t waiting = 0;
    size_t waiting_bytes = 0;
    size_t started = 0;
    size_t unread = 0;
    size_t parked = 0;  // unread, and half the reservations of what is made
  };
  struct Started {
    std::string job;
    uint64_t stream = 0;
    double guess = 0;
    double paced_bytes = 0;
    size_t parked = 0;
    size_t unread = 0;
    bool waits = false;
    bool made = false;
  };

  absl::Status CheckQueue(const Batch& batch) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
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
  int Times() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return reads_files_ ? limits_.times_with_files : 1;
  }
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
  FairQueue turns_ ABSL_GUARDED_BY(mutex_);  // of waiting_, but the picked one
  BatchId picked_ ABSL_GUARDED_BY(mutex_) = 0;  // waits for its reservation
  double picked_guess_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Time picked_at_ ABSL_GUARDED_BY(mutex_);
  ByteBudget::WaiterId waiter_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<BatchId, Started> started_ ABSL_GUARDED_BY(mutex_);
  int running_ ABSL_GUARDED_BY(mutex_) = 0;    // of them, not made
  int computing_ ABSL_GUARDED_BY(mutex_) = 0;  // of those, wait for no peer
  std::map<uint64_t, int> started_of_ ABSL_GUARDED_BY(mutex_);  // by stream
  std::map<std::string, Use> jobs_ ABSL_GUARDED_BY(mutex_);     // that have any
  Use all_ ABSL_GUARDED_BY(mutex_);
  Use unlisted_ ABSL_GUARDED_BY(mutex_);
  absl::Time paced_until_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  double latest_bytes_ ABSL_GUARDED_BY(mutex_) = 0;  // of a batch
  bool pace_timer_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_JOBS_ADMISSION_H_
