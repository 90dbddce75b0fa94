// Says which partitions of a fleet's graph nobody can be asked for.
#ifndef TRIBUTARY_CLI_FLEET_MISSING_OWNERS_H_
#define TRIBUTARY_CLI_FLEET_MISSING_OWNERS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "cli/fleet/fleet_query.h"

namespace tributary {

// Returns why the servers cannot make every batch of a graph, in one line that
// names the partitions without an owner, and each server (the first few) that
// does not answer, drains, or owns other partitions. A server that drains, or
// retires the graph, owns nothing. Of several graphs one suffices; the line is
// about the one that lacks the fewest partitions, the newest of equals. An
// empty string if nothing is missing.
std::string MissingOwners(absl::Span<const ServerAnswer> answers);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FLEET_MISSING_OWNERS_H_
