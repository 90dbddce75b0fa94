// Turns the names of types, which may hold any character of a path, into paths
// of folders and files, and back. The only place that does so.
#ifndef TRIBUTARY_PARTITION_SCHEMA_TYPE_PATH_H_
#define TRIBUTARY_PARTITION_SCHEMA_TYPE_PATH_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tributary {

// The longest part of such a path: a file's name, 255 bytes at most, is such a
// part and a suffix such as ".partition.npy".
inline constexpr size_t kMaxTypePathPart = 200;

// The end of the name of a folder in which a path goes on.
inline constexpr absl::string_view kTypePathGoesOn = ",+";

// Returns the path for a node type ("paper") or an edge type ("src,rel,dst"),
// to put between a folder and a suffix: "paper", "src__rel__dst". The names are
// those that CheckTypeName() allows. In each name '/' is written ",2f", '.' is
// ",2e", and a '_' at its end ",5f". A path of more than kMaxTypePathPart bytes
// is cut into folders, each but the last of them with kTypePathGoesOn at its
// end.
//
//   TypePath("entity,/film/actor,entity") == "entity__,2ffilm,2factor__entity"
//
// Different types have different paths, and none is "." or "..", hidden, or
// outside of the folder it is put in. No path with a suffix that begins with
// '.' is the path of another type with such a suffix.
std::string TypePath(absl::string_view type);

// Returns the type that TypePath() gives this path; INVALID_ARGUMENT if there
// is none.
absl::StatusOr<std::string> TypeOfPath(absl::string_view path);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SCHEMA_TYPE_PATH_H_
