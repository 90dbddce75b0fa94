// Reads the names of a knowledge graph's relations.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_RELATION_NAMES_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_RELATION_NAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/options/input_options.h"

namespace tributary {

// Returns the names of relations 0 to num_relations - 1: those of
// raw/relation, a name in each line; else of mapping/relidx2relname or
// mapping/reltype2relid, a header and "id,name" in each line; each .csv.gz or
// .csv. Returns r0, r1, ... if there is no such file, or options.relation_names
// is "numbers". INVALID_ARGUMENT, with file, line and how to go on, for a name
// that an edge type cannot have, a name or id that is there twice, or that the
// reverse of another has, and for another number of names.
absl::StatusOr<std::vector<std::string>> ReadRelationNames(
    const InputOptions& options, int64_t num_relations);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_RELATION_NAMES_H_
