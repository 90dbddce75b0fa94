// Steps that all functions of the C interface for the stored graph take.
#ifndef TRIBUTARY_TRAINER_CLIENT_C_GRAPH_CALLS_H_
#define TRIBUTARY_TRAINER_CLIENT_C_GRAPH_CALLS_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "trainer_client/c/arrays.h"
#include "trainer_client/c/handles.h"
#include "trainer_client/c/tributary.h"
#include "trainer_client/graph/dist_graph.h"

namespace tributary {

using Ids = absl::Span<const int64_t>;

// Returns a text that may be left out.
inline std::string OrEmpty(const char* text) {
  return text == nullptr ? "" : text;
}

// Returns ids that a caller gives as a pointer and their number; `name` is the
// pointer's in errors.
absl::StatusOr<Ids> IdsOf(const int64_t* ids, uint64_t num_ids,
                          const char* name);

// Runs `work` with the graph, beside other threads.
tributary_status CallGraph(
    tributary_graph* handle,
    absl::FunctionRef<absl::Status(DistGraph&)> work) noexcept;

// The same, with a text as its result.
tributary_status TextOfGraph(
    tributary_graph* handle, char** text,
    absl::FunctionRef<absl::StatusOr<std::string>(DistGraph&)> work) noexcept;

// The same, with arrays as its result.
using FillArrays = absl::FunctionRef<absl::Status(DistGraph&, ArraysMaker&)>;
tributary_status ArraysOfGraph(tributary_graph* handle,
                               tributary_arrays** arrays,
                               FillArrays fill) noexcept;

// Adds "src", "dst" and "e_id", with a suffix.
void AddEdges(EdgeList edges, ArraysMaker& made,
              const std::string& suffix = "");

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_C_GRAPH_CALLS_H_
