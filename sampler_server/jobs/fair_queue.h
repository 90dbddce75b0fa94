// Decides whose batch is made next, by weighted start-time fair queueing.
#ifndef TRIBUTARY_SAMPLER_SERVER_JOBS_FAIR_QUEUE_H_
#define TRIBUTARY_SAMPLER_SERVER_JOBS_FAIR_QUEUE_H_

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "sampler_server/jobs/job_weights.h"

namespace tributary {

// Holds the batches that wait, of many streams of many jobs. Jobs share the
// cost of batches by weight (Goyal, Vin, Cheng: "Start-time Fair Queueing",
// SIGCOMM 1996): each has an account that grows by cost / weight, and the job
// with the smallest account is next. The cost of a batch is known when it ends;
// until then it is charged by a guess, the mean cost of its job's latest
// batches (as in Kubernetes' API priority and fairness). Listed jobs, and all
// others together as one group, share the server like that; the others share
// their part among themselves. Within a job streams take turns, within a stream
// it is first come, first served. So a client gains nothing by more streams or
// more credits, and by more names nothing that belongs to a listed job.
//
// A job that has no batches, or none that may run, saves nothing up meanwhile:
// when it comes back its account is at least that of the job served last. Over
// any time in which two jobs have batches that may run, their costs divided by
// weight differ by at most (k + 1) times (the one's largest cost / its weight +
// the other's), with k batches at once.
//
// A pure data structure, not thread-safe.
class FairQueue {
 public:
  using BatchId = uint64_t;
  using StreamId = uint64_t;

  explicit FairQueue(JobWeights weights = {}) : weights_(std::move(weights)) {}

  void Push(const std::string& job, StreamId stream, BatchId batch);
  // Returns false if the batch is not in the queue.
  bool Remove(const std::string& job, StreamId stream, BatchId batch);

  // Decides which batches may have a turn.
  struct Rules {
    absl::FunctionRef<bool(StreamId)> stream_may_run;
    // Asked for the batch whose turn it is within the job. If it may not start,
    // no batch of the job may, so that small ones do not overtake it for ever.
    absl::FunctionRef<bool(const std::string& job, BatchId)> job_may_start;
  };
  struct Turn {
    BatchId batch = 0;
    double guess = 0;  // of its cost, charged already
  };
  // Removes and returns the batch whose turn it is; none if no batch may run.
  std::optional<Turn> Pop(const Rules& rules);
  // The batch of a turn has ended: charges its `cost` in place of the guess.
  void Settle(const std::string& job, double guess, double cost);
  // The batch of a turn never started: takes the guess back.
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
    bool may_run = true;  // at the latest Pop
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
    double now = 0;  // virtual time: start of its latest turn
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
  static void ForgetIdleJobs(Group& group);
  static std::optional<StreamTurn> FirstOf(const std::string& name, Job& job,
                                           const Rules& rules);
  static std::optional<Candidate> NextOf(Group& group, const Rules& rules);
  std::optional<Candidate> Next(const Rules& rules);
  Turn Take(const Candidate& next);
  static void Charge(Group& group, Job& job, double cost);

  const JobWeights weights_;
  std::map<std::string, Group> groups_;  // by listed job; "*": all others
  double now_ = 0;    // virtual time: start of the latest turn
  double guess_ = 0;  // mean cost of the latest batches of all jobs
  size_t size_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_JOBS_FAIR_QUEUE_H_
