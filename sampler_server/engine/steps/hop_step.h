// One hop of a batch: samples neighbours of the frontier, of every planned edge
// type and on every partition.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_HOP_STEP_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_HOP_STEP_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/engine/plan/sampling_kind.h"
#include "sampler_server/engine/steps/hop_round.h"

namespace tributary {

// Asks other servers for their partitions, samples those of this server
// meanwhile, and merges when all have answered. Each request is granted a share
// of the edges that may be held; a request that its grant cuts short is
// repeated alone, with all that is left. Edge types whose frontiers do not fit
// into working memory together are sampled in waves. Errors: those of SampleHop
// and of RemotePartitions, FAILED_PRECONDITION if there are no peers. All
// methods on the task's strand.
class HopStep : public std::enable_shared_from_this<HopStep> {
 public:
  using Outcome = SamplingOutcome;
  using Done = absl::AnyInvocable<void(absl::StatusOr<Outcome>)>;

  HopStep(StepContext context, int hop, const StepLimits& limits);

  // `done` runs once, unless the task ends first; perhaps inside the call.
  void Start(Done done);

 private:
  struct Request {
    size_t round;
    size_t share;
    bool local;
  };

  size_t FrontierOf(const PlannedEdgeType& type) const;
  HopRound MakeRound(size_t planned) const;
  void StartWave();
  bool AddRounds();
  void AddRequests();
  bool LimitEdges();
  void DropTables();
  uint64_t BytesHeld() const;
  void Pump();
  bool MayIssue(const Request& request, uint64_t* grant);
  void Issue(const Request& request, uint64_t grant);
  void IssueRemote(const Request& request, uint64_t grant);
  void OnReply(const Request& request, uint64_t grant,
               absl::StatusOr<HopEdges> reply);
  bool HasRoomFor(const PartitionShare& share, const HopEdges& reply) const;
  void ReportTooLarge(size_t first_round);
  void Merge();
  bool MergeRound(size_t index);
  void Finish(absl::StatusOr<Outcome> outcome);
  PartitionShare& ShareOf(const Request& request) {
    return rounds_[request.round].shares()[request.share];
  }

  StepContext context_;
  const int hop_;
  const uint64_t working_bytes_;
  uint64_t edges_left_;
  bool exact_memory_ = true;  // HopQuery
  Done done_;
  size_t next_type_ = 0;          // of the plan, for the next wave
  std::vector<HopRound> rounds_;  // canonical order
  std::deque<Request> queue_;
  int in_flight_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_HOP_STEP_H_
