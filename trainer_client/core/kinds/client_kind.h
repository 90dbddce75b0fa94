// The client's side of one kind of sampling: what SamplingKind
// (sampler_server/engine/plan/sampling_kind.h) is for servers.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_CLIENT_KIND_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_CLIENT_KIND_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/kinds/collected_features.h"
#include "trainer_client/core/kinds/session_inputs.h"
#include "trainer_client/core/kinds/session_options.h"

namespace tributary {

// Turns the options of one kind into a session's specification, in the order of
// the methods: CheckOptions and CheckNames before a server is asked, the others
// once the graph is known. Session-wide options are checked by the caller
// (session_builder.h).
//
// Has no state: one object serves all sessions and threads. `options.kind`
// always holds the alternative that the kind is registered for (registry.h).
// Errors are INVALID_ARGUMENT with the field, its value and what is allowed,
// unless a method says otherwise.
class ClientKind {
 public:
  virtual ~ClientKind() = default;

  // Checks what can be known to be wrong without a graph: how inputs are given,
  // and the kind's own options.
  virtual absl::Status CheckOptions(const SessionOptions& options) const = 0;
  // Checks that the names in the kind's own options are UTF-8.
  virtual absl::Status CheckNames(const SessionOptions& options) const = 0;

  // Returns the lists that the session's inputs come in. An error lists the
  // types of the graph.
  virtual absl::StatusOr<std::vector<InputSource>> InputSources(
      const SessionOptions& options, const GraphSchema& schema) const = 0;
  // Returns the inputs, without weights. `splits` holds for each InputSource
  // with a split what servers answered: ids of nodes, or source, destination
  // and edge id of each link. DATA_LOSS where these are malformed.
  virtual absl::StatusOr<SessionInputs> MakeInputs(
      const SessionOptions& options, const GraphSchema& schema,
      std::vector<std::vector<int64_t>> splits) const = 0;
  // Returns the bytes of the SessionSpec. `spec` holds what all kinds share,
  // and the links.
  virtual absl::StatusOr<std::string> BuildSpec(const SessionOptions& options,
                                                const SpecGraph& graph,
                                                SpecOptions spec) const = 0;

  // The methods below require a specification that BuildSpec built for the
  // graph.

  // Checks that the graph has what the specification asks for, and that the
  // inputs are nodes of it.
  virtual absl::Status CheckOnGraph(const GraphSchema& schema,
                                    const v1::SessionSpec& spec,
                                    const SessionInputs& inputs) const = 0;
  // Adds the types whose nodes and edges come in batches, with features.
  virtual void AddSampledTypes(const v1::SessionSpec& spec,
                               SampledTypes* types) const = 0;
  // Returns bytes that no batch exceeds, without the tensors of scales.
  // Saturates at UINT64_MAX.
  virtual uint64_t BatchBytesBound(const GraphSchema& schema,
                                   const v1::SessionSpec& spec) const = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_CLIENT_KIND_H_
