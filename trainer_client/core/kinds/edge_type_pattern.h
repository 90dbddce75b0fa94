// Names of several edge types in one: "*" and "user,*,item".
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_EDGE_TYPE_PATTERN_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_EDGE_TYPE_PATTERN_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/kinds/session_options.h"

namespace tributary {

// Returns whether `edge_type` stands for several edge types: it is "*", or a
// part of its "src,rel,dst" is.
bool IsEdgeTypePattern(absl::string_view edge_type);

// Returns the names of the edge types that match the pattern and have the split
// ("train", "SCHEME/train"), in canonical order; those that --add-reverse made
// are left out. A type whose own name is `pattern` is that type alone.
// NOT_FOUND with the edge types that have the split, if none matches.
absl::StatusOr<std::vector<std::string>> EdgeTypesWithSplit(
    const GraphSchema& schema, absl::string_view pattern,
    absl::string_view split);

// Replaces each list of links of a pattern by a list of each of its types,
// which has the same input_split. INVALID_ARGUMENT for a pattern without an
// input_split; the errors above. Options of other kinds are left as they are.
absl::Status ExpandEdgeTypes(const GraphSchema& schema,
                             SessionOptions* options);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_EDGE_TYPE_PATTERN_H_
