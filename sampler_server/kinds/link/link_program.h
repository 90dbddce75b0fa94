// The links of one batch: negatives, numbers, hops.
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

// Draws the negatives, numbers what hops begin at (sources, destinations,
// negatives), supervision type after supervision type, and hands over to
// NeighborHops.
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
  size_t drawn_ = 0;  // parts whose negatives are there
  std::unique_ptr<Enclosing> enclosing_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_PROGRAM_H_
