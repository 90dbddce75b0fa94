#include "partition/format/writer.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "absl/strings/str_cat.h"
#include "common/fault_point.h"
#include "common/file_atomic_folder.h"
#include "common/session/hop_key.h"
#include "common/status.h"
#include "partition/format/array_writer.h"
#include "partition/format/content_digest.h"
#include "partition/format/node_map.h"
#include "partition/format/parallel_for.h"
#include "partition/format/paths.h"
#include "partition/format/placement.h"
#include "partition/format/schema_check.h"

namespace tributary {
namespace {

// One array to write; arrays are independent, so cores take one each.
struct ArrayJob {
  std::string path;
  NpyType type;
  std::vector<int64_t> shape;
  std::function<void(ArrayWriter&)> fill;
};

constexpr size_t kRowsAtOnce = 256;

NpyType IdType(uint64_t num_ids) {
  return num_ids <= uint64_t{1} << 32 ? kNpyUint32 : kNpyUint64;
}

void PushId(ArrayWriter& out, NpyType type, int64_t id) {
  if (type == kNpyUint32) {
    out.Push(static_cast<uint32_t>(id));
  } else {
    out.Push(static_cast<uint64_t>(id));
  }
}

std::vector<int64_t> ColumnShape(int64_t rows, const ColumnSchema& schema) {
  if (schema.dim == 0) return {rows};
  return {rows, schema.dim};
}

std::optional<ColumnSchema> SchemaOf(
    const std::shared_ptr<const RowSource>& rows) {
  if (rows == nullptr) return std::nullopt;
  return rows->schema();
}

// Copies rows[next()] for `count` rows.
template <typename Next>
void PushRows(ArrayWriter& out, const RowSource& source, uint64_t count,
              Next next) {
  const size_t row_bytes = source.schema().row_bytes();
  std::vector<int64_t> rows;
  while (count > 0) {
    rows.resize(std::min<uint64_t>(count, kRowsAtOnce));
    for (int64_t& row : rows) row = next();
    source.CopyRows(rows, out.Extend(rows.size() * row_bytes));
    count -= rows.size();
  }
}

// Plans the files of one graph. The content and placements outlive the jobs.
class JobPlanner {
 public:
  JobPlanner(const GraphContent& content, std::vector<Placement> placements,
             uint32_t num_partitions)
      : content_(content),
        placements_(std::move(placements)),
        num_partitions_(num_partitions) {}

  GraphSchema MakeSchema() const;
  std::vector<ArrayJob> MakeJobs(const GraphSchema& schema) const;

 private:
  absl::Span<const int64_t> NodesOf(int type, uint32_t partition) const {
    return placements_[type].original_ids(partition);
  }
  int64_t CountEdges(const EdgeContent& edges, uint32_t partition) const;
  void AddNodeMap(size_t type, std::vector<ArrayJob>& jobs) const;
  void AddNodes(size_t type, uint32_t partition,
                std::vector<ArrayJob>& jobs) const;
  void AddEdges(size_t type, uint32_t partition, const EdgeTypeSchema& schema,
                std::vector<ArrayJob>& jobs) const;
  void AddEdgeAttr(const EdgeContent& edges, uint32_t partition,
                   const EdgeTypeSchema& schema,
                   std::vector<ArrayJob>& jobs) const;

  const GraphContent& content_;
  const std::vector<Placement> placements_;
  const uint32_t num_partitions_;
};

int64_t JobPlanner::CountEdges(const EdgeContent& edges,
                               uint32_t partition) const {
  uint64_t count = 0;
  for (int64_t node : NodesOf(edges.dst_type, partition)) {
    count += edges.in_edges.degree(node);
  }
  return static_cast<int64_t>(count);
}

GraphSchema JobPlanner::MakeSchema() const {
  GraphSchema schema;
  schema.name = content_.name;
  schema.semantics_version = kSemanticsVersion;
  schema.heterogeneous = content_.heterogeneous;
  schema.num_partitions = num_partitions_;
  for (size_t t = 0; t < content_.node_types.size(); ++t) {
    const NodeContent& type = content_.node_types[t];
    schema.node_types.push_back({.name = type.name,
                                 .num_nodes = type.num_nodes,
                                 .x = SchemaOf(type.x),
                                 .y = SchemaOf(type.y),
                                 .base = placements_[t].base()});
  }
  for (const EdgeContent& type : content_.edge_types) {
    schema.edge_types.push_back({.src = type.src,
                                 .rel = type.rel,
                                 .dst = type.dst,
                                 .src_type = type.src_type,
                                 .dst_type = type.dst_type,
                                 .num_edges = type.in_edges.num_edges(),
                                 .edge_attr = SchemaOf(type.edge_attr)});
    for (uint32_t p = 0; p < num_partitions_; ++p) {
      schema.edge_types.back().partition_edges.push_back(CountEdges(type, p));
    }
  }
  for (const SplitContent& split : content_.splits) {
    schema.splits.push_back({split.scheme, split.node_type, split.name,
                             static_cast<int64_t>(split.ids.size())});
  }
  return schema;
}

void JobPlanner::AddNodeMap(size_t type, std::vector<ArrayJob>& jobs) const {
  const std::string& name = content_.node_types[type].name;
  const absl::Span<const uint16_t> map = placements_[type].partition_of();
  const bool narrow = num_partitions_ <= 256;
  jobs.push_back({NodeMapPath(name),
                  narrow ? kNpyUint8 : kNpyUint16,
                  {static_cast<int64_t>(map.size())},
                  [map, narrow](ArrayWriter& out) {
                    for (uint16_t p : map) {
                      if (narrow) {
                        out.Push(static_cast<uint8_t>(p));
                      } else {
                        out.Push(p);
                      }
                    }
                  }});
  std::vector<uint64_t> ranks = NodeMap::MakeRanks(map, num_partitions_);
  const auto blocks = static_cast<int64_t>(ranks.size() / num_partitions_);
  jobs.push_back({NodeRanksPath(name),
                  kNpyUint64,
                  {blocks, int64_t{num_partitions_}},
                  [ranks = std::move(ranks)](ArrayWriter& out) {
                    for (uint64_t rank : ranks) out.Push(rank);
                  }});
}

void JobPlanner::AddNodes(size_t type, uint32_t partition,
                          std::vector<ArrayJob>& jobs) const {
  const NodeContent& content = content_.node_types[type];
  const auto ids = NodesOf(static_cast<int>(type), partition);
  const auto rows = static_cast<int64_t>(ids.size());
  jobs.push_back({NodeArrayPath(partition, content.name, "orig_id"),
                  kNpyInt64,
                  {rows},
                  [ids](ArrayWriter& out) {
                    for (int64_t id : ids) out.Push(id);
                  }});
  const auto add_column = [&](const std::shared_ptr<const RowSource>& source,
                              const char* name) {
    if (source == nullptr) return;
    jobs.push_back(
        {NodeArrayPath(partition, content.name, name),
         NpyTypeOf(source->schema().dtype), ColumnShape(rows, source->schema()),
         [ids, source](ArrayWriter& out) {
           auto next = ids.begin();
           PushRows(out, *source, ids.size(), [&next] { return *next++; });
         }});
  };
  add_column(content.x, "x");
  add_column(content.y, "y");
}

// Calls f(position) for each edge of `nodes`, row after row.
template <typename F>
void ForEachPosition(const Adjacency& edges, absl::Span<const int64_t> nodes,
                     F f) {
  const auto indptr = edges.indptr();
  for (int64_t v : nodes) {
    for (uint64_t i = indptr[v]; i < indptr[v + 1]; ++i) f(i);
  }
}

void JobPlanner::AddEdges(size_t type, uint32_t partition,
                          const EdgeTypeSchema& schema,
                          std::vector<ArrayJob>& jobs) const {
  const EdgeContent& content = content_.edge_types[type];
  const Adjacency& edges = content.in_edges;
  const auto nodes = NodesOf(content.dst_type, partition);
  const int64_t count = schema.partition_edges[partition];
  jobs.push_back({EdgeArrayPath(partition, schema, "indptr"),
                  kNpyUint64,
                  {static_cast<int64_t>(nodes.size()) + 1},
                  [&edges, nodes](ArrayWriter& out) {
                    uint64_t end = 0;
                    out.Push(end);
                    for (int64_t v : nodes) out.Push(end += edges.degree(v));
                  }});
  const Placement& sources = placements_[content.src_type];
  const NpyType index_type =
      IdType(content_.node_types[content.src_type].num_nodes);
  jobs.push_back({EdgeArrayPath(partition, schema, "indices"),
                  index_type,
                  {count},
                  [&edges, &sources, nodes, index_type](ArrayWriter& out) {
                    ForEachPosition(edges, nodes, [&](uint64_t i) {
                      PushId(out, index_type,
                             sources.internal(edges.edge(i).neighbor));
                    });
                  }});
  const NpyType id_type = IdType(edges.max_edge_id() + 1);
  jobs.push_back({EdgeArrayPath(partition, schema, "edge_id"),
                  id_type,
                  {count},
                  [&edges, nodes, id_type](ArrayWriter& out) {
                    ForEachPosition(edges, nodes, [&](uint64_t i) {
                      PushId(out, id_type, edges.edge(i).edge_id);
                    });
                  }});
  if (content.edge_attr != nullptr) {
    AddEdgeAttr(content, partition, schema, jobs);
  }
}

void JobPlanner::AddEdgeAttr(const EdgeContent& edges, uint32_t partition,
                             const EdgeTypeSchema& schema,
                             std::vector<ArrayJob>& jobs) const {
  const auto nodes = NodesOf(edges.dst_type, partition);
  const ColumnSchema& column = edges.edge_attr->schema();
  const int64_t count = schema.partition_edges[partition];
  jobs.push_back({EdgeArrayPath(partition, schema, "edge_attr"),
                  NpyTypeOf(column.dtype), ColumnShape(count, column),
                  [&edges, nodes](ArrayWriter& out) {
                    const size_t bytes = edges.edge_attr->schema().row_bytes();
                    ForEachPosition(edges.in_edges, nodes, [&](uint64_t i) {
                      const int64_t row = edges.AttrRow(i);
                      edges.edge_attr->CopyRows({&row, 1}, out.Extend(bytes));
                    });
                  }});
}

std::vector<ArrayJob> JobPlanner::MakeJobs(const GraphSchema& schema) const {
  std::vector<ArrayJob> jobs;
  for (size_t t = 0; t < content_.node_types.size(); ++t) {
    AddNodeMap(t, jobs);
    for (uint32_t p = 0; p < num_partitions_; ++p) AddNodes(t, p, jobs);
  }
  for (size_t t = 0; t < content_.edge_types.size(); ++t) {
    for (uint32_t p = 0; p < num_partitions_; ++p) {
      AddEdges(t, p, schema.edge_types[t], jobs);
    }
  }
  for (size_t s = 0; s < content_.splits.size(); ++s) {
    const std::vector<int64_t>& ids = content_.splits[s].ids;
    jobs.push_back({SplitPath(schema.splits[s]),
                    kNpyInt64,
                    {static_cast<int64_t>(ids.size())},
                    [&ids](ArrayWriter& out) {
                      for (int64_t id : ids) out.Push(id);
                    }});
  }
  std::sort(jobs.begin(), jobs.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return jobs;
}

absl::Status RunJob(const ArrayJob& job, const AtomicFolder& folder,
                    FileSchema& file) {
  RETURN_IF_ERROR(FaultPoint("graph.write_array"));
  ASSIGN_OR_RETURN(const std::string path, folder.PathFor(job.path));
  ASSIGN_OR_RETURN(ArrayWriter out,
                   ArrayWriter::Create(path, job.type, job.shape));
  job.fill(out);
  RETURN_IF_ERROR(out.Finish());
  file = {job.path, out.file_bytes(), out.crc32c()};
  return absl::OkStatus();
}

absl::Status WriteGraphJson(const GraphSchema& schema,
                            const AtomicFolder& folder) {
  ASSIGN_OR_RETURN(const std::string path, folder.PathFor(kGraphJson));
  ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(path));
  RETURN_IF_ERROR(file.Append(schema.ToJson()));
  return file.Close();
}

absl::StatusOr<std::vector<Placement>> PlaceAll(const GraphContent& content,
                                                NodePlan& plan) {
  if (plan.partition_of.size() != content.node_types.size()) {
    return absl::InvalidArgumentError(
        "the plan has not one assignment for each node type");
  }
  std::vector<Placement> placements;
  for (size_t t = 0; t < content.node_types.size(); ++t) {
    const NodeContent& type = content.node_types[t];
    if (plan.partition_of[t].size() != static_cast<size_t>(type.num_nodes)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the plan places ", plan.partition_of[t].size(), " nodes of type ",
          type.name, "; there are ", type.num_nodes));
    }
    ASSIGN_OR_RETURN(
        Placement placement,
        Placement::Make(std::move(plan.partition_of[t]), plan.num_partitions));
    placements.push_back(std::move(placement));
  }
  return placements;
}

}  // namespace

absl::StatusOr<GraphSchema> WriteGraph(const GraphContent& content,
                                       NodePlan plan, const std::string& target,
                                       const WriteOptions& options) {
  RETURN_IF_ERROR(CheckContent(content));
  ASSIGN_OR_RETURN(AtomicFolder folder, AtomicFolder::Create(target));
  ASSIGN_OR_RETURN(auto placements, PlaceAll(content, plan));
  const JobPlanner planner(content, std::move(placements), plan.num_partitions);
  GraphSchema schema = planner.MakeSchema();
  schema.partition_method = plan.method;
  schema.made_by = options.made_by;
  RETURN_IF_ERROR(CheckSchema(schema));
  schema.content_digest = ComputeContentDigest(content);
  const std::vector<ArrayJob> jobs = planner.MakeJobs(schema);
  schema.files.resize(jobs.size());
  RETURN_IF_ERROR(ParallelFor(jobs.size(), 1, [&](size_t i, size_t) {
    return RunJob(jobs[i], folder, schema.files[i]);
  }));
  schema.layout_digest = schema.ComputeLayoutDigest();
  RETURN_IF_ERROR(WriteGraphJson(schema, folder));
  RETURN_IF_ERROR(folder.Commit(options.flush));
  return schema;
}

}  // namespace tributary
