#include "partition/pipeline/inputs/layout/graph_layout.h"

#include <algorithm>
#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tributary {

void GraphLayout::Complete() {
  for (const EdgeLayout& type : edges) {
    for (const std::string* end : {&type.src, &type.dst}) {
      if (FindNodes(*end) < 0) nodes.push_back({.name = *end});
    }
  }
  absl::c_sort(nodes, [](const NodeLayout& a, const NodeLayout& b) {
    return a.name < b.name;
  });
  absl::c_sort(edges, [](const EdgeLayout& a, const EdgeLayout& b) {
    return std::tie(a.src, a.rel, a.dst) < std::tie(b.src, b.rel, b.dst);
  });
}

bool GraphLayout::heterogeneous() const {
  const bool plain_nodes = nodes.size() == 1 && nodes[0].name == "node";
  const bool plain_edges =
      edges.empty() || (edges.size() == 1 && edges[0].name() == "node,to,node");
  return !plain_nodes || !plain_edges;
}

int GraphLayout::FindNodes(const std::string& type) const {
  for (size_t t = 0; t < nodes.size(); ++t) {
    if (nodes[t].name == type) return static_cast<int>(t);
  }
  return -1;
}

std::string GraphLayout::Path(const std::string& file) const {
  if (folder.empty() || absl::StartsWith(file, "/")) return file;
  return absl::StrCat(folder, "/", file);
}

std::vector<std::string> GraphLayout::Files() const {
  std::vector<std::string> files;
  const auto add_table = [&](const std::vector<std::string>& table) {
    for (const std::string& file : table) files.push_back(Path(file));
  };
  const auto add = [&](const ColumnPlace& place) {
    for (const std::string& array : place.arrays) {
      const size_t member = array.rfind(".npz:");
      files.push_back(Path(
          member == std::string::npos ? array : array.substr(0, member + 4)));
    }
  };
  const auto add_all = [&](const std::map<std::string, ColumnPlace>& places) {
    for (const auto& [name, place] : places) add(place);
  };
  for (const NodeLayout& type : nodes) {
    add_table(type.table);
    for (const ColumnPlace* place :
         {&type.features, &type.labels, &type.time}) {
      add(*place);
    }
    add_all(type.splits);
  }
  for (const EdgeLayout& type : edges) {
    add_table(type.table);
    for (const ColumnPlace* place :
         {&type.from, &type.to, &type.index, &type.indptr, &type.indices,
          &type.edge_ids, &type.features, &type.weight, &type.time}) {
      add(*place);
    }
    add_all(type.masks);
    add_all(type.splits);
  }
  return files;
}

const char* IdKindName(IdKind kind) {
  switch (kind) {
    case IdKind::kAuto:
      return "auto";
    case IdKind::kDense:
      return "dense";
    case IdKind::kNumber:
      return "number";
    case IdKind::kString:
      return "string";
  }
  return "auto";
}

}  // namespace tributary
