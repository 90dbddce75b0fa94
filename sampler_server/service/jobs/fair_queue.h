// Whose batch is made next.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_JOBS_FAIR_QUEUE_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_JOBS_FAIR_QUEUE_H_

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "sampler_server/service/jobs/job_weights.h"

namespace tributary {

// Batches that wait, of many streams of many jobs. Jobs share what batches cost
// by weight, by start-time fair queueing (Goyal, Vin, Cheng: "Start-time Fair
// Queueing", SIGCOMM 1996): each has an account that grows by cost / weight,
// and the one with the smallest is next. What a batch costs is known when it
// ends; till then a guess, what its job's batches cost lately, stands for it
// (as in Kubernetes' API priority and fairness). Listed jobs and all others
// together share like that, and the others among themselves. Within a job
// streams take turns, within a stream it is first come, first served. So a
// client gains nothing by more streams or more credits, and by more names
// nothing that a listed job has.
//
// Who waits for nothing, or may not run, earns nothing meanwhile: when he comes
// back his account is at least that of whoever was served last. Over any time
// in which two jobs have batches that may run, their costs by weight differ by
// at most (k + 1) times (the one's largest / its weight + the other's), with k
// batches at once.
//
// Plain data, not thread-safe.
class FairQueue {
 public:
  using BatchId = uint64_t;
  using StreamId = uint64_t;

  explicit FairQueue(JobWeights weights = {}) : weights_(std::move(weights)) {}

  void Push(const std::string& job, StreamId stream, BatchId batch);
  // False when it is not here.
  bool Remove(const std::string& job, StreamId stream, BatchId batch);

  // Who may have a turn.
  struct Rules {
    absl::FunctionRef<bool(StreamId)> stream_may_run;
    // Asked of the batch whose turn it is within the job: when it may not, none
    // of the job's may, so that the small ones do not overtake it for ever.
    absl::FunctionRef<bool(const std::string& job, BatchId)> job_may_start;
  };
  struct Turn {
    BatchId batch = 0;
    double guess = 0;  // charged already
  };
  // Removes and returns the batch whose turn it is.
  std::optional<Turn> Pop(const Rules& rules);
  // The batch of a turn has ended: its `cost` stands in place of the guess.
  void Settle(const std::string& job, double guess, double cost);
  // It never began.
  void Refund(const std::string& job, double guess);

  size_t size() const { return size_; }

 private:
  struct StreamBatches {
    StreamId id;
    std::deque<BatchId> batches;  // never empty
  };
  using StreamTurn = std::list<StreamBatches>::iterator;
  struct Account {
    double start = 0;     // virtual time at which its next turn begins
    bool may_run = true;  // when somebody was last looked for
  };
  struct Job {
    Account account;
    double guess = 0;  // mean cost of its latest batches; 0: none has ended
    std::list<StreamBatches> streams;  // next turn first
  };
  // A listed job, or all that are not listed.
  struct Group {
    double weight = 1;
    Account account;
    double now = 0;  // start of the turn that a job of it had last
    size_t waiting = 0;
    std::map<std::string, Job> jobs;
  };
  struct Candidate {
    Group* group = nullptr;
    Job* job = nullptr;
    StreamTurn stream;
  };

  Group& GroupOf(const std::string& job);
  Job& FindOrAdd(Group& group, const std::string& job);
  static void Forget(Group& group);
  static std::optional<StreamTurn> FirstOf(const std::string& name, Job& job,
                                           const Rules& rules);
  static std::optional<Candidate> NextOf(Group& group, const Rules& rules);
  std::optional<Candidate> Next(const Rules& rules);
  Turn Take(const Candidate& next);
  static void Charge(Group& group, Job& job, double cost);

  const JobWeights weights_;
  std::map<std::string, Group> groups_;  // by listed job; "*": the others
  double now_ = 0;    // start of the turn that a group had last
  double guess_ = 0;  // mean cost of all jobs' latest batches
  size_t size_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_JOBS_FAIR_QUEUE_H_
