#include "partition/writer/writer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/io/atomic_folder.h"
#include "common/runtime/fault_point.h"
#include "common/runtime/parallel_for.h"
#include "common/text/status.h"
#include "partition/format/paths.h"
#include "partition/schema/schema_check.h"
#include "partition/writer/array_job.h"
#include "partition/writer/array_writer.h"
#include "partition/writer/content_digest.h"
#include "partition/writer/content_schema.h"
#include "partition/writer/degree_jobs.h"
#include "partition/writer/edge_index_jobs.h"
#include "partition/writer/edge_jobs.h"
#include "partition/writer/node_jobs.h"
#include "partition/writer/placement.h"

namespace tributary {
namespace {

// Plans a graph's schema and files. The content, the schema and the planner
// must outlive the jobs.
class JobPlanner {
 public:
  JobPlanner(const GraphContent& content, std::vector<Placement> placements,
             uint32_t num_partitions)
      : content_(content),
        placements_(std::move(placements)),
        num_partitions_(num_partitions) {}

  GraphSchema MakeSchema(const WriteOptions& options) const;
  std::vector<ArrayJob> MakeJobs(const GraphSchema& schema) const;

 private:
  int64_t CountEdges(const EdgeContent& edges, uint32_t partition) const;

  const GraphContent& content_;
  const std::vector<Placement> placements_;
  const uint32_t num_partitions_;
};

int64_t JobPlanner::CountEdges(const EdgeContent& edges,
                               uint32_t partition) const {
  uint64_t count = 0;
  for (int64_t v : placements_[edges.dst_type].original_ids(partition)) {
    count += edges.in_edges.degree(v);
  }
  return static_cast<int64_t>(count);
}

GraphSchema JobPlanner::MakeSchema(const WriteOptions& options) const {
  GraphSchema schema = SchemaOf(content_);
  schema.num_partitions = num_partitions_;
  for (size_t t = 0; t < content_.node_types.size(); ++t) {
    schema.node_types[t].base = placements_[t].base();
  }
  std::vector<int64_t> num_edge_ids;
  for (size_t t = 0; t < content_.edge_types.size(); ++t) {
    const EdgeContent& type = content_.edge_types[t];
    for (uint32_t p = 0; p < num_partitions_; ++p) {
      schema.edge_types[t].partition_edges.push_back(CountEdges(type, p));
    }
    num_edge_ids.push_back(type.in_edges.max_edge_id() + 1);
  }
  SetStored(schema, options.neighbor_ids, options.degrees, options.edge_index,
            num_edge_ids);
  return schema;
}

std::vector<ArrayJob> JobPlanner::MakeJobs(const GraphSchema& schema) const {
  std::vector<ArrayJob> jobs;
  for (size_t t = 0; t < content_.node_types.size(); ++t) {
    const NodeContent& type = content_.node_types[t];
    AddNodeMapJobs(type, placements_[t], num_partitions_, jobs);
    for (uint32_t p = 0; p < num_partitions_; ++p) {
      AddNodeJobs(type, placements_[t], p, jobs);
    }
  }
  for (size_t t = 0; t < content_.edge_types.size(); ++t) {
    const EdgeContent& type = content_.edge_types[t];
    const EdgeJobInput input{
        type, schema.edge_types[t], content_.node_types[type.src_type],
        placements_[type.src_type], placements_[type.dst_type]};
    for (uint32_t p = 0; p < num_partitions_; ++p) AddEdgeJobs(input, p, jobs);
    if (input.schema.degrees) {
      AddDegreeJobs(type, input.schema, input.src.num_nodes, jobs);
    }
    if (input.schema.edge_index) {
      AddEdgeIndexJobs(type, input.schema, input.dst_placement, jobs);
    }
  }
  for (size_t s = 0; s < content_.splits.size(); ++s) {
    const std::vector<int64_t>& ids = content_.splits[s].ids;
    jobs.push_back({SplitPath(schema.splits[s]), kNpyInt64,
                    schema.splits[s].shape(), [&ids](ArrayWriter& out) {
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
  GraphSchema schema = planner.MakeSchema(options);
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
