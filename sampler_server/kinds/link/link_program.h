// The links of one batch: negatives, numbers, hops.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_PROGRAM_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "sampler_server/engine/sampling_kind.h"
#include "sampler_server/engine/step_context.h"
#include "sampler_server/kinds/link/enclosing.h"
#include "sampler_server/kinds/link/link_plan.h"
#include "sampler_server/kinds/link/link_tensors.h"
#include "sampler_server/kinds/link/negative_draw.h"

namespace tributary {

// Draws the negatives, numbers what hops begin at (sources, destinations,
// negatives), and hands over to NeighborHops. Negatives are drawn piece by
// piece, so that no task holds the thread for long.
class LinkProgram final : public BatchProgram,
                          public std::enable_shared_from_this<LinkProgram> {
 public:
  explicit LinkProgram(StepContext context);
  void Start(Done done) override;

 private:
  bool HasRoom() const;

  absl::Status ResolveLinks();
  void SumDegrees();
  void DrawPiece();
  absl::Status TakeGiven(uint64_t from, uint64_t to);
  absl::Status DrawNegatives(uint64_t from, uint64_t to);
  void Search(uint64_t from);
  void OnPieceDrawn();
  void OnAllDrawn();
  bool Number();
  bool NumberStarts(int type, absl::Span<const uint64_t> ids, bool negative,
                    uint32_t* local);
  absl::Status ExcludeLinks();
  void ExcludeLinksFrom(const PlannedEdgeType& type,
                        ExcludedEdges* excluded) const;
  void ExcludeReversesFrom(const PlannedEdgeType& type,
                           ExcludedEdges* excluded) const;
  void RunHops();
  void Enclose(absl::StatusOr<Outcome> outcome);
  void LabelSome();
  void End(absl::StatusOr<Outcome> outcome);

  StepContext context_;
  const LinkPlan& plan_;
  const uint64_t num_links_, num_negatives_;
  NegativeDraw draw_;
  LinkTensors tensors_;
  uint64_t exhausted_ = 0;  // negatives that are not valid
  Done done_;
  // Internal ids and local numbers: of the links' ends, then of the negatives'
  // that were drawn.
  std::vector<uint64_t> sources_, destinations_;
  std::vector<uint32_t> source_numbers_, destination_numbers_;
  std::unique_ptr<Enclosing> enclosing_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_PROGRAM_H_
