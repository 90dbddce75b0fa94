// The hot list by degree, which every graph with features or labels gets.
#ifndef TRIBUTARY_CLI_HOT_DEGREE_LIST_H_
#define TRIBUTARY_CLI_HOT_DEGREE_LIST_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace CLI {
class App;
}

namespace tributary {

// Adds --hot-list to `app`, whose text goes to `text`, "degree" by default.
void DeclareDegreeList(CLI::App& app, std::string& text);
// Parses it: whether the list is made. Returns a usage error for another text.
absl::StatusOr<bool> ReadDegreeFlag(const std::string& text);

// Writes the list of the finished graph in `folder`; nothing if no node has
// features or labels. Takes HotListMemory beside the program. Errors as
// Graph::Open and WriteHotList.
absl::Status WriteDegreeList(const std::string& folder);

// As WriteDegreeList, at the end of the command `program` that has made the
// graph: with a line of progress, and unless the list is there already. If it
// takes more memory than `memory_bytes`, a note says so instead. An error says
// that the graph is complete without it.
absl::Status AddDegreeList(const std::string& folder,
                           const std::string& program, uint64_t memory_bytes);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_HOT_DEGREE_LIST_H_
