// The program of one batch of links.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_PROGRAM_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/engine/plan/sampling_kind.h"
#include "sampler_server/kinds/link/enclosing.h"
#include "sampler_server/kinds/link/link_part.h"
#include "sampler_server/kinds/link/link_tensors.h"

namespace tributary {

// For each supervision type, draws the negatives and numbers the nodes that
// hops begin at (sources, destinations, negatives); then runs NeighborHops and,
// for enclosing subgraphs, labels the nodes.
class LinkProgram final : public BatchProgram,
                          public std::enable_shared_from_this<LinkProgram> {
 public:
  explicit LinkProgram(StepContext context);
  void Start(Done done) override;

 private:
  bool HasRoom() const;
  uint64_t PartsBytes() const;

  void DrawNegatives();
  void OnDrawn();
  bool Number();
  void RunHops();
  void Enclose(absl::StatusOr<Outcome> outcome);
  void LabelSome();
  void End(absl::StatusOr<Outcome> outcome);

  StepContext context_;
  const LinkPlan& plan_;
  Done done_;
  std::vector<LinkPart> parts_;  // by supervision type
  std::vector<LinkTensors> tensors_;
  size_t drawn_ = 0;  // parts that have their negatives
  std::unique_ptr<Enclosing> enclosing_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_PROGRAM_H_
