#include "trainer_client/c/graph_calls.h"

#include <cstddef>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/c/call_guard.h"

namespace tributary {

absl::StatusOr<Ids> IdsOf(const int64_t* ids, uint64_t num_ids,
                          const char* name) {
  constexpr uint64_t kMost = PTRDIFF_MAX / sizeof(int64_t);
  if (num_ids > kMost) {
    return absl::InvalidArgumentError(
        absl::StrCat("num_ids is ", num_ids, "; allowed: at most ", kMost));
  }
  if (num_ids > 0) RETURN_IF_ERROR(CheckGiven(ids, name));
  return Ids(ids, num_ids);
}

tributary_status CallGraph(
    tributary_graph* handle,
    absl::FunctionRef<absl::Status(DistGraph&)> work) noexcept {
  return GuardCall([&]() -> absl::Status {
    RETURN_IF_ERROR(CheckHandle(handle, "graph"));
    const std::shared_lock lock(handle->calls);
    return work(*handle->graph);
  });
}

tributary_status TextOfGraph(
    tributary_graph* handle, char** text,
    absl::FunctionRef<absl::StatusOr<std::string>(DistGraph&)> work) noexcept {
  return GuardCall([&]() -> absl::Status {
    RETURN_IF_ERROR(CheckGiven(text, "json"));
    *text = nullptr;
    RETURN_IF_ERROR(CheckHandle(handle, "graph"));
    const std::shared_lock lock(handle->calls);
    ASSIGN_OR_RETURN(const std::string made, work(*handle->graph));
    return CopyText(made, text);
  });
}

tributary_status ArraysOfGraph(tributary_graph* handle,
                               tributary_arrays** arrays,
                               FillArrays fill) noexcept {
  return GuardCall([&]() -> absl::Status {
    RETURN_IF_ERROR(CheckGiven(arrays, "arrays"));
    *arrays = nullptr;
    RETURN_IF_ERROR(CheckHandle(handle, "graph"));
    const std::shared_lock lock(handle->calls);
    ArraysMaker made;
    RETURN_IF_ERROR(fill(*handle->graph, made));
    *arrays = made.Release();
    return absl::OkStatus();
  });
}

void AddEdges(EdgeList edges, ArraysMaker& made, const std::string& suffix) {
  made.Add(absl::StrCat("src", suffix), std::move(edges.src))
      .Add(absl::StrCat("dst", suffix), std::move(edges.dst))
      .Add(absl::StrCat("e_id", suffix), std::move(edges.e_id));
}

}  // namespace tributary
