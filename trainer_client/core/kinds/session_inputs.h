// The inputs of a session, once they are known.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_SESSION_INPUTS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_SESSION_INPUTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/hash/sha256.h"
#include "common/session/link_columns.h"
#include "common/session/spec_builder.h"

namespace tributary {

// One list of a session's inputs, and where it comes from.
struct InputSource {
  std::string node_type;  // as in the options, where inputs are nodes ...
  std::string edge_type;  // ... or resolved, where they are links
  std::string split;  // read from a server; empty: the options have the list
};

// The inputs that a session's batches take theirs from: nodes, or links.
struct SessionInputs {
  std::vector<int64_t> nodes;  // original ids; empty where inputs are links
  std::optional<LinkColumns> links;
  LinkInputs link_inputs;       // what the specification says of links
  std::vector<int64_t> times;   // one for each input, or none
  std::vector<double> weights;  // likewise

  size_t size() const {
    return links.has_value() ? links->size() : nodes.size();
  }
  // The digest of all of them, as SpecOptions::inputs_sha256 requires it.
  Sha256Digest Sha256() const;
};

// The number of inputs of the largest batch.
uint64_t InputsOfLargestBatch(const v1::SessionSpec& spec);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_SESSION_INPUTS_H_
