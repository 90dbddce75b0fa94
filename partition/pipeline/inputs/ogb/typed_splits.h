// Reads the splits of typed graphs in OGB's layouts.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_TYPED_SPLITS_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_TYPED_SPLITS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "partition/source/graph_source.h"

namespace tributary {

// Checks that a flag of a type, from ReadTypeFlags() of `table`, agrees with
// whether `what` is there. OK without flags.
absl::Status CheckTypeFlag(const std::optional<std::vector<bool>>& flags,
                           size_t type, bool found, const std::string& table,
                           const std::string& what);

// Reads folder/TYPE/{train,valid,test} of all node types, and checks them
// against folder/nodetype-has-split, if that is there. Notes the files of other
// contents.
absl::StatusOr<std::vector<SplitSource>> ReadTypeSplits(
    const std::string& folder, const std::string& scheme,
    const std::vector<NodeSource>& types, std::vector<std::string>& notes);

// Returns INVALID_ARGUMENT, with what is read instead, for a scheme below
// `folder` that has pickles and no text.
absl::Status CheckNoPickledSchemes(const std::string& folder,
                                   const std::vector<std::string>& schemes);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_TYPED_SPLITS_H_
