// The specification of links, their negatives, and the size of their batches.
#ifndef TRIBUTARY_COMMON_SESSION_KINDS_LINK_SPEC_H_
#define TRIBUTARY_COMMON_SESSION_KINDS_LINK_SPEC_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/session/spec_builder.h"

namespace tributary {

// How negatives are sampled. The values are those of the specification.
enum class NegativeMode {
  kNone = 0,
  kBinary = 1,       // PyG's binary: source and destination are sampled
  kTriplet = 2,      // PyG's triplet: destinations for each link's source
  kDestination = 3,  // as kTriplet, in pairs: DGL's Uniform
};

// The result if no candidate is valid: the batch fails, or takes the last
// candidate.
enum class OnExhausted { kError = 0, kAccept = 1 };

// The options of negative sampling; PyG's NegativeSampling.
struct NegativeSampling {
  NegativeMode mode = NegativeMode::kNone;
  double amount = 1;  // negatives per link; a whole number unless binary
  // A negative is no edge of the links' type in the loaded graph: the first
  // such of 64 candidates, else as on_exhausted says. With time node the same
  // search, strict or not, skips ends that do not exist yet.
  bool strict = false;
  OnExhausted on_exhausted = OnExhausted::kError;
  // Nodes are sampled in proportion to their degree in the links' type to this
  // power, in (0, 1] in steps of 2^-16 (0.75 is word2vec's): destinations by
  // in-degree, sources by out-degree. 0: uniformly.
  double degree_power = 0;
  // The user gives the negatives: `amount` destinations come with each link,
  // and none is sampled. A loader sets it when neg_destination is given.
  bool given = false;
};

// Edges of a batch's links that none of its hops may sample; DGL's exclude.
// The values are those of the specification.
enum class ExcludeMode {
  kNone = 0,
  kSelf = 1,          // the edges with the links' ids
  kReverseId = 2,     // and id ^ 1 at the other end: `--add-reverse`'s edges
  kReverseTypes = 3,  // and the same id of type rev_<rel>, likewise
  kPair = 4,          // every edge from a link's source to its destination
};
// Returns whether links must come with the ids of their edges.
inline bool NeedsEdgeIds(ExcludeMode mode) {
  return mode != ExcludeMode::kNone && mode != ExcludeMode::kPair;
}

// Checks that the session's links may have enclosing subgraphs, where it asks
// for them. INVALID_ARGUMENT with the option and what is allowed.
absl::Status CheckEnclosing(const v1::SessionSpec& spec);

// Returns the number of negatives of a batch of `links`: PyG's
// ceil(links x amount).
uint64_t NumNegatives(NegativeMode mode, double amount, uint64_t links);

// Checks the options against each other. `node_times`: whether the session's
// times are those of nodes; `lists`: the number of the links' edge types.
// INVALID_ARGUMENT, naming the option and what is allowed.
absl::Status CheckNegatives(const NegativeSampling& negatives,
                            uint64_t batch_size, LabelType label,
                            bool node_times, uint64_t lists = 1);

// Returns the bytes of the SessionSpec. `common` has what all kinds share, the
// links, and how neighbours of the ends of links and negatives are sampled.
// `enclosing` asks for SEAL's subgraphs. INVALID_ARGUMENT as above.
absl::StatusOr<std::string> BuildLinkSpec(
    const SpecGraph& graph, const SpecOptions& common,
    const NegativeSampling& negatives, ExcludeMode exclude = ExcludeMode::kNone,
    bool enclosing = false);

// Checks that nodes can be sampled by the degrees of this edge type.
// INVALID_ARGUMENT with the remedy.
absl::Status CheckDegreesOf(absl::string_view edge_type, bool degrees,
                            int64_t num_edges);

// The number of nodes that the hops of a batch start from: the ends of its
// links and negatives.
struct LinkStarts {
  uint64_t sources = 0;
  uint64_t destinations = 0;
};
LinkStarts CountLinkStarts(NegativeMode mode, uint64_t links,
                           uint64_t negatives);

// Returns an upper bound for the bytes of the tensors that only links have.
// `type_name`: the length of the edge type's name, which their names contain.
uint64_t LinkTensorBytesBound(const LinkStarts& starts, uint64_t links,
                              uint64_t type_name);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_KINDS_LINK_SPEC_H_
