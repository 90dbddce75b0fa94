// The base of the kinds whose inputs are nodes.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_NODE_INPUTS_KIND_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_NODE_INPUTS_KIND_H_

#include <vector>

#include "trainer_client/core/kinds/client_kind.h"

namespace tributary {

// A base of kinds that take CommonLoaderOptions' inputs: one list of nodes of
// one type. A kind that overrides one of these methods calls it first.
class NodeInputsKind : public ClientKind {
 public:
  // Checks that the inputs are given in exactly one way.
  absl::Status CheckOptions(const SessionOptions& options) const override;
  absl::StatusOr<std::vector<InputSource>> InputSources(
      const SessionOptions& options, const GraphSchema& schema) const override;
  absl::StatusOr<SessionInputs> MakeInputs(
      const SessionOptions& options, const GraphSchema& schema,
      std::vector<std::vector<int64_t>> splits) const override;
  // Checks that each input is a node of the type.
  absl::Status CheckOnGraph(const GraphSchema& schema,
                            const v1::SessionSpec& spec,
                            const SessionInputs& inputs) const override;
  // Adds the inputs' type.
  void AddSampledTypes(const v1::SessionSpec& spec,
                       SampledTypes* types) const override;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_NODE_INPUTS_KIND_H_
