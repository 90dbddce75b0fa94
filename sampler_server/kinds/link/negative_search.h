// Searches for valid negatives: of each the first valid one of 64 candidates.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_NEGATIVE_SEARCH_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_NEGATIVE_SEARCH_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/kinds/link/link_part.h"
#include "sampler_server/kinds/link/negative_draw.h"

namespace tributary {

// Works in rounds. A round draws candidates for the negatives that have none
// yet, and asks the owners of their nodes what the plan requires: the times of
// the ends, and whether there is such an edge. The fewer negatives are left,
// the more candidates of each are tried at once; that changes only the number
// of rounds. On the task's strand.
class NegativeSearch : public std::enable_shared_from_this<NegativeSearch> {
 public:
  // Internal ids, in the order of the negatives.
  struct Found {
    std::vector<uint64_t> sources;  // of binary negatives; else empty
    std::vector<uint64_t> destinations;
    uint64_t exhausted = 0;  // negatives taken without being valid
  };
  // Runs once, unless the task ends first; perhaps inside the call.
  // FAILED_PRECONDITION: a negative has no valid candidate.
  using Done = absl::AnyInvocable<void(absl::StatusOr<Found>)>;

  // Memory that a search may hold for each negative.
  static constexpr uint64_t kBytesPerNegative = 512;

  // `part` is resolved and outlives this. Requires plan.Searches(*part.type).
  NegativeSearch(StepContext context, const NegativeDraw& draw,
                 const LinkPart& part);

  // Searches for the negatives [from, to). Once.
  void Start(uint64_t from, uint64_t to, Done done);

 private:
  using Step = void (NegativeSearch::*)();

  // The steps of a round, in this order.
  void BeginRound();
  void AskSourceTimes();
  void AskDestinationTimes();
  void AskEdges();
  void EndRound();

  absl::Status DrawCandidates();
  void AskTimes(int node_type, absl::Span<const uint64_t> ends, Step next);
  void DropLate();
  void ContinueWith(absl::Status status, Step next);
  absl::Status TakeValid();
  absl::Status Exhausted(uint64_t negative) const;
  uint64_t LinkOf(uint64_t negative) const {
    return plan_.LinkOf(negative, part_.num_links);
  }
  void TakeCandidate(uint64_t negative, size_t candidate);
  void Finish(absl::Status status);

  StepContext context_;
  const LinkPlan& plan_;
  const NegativeDraw draw_;
  const LinkPart& part_;
  const SupervisionType& type_;
  Done done_;
  Found found_;
  uint64_t from_ = 0;
  uint32_t first_try_ = 0, tries_ = 1;
  std::vector<uint64_t> pending_;  // negatives that are not found yet
  // Candidates [pending][tries].
  std::vector<uint64_t> sources_, destinations_;
  std::vector<int64_t> times_;  // of the candidates' sources or destinations
  std::vector<uint8_t> is_late_, is_edge_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_NEGATIVE_SEARCH_H_
