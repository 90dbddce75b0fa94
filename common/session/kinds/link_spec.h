// A session of links as its client asks for it: negatives, specification.
#ifndef TRIBUTARY_COMMON_SESSION_KINDS_LINK_SPEC_H_
#define TRIBUTARY_COMMON_SESSION_KINDS_LINK_SPEC_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/session/spec_builder.h"

namespace tributary {

// The values are those of the specification.
enum class NegativeMode {
  kNone = 0,
  kBinary = 1,       // PyG's binary: both ends are drawn
  kTriplet = 2,      // PyG's triplet: destinations for each link's source
  kDestination = 3,  // the same as pairs: DGL's Uniform
};

enum class OnExhausted { kError = 0, kAccept = 1 };

// PyG's NegativeSampling.
struct NegativeSampling {
  NegativeMode mode = NegativeMode::kNone;
  double amount = 1;  // for each link; whole unless binary
  // No edge of the links' type in the loaded graph: the first such of 64
  // candidates. Where none is, on_exhausted says: an error, or the last one. So
  // it is, too, with time node, for ends that are not there yet.
  bool strict = false;
  OnExhausted on_exhausted = OnExhausted::kError;
  // Nodes are drawn in proportion to their degree to this power, of (0, 1] in
  // steps of 2^-16 (0.75 is word2vec's): destinations by in-degree, drawn
  // sources by out-degree, of the links' type. 0: uniformly.
  double degree_power = 0;
  // A user's own: `amount` destinations come with each link, none is drawn. Set
  // by who brings them, as a loader's neg_destination.
  bool given = false;
};

// Edges that no hop of a batch draws, for they are its links; DGL's exclude.
// The values are those of the specification.
enum class ExcludeMode {
  kNone = 0,
  kSelf = 1,          // by the ids that come with them
  kReverseId = 2,     // and id ^ 1 at the other end: `--add-reverse`'s edges
  kReverseTypes = 3,  // and the same id of type rev_<rel>, likewise
  kPair = 4,          // every edge from a link's source to its destination
};
// Whether links must come with the ids of their edges.
inline bool NeedsEdgeIds(ExcludeMode mode) {
  return mode != ExcludeMode::kNone && mode != ExcludeMode::kPair;
}

// Whether a session's links may have enclosing subgraphs. INVALID_ARGUMENT with
// the option and what is allowed.
absl::Status CheckEnclosing(const v1::SessionSpec& spec);

// How many negatives a batch of `links` has: PyG's ceil(links x amount).
uint64_t NumNegatives(NegativeMode mode, double amount, uint64_t links);

// INVALID_ARGUMENT, naming the option and what is allowed. `node_times`: the
// session's time is the nodes'. `lists`: edge types of the links.
absl::Status CheckNegatives(const NegativeSampling& negatives,
                            uint64_t batch_size, LabelType label,
                            bool node_times, uint64_t lists = 1);

// The SessionSpec's bytes; `enclosing` makes the subgraph SEAL's; `common` says
// what is common to all kinds, which links, and how neighbours of their ends
// and of the negatives are sampled. INVALID_ARGUMENT as above.
absl::StatusOr<std::string> BuildLinkSpec(
    const SpecGraph& graph, const SpecOptions& common,
    const NegativeSampling& negatives, ExcludeMode exclude = ExcludeMode::kNone,
    bool enclosing = false);

// Whether nodes can be drawn by the degrees of this edge type. INVALID_ARGUMENT
// with what to do.
absl::Status CheckDegreesOf(absl::string_view edge_type, bool degrees,
                            int64_t num_edges);

// Where the hops of a batch of `links` begin: ends of links and of negatives.
struct LinkStarts {
  uint64_t sources = 0;
  uint64_t destinations = 0;
};
LinkStarts CountLinkStarts(NegativeMode mode, uint64_t links,
                           uint64_t negatives);

// Bytes of the tensors that only links have, names of `type_name`'s length
// included: no batch has more.
uint64_t LinkTensorBytesBound(const LinkStarts& starts, uint64_t links,
                              uint64_t type_name);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_KINDS_LINK_SPEC_H_
