// Reads --config graph.json.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_LAYOUT_JSON_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_LAYOUT_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "partition/pipeline/inputs/layout/graph_layout.h"

namespace tributary {

// Parses the text of a config, as docs/data.md describes it; `origin` names it
// in messages. The layout's folder is left empty. INVALID_ARGUMENT with
// `origin`, line or key, what is wrong and what is allowed: for a text that is
// no JSON, an unknown key or one that is there twice, a value of another type,
// names that a graph cannot have, and ends of edges that are given in more than
// one way.
absl::StatusOr<GraphLayout> ParseGraphLayout(absl::string_view text,
                                             const std::string& origin);

// Reads the config; paths in it are relative to its folder. NOT_FOUND; as
// above; RESOURCE_EXHAUSTED for a file above 16 MiB.
absl::StatusOr<GraphLayout> ReadGraphLayout(const std::string& path);

// Returns the kind of the word that IdKindName returns. INVALID_ARGUMENT lists
// the words.
absl::StatusOr<IdKind> ParseIdKind(absl::string_view word);

// Returns the character that separates cells: "comma", "tab", "semicolon",
// "pipe", "space", or itself. INVALID_ARGUMENT for anything else, and for
// quotes, digits and letters.
absl::StatusOr<char> ParseDelimiter(absl::string_view word);

// Returns the name of a split, "train" or "SCHEME/train"; "val" is "valid".
// INVALID_ARGUMENT for a name that a graph cannot have.
absl::StatusOr<std::string> SplitName(const std::string& text);

// Returns where `text` says that values are: in a file if it ends as files do
// (.npy, .csv, .csv.gz, .tsv, .txt, .parquet) or has ".npz:" in it, otherwise
// in a column of the table.
ColumnPlace ParseColumnPlace(const std::string& text);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_LAYOUT_JSON_H_
