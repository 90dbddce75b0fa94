// Lets credits become tasks: in fair turns, so many at once, and only with
// their memory reserved.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_ADMISSION_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_ADMISSION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "common/byte_budget.h"
#include "common/executor.h"
#include "common/mutex.h"
#include "sampler_server/service/fair_queue.h"

namespace tributary {

struct AdmissionLimits {
  int running = 8;                  // tasks at once
  int running_per_stream = 4;       // of one stream, being made or sent
  size_t queued = 4096;             // credits that wait
  size_t queued_bytes = 64u << 20;  // that their inputs take
};

// A job holds nothing while it waits; when its turn comes it waits for its
// whole reservation and no other job overtakes it; once started it never waits
// for more. So waits have no cycle and none starves. Thread-safe. Create with
// std::make_shared.
class Admission : public std::enable_shared_from_this<Admission> {
 public:
  using JobId = uint64_t;  // 0 names none
  struct Job {
    std::string client;
    uint64_t stream = 0;
    size_t queued_bytes = 0;   // what it takes while it waits
    size_t reserve_bytes = 0;  // what it needs to start
    // Runs on the executor, unless cancelled before.
    absl::AnyInvocable<void(Reservation)> start;
  };

  Admission(const AdmissionLimits& limits, std::shared_ptr<ByteBudget> budget,
            Executor* executor)
      : limits_(limits), budget_(std::move(budget)), executor_(executor) {}

  // RESOURCE_EXHAUSTED when too many wait; INVALID_ARGUMENT, naming the option
  // to raise, when the reservation can never be had.
  absl::StatusOr<JobId> Enqueue(Job job);
  // True: it had not started and never will. False: Finish it.
  bool Cancel(JobId id);
  // A started job's batch is made and may be on its way out: it no longer
  // counts in `running`, and still in `running_per_stream`, so that a stream
  // which takes its batches slowly fills no more of the budget than that.
  void Made(JobId id);
  // A started job has ended, and holds nothing.
  void Finish(JobId id);

  size_t num_queued() const;
  int num_running() const;  // those made left out

 private:
  void Pump();
  bool PickNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void OnReserved(JobId id, Reservation reservation);

  const AdmissionLimits limits_;
  const std::shared_ptr<ByteBudget> budget_;
  Executor* const executor_;
  mutable Mutex mutex_;
  JobId next_id_ ABSL_GUARDED_BY(mutex_) = 1;
  std::map<JobId, Job> waiting_ ABSL_GUARDED_BY(mutex_);
  size_t queued_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  FairQueue turns_ ABSL_GUARDED_BY(mutex_);   // of waiting_, but the picked one
  JobId picked_ ABSL_GUARDED_BY(mutex_) = 0;  // waits for its reservation
  ByteBudget::WaiterId waiter_ ABSL_GUARDED_BY(mutex_) = 0;
  struct Started {
    uint64_t stream;
    bool made = false;
  };
  std::map<JobId, Started> started_ ABSL_GUARDED_BY(mutex_);
  int running_ ABSL_GUARDED_BY(mutex_) = 0;  // of them, not made
  std::map<uint64_t, int> started_of_ ABSL_GUARDED_BY(mutex_);  // by stream
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_ADMISSION_H_
