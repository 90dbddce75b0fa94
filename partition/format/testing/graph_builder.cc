#include "partition/format/testing/graph_builder.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <tuple>

#include "partition/format/testing/scaled_rows.h"
#include "partition/writer/writer.h"

namespace tributary {
namespace {

template <typename T>
T OrDie(absl::StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::fprintf(stderr, "graph_builder: %s\n",
               value.status().ToString().c_str());
  std::abort();
}

std::shared_ptr<const RowSource> FeatureRows(const std::vector<float>& data,
                                             int64_t dim, bool scaled) {
  if (data.empty()) return nullptr;
  if (scaled) {
    const ColumnSchema schema{DType::kInt8, dim, /*scaled=*/true};
    return std::make_shared<StoredRows<uint8_t>>(
        schema, ScaledRowsOf(data, schema.width()));
  }
  return std::make_shared<StoredRows<float>>(ColumnSchema{DType::kFloat32, dim},
                                             data);
}

std::shared_ptr<const RowSource> IntRows(const std::vector<int64_t>& data) {
  if (data.empty()) return nullptr;
  return std::make_shared<StoredRows<int64_t>>(ColumnSchema{DType::kInt64, 0},
                                               data);
}

std::shared_ptr<const RowSource> WeightRows(const GraphSpec& spec) {
  if (spec.weight.empty()) return nullptr;
  const ColumnSchema schema{spec.weight_dtype, 0};
  if (spec.weight_dtype == DType::kFloat64) {
    return std::make_shared<StoredRows<double>>(schema, spec.weight);
  }
  return std::make_shared<StoredRows<float>>(
      schema, std::vector<float>(spec.weight.begin(), spec.weight.end()));
}

Adjacency MakeAdjacency(const GraphSpec& spec) {
  EdgeRows rows;
  for (const auto& [src, dst] : spec.edges) {
    rows.src.push_back(src);
    rows.dst.push_back(dst);
  }
  return OrDie(Adjacency::FromRows(
      std::move(rows), spec.num_nodes, spec.num_nodes,
      {.add_reverse = spec.add_reverse, .dedupe = spec.dedupe}));
}

SplitContent MakeSplit(const std::string& type, const std::string& name,
                       std::vector<int64_t> ids) {
  const size_t slash = name.find('/');
  if (slash == std::string::npos) return {"", type, name, std::move(ids)};
  return {name.substr(0, slash), type, name.substr(slash + 1), std::move(ids)};
}

std::vector<uint16_t> PartitionOf(const GraphSpec& spec) {
  if (!spec.partition_of.empty()) return spec.partition_of;
  std::vector<uint16_t> result;
  for (int64_t i = 0; i < spec.num_nodes; ++i) {
    result.push_back(static_cast<uint16_t>(i % spec.num_partitions));
  }
  return result;
}

}  // namespace

GraphContent MakeContent(const GraphSpec& spec) {
  GraphContent content;
  content.name = spec.name;
  content.node_types.push_back({"node", spec.num_nodes,
                                FeatureRows(spec.x, spec.x_dim, spec.scaled),
                                IntRows(spec.y), IntRows(spec.node_time)});
  EdgeContent edges;
  edges.src = edges.dst = "node";
  edges.rel = "to";
  edges.in_edges = MakeAdjacency(spec);
  edges.edge_attr =
      FeatureRows(spec.edge_attr, spec.edge_attr_dim, spec.scaled);
  edges.weight = WeightRows(spec);
  edges.time = IntRows(spec.edge_time);
  for (const auto& [name, values] : spec.masks) {
    edges.masks[name] = std::make_shared<StoredRows<uint8_t>>(
        ColumnSchema{DType::kBool, 0}, values);
  }
  if (spec.add_reverse) edges.attr_by = EdgeContent::AttrBy::kHalfEdgeId;
  content.edge_types.push_back(std::move(edges));
  for (const auto& [name, ids] : spec.splits) {
    content.splits.push_back(MakeSplit("node", name, ids));
  }
  for (const auto& [name, ids] : spec.edge_splits) {
    content.splits.push_back(MakeSplit("node,to,node", name, ids));
  }
  std::sort(content.splits.begin(), content.splits.end(),
            [](const SplitContent& a, const SplitContent& b) {
              return std::tie(a.scheme, a.type, a.name) <
                     std::tie(b.scheme, b.type, b.name);
            });
  return content;
}

void WriteGraphTo(const GraphSpec& spec, const std::string& folder) {
  OrDie(WriteGraph(MakeContent(spec),
                   {spec.num_partitions, "test", {PartitionOf(spec)}}, folder,
                   {.made_by = "test",
                    .flush = false,
                    .neighbor_ids = spec.neighbor_ids,
                    .degrees = spec.degrees,
                    .edge_index = spec.edge_index}));
}

std::shared_ptr<const Graph> BuildGraph(const GraphSpec& spec,
                                        const OpenOptions& options) {
  const TemporaryFolder folder;
  WriteGraphTo(spec, folder.File("graph"));
  return OrDie(Graph::Open(folder.File("graph"), options));
}

TemporaryFolder::TemporaryFolder() {
  const char* base = std::getenv("TEST_TMPDIR");
  path_ = std::string(base != nullptr ? base : "/tmp") + "/tributary-XXXXXX";
  if (mkdtemp(path_.data()) == nullptr) {
    std::perror("graph_builder: mkdtemp");
    std::abort();
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tributary
