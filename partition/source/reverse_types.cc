#include "partition/source/reverse_types.h"

#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "partition/schema/schema_check.h"

namespace tributary {

absl::Status AddReverseTypes(const std::string& origin, GraphSource& graph) {
  const size_t count = graph.edge_types.size();
  for (size_t t = 0; t < count; ++t) {
    EdgeSource reverse = graph.edge_types[t];
    std::swap(reverse.src, reverse.dst);
    std::swap(reverse.src_type, reverse.dst_type);
    std::swap(reverse.from, reverse.to);
    reverse.rel = "rev_" + reverse.rel;
    reverse.reverse = true;
    const absl::Status named = CheckTypeName(reverse.rel);
    if (!named.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(origin, ": --add-reverse: ", named.message()));
    }
    for (size_t other = 0; other < count; ++other) {
      if (graph.edge_types[other].name() != reverse.name()) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(origin, ": ", reverse.name(),
                       " is there already, so --add-reverse cannot make it"));
    }
    graph.edge_types.push_back(std::move(reverse));
  }
  absl::c_sort(graph.edge_types, [](const EdgeSource& a, const EdgeSource& b) {
    return std::tie(a.src, a.rel, a.dst) < std::tie(b.src, b.rel, b.dst);
  });
  return absl::OkStatus();
}

}  // namespace tributary
