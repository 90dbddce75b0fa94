// Peers for tests: partitions of another Graph, answered later.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_FAKE_REMOTE_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_FAKE_REMOTE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "common/runtime/cancel_token.h"
#include "common/runtime/executor.h"
#include "partition/format/graph.h"
#include "sampler_server/engine/batch/remote_partitions.h"

namespace tributary {

// Answers from `graph`, each call after `delay`, in pieces of at most
// `edges_per_reply` that it puts together, as a real one continues replies.
class FakeRemote final : public RemotePartitions {
 public:
  explicit FakeRemote(std::shared_ptr<const Graph> graph)
      : graph_(std::move(graph)) {}

  absl::Duration delay = absl::Milliseconds(1);
  uint64_t edges_per_reply = UINT64_MAX;
  absl::Status failure;           // not OK: what every hop is answered with
  bool silent = false;            // never answers
  bool damaged_neighbor = false;  // one neighbour of each reply is out of range
  bool short_rows = false;        // a gather misses a row
  int hops_asked = 0;
  int gathers_asked = 0;
  int open_gathers = 0;  // not answered yet
  int most_open_gathers = 0;
  int questions_asked = 0;
  uint64_t most_reply_bytes = 0;     // granted at once
  std::vector<CancelToken> cancels;  // of each call

  void SampleHop(
      RemoteHop hop, const Limits& limits, std::shared_ptr<Strand> strand,
      absl::AnyInvocable<void(absl::StatusOr<HopEdges>)> done) override;
  void Gather(
      RemoteGather gather, const Limits& limits, std::shared_ptr<Strand> strand,
      absl::AnyInvocable<void(absl::StatusOr<GatheredRows>)> done) override;
  void Ask(
      PartitionQuestion question, const Limits& limits,
      std::shared_ptr<Strand> strand,
      absl::AnyInvocable<void(absl::StatusOr<AlignedBuffer>)> done) override;

 private:
  absl::StatusOr<HopEdges> Sample(const RemoteHop& hop,
                                  uint64_t max_edges) const;
  GatheredRows GatherNow(const RemoteGather& gather) const;

  const std::shared_ptr<const Graph> graph_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_FAKE_REMOTE_H_
