#include "partition/writer/streaming/streaming_writer.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/io/file_writer.h"
#include "common/io/free_disk.h"
#include "common/io/rename_folder.h"
#include "common/text/status.h"
#include "partition/format/paths.h"
#include "partition/schema/schema_check.h"
#include "partition/writer/streaming/bucket_pass.h"
#include "partition/writer/streaming/edge_splits.h"
#include "partition/writer/streaming/memory_shares.h"
#include "partition/writer/streaming/merged_edges.h"
#include "partition/writer/streaming/node_pass.h"
#include "partition/writer/streaming/source_schema.h"
#include "partition/writer/streaming/stored_extras.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

// Adds up a stage's progress over threads.
class Stage {
 public:
  Stage(const StreamingBounds& bounds, const char* name, int64_t total)
      : bounds_(bounds), name_(name), total_(total) {
    Add(0);
  }
  void Add(int64_t done) {
    const int64_t sum = done_.fetch_add(done) + done;
    if (bounds_.progress != nullptr) bounds_.progress(name_, sum, total_);
  }

 private:
  const StreamingBounds& bounds_;
  const char* const name_;
  const int64_t total_;
  std::atomic<int64_t> done_{0};
};

// Returns the bytes of all files in a folder, which need not exist.
uint64_t BytesIn(const std::string& folder) {
  uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end;
       !error && it != end; it.increment(error)) {
    const uint64_t size = it->is_regular_file() ? it->file_size(error) : 0;
    if (!error) bytes += size;
  }
  return bytes;
}

// One call of WriteGraphStreaming: the order of its passes, and what one leaves
// for the next.
class StreamingWrite {
 public:
  StreamingWrite(const GraphSource& source, const WriteOptions& options,
                 const StreamingBounds& bounds)
      : source_(source),
        options_(options),
        bounds_(bounds),
        graph_folder_(bounds.work_folder + "/graph"),
        schema_(SchemaOf(source)) {}

  absl::StatusOr<GraphSchema> Write(NodePlan plan, const std::string& target) {
    ForgetFinishedRun();
    RETURN_IF_ERROR(CheckPlan(plan));
    ASSIGN_OR_RETURN(
        memory_, ShareMemory(source_, options_, bounds_, plan.num_partitions));
    RETURN_IF_ERROR(MakeTables(plan));
    RETURN_IF_ERROR(CountAll());
    CutAll();
    ASSIGN_OR_RETURN(pass_threads_, ThreadsFor(ranges_, memory_, bounds_));
    RETURN_IF_ERROR(
        CheckFreeDisk(bounds_.work_folder, DiskBytes(), "the run needs"));
    RETURN_IF_ERROR(SpillAll());
    RETURN_IF_ERROR(DedupeAll());
    SetStored(schema_, options_.neighbor_ids, options_.degrees,
              options_.edge_index, edge_ids_);
    schema_.made_by = options_.made_by;
    RETURN_IF_ERROR(CheckSchema(schema_));
    ASSIGN_OR_RETURN(EdgeSplits splits, EdgeSplits::Make(source_));
    RETURN_IF_ERROR(PassAll(splits));
    const std::vector<SplitContent> contents = splits.ToContent(source_);
    RETURN_IF_ERROR(WriteExtras(contents));
    digest_.Add(SchemaRecord(schema_, contents));
    schema_.content_digest = digest_.value();
    return Commit(target);
  }

 private:
  size_t NodeTypes() const { return source_.node_types.size(); }
  size_t EdgeTypes() const { return source_.edge_types.size(); }
  std::string StatePath(size_t type) const {
    return absl::StrCat(bounds_.work_folder, "/nodes-", type, ".state");
  }

  // A run that was killed after its end has moved the graph away.
  void ForgetFinishedRun() const {
    std::error_code error;
    if (fs::exists(graph_folder_, error)) return;
    for (size_t n = 0; n < NodeTypes(); ++n) fs::remove(StatePath(n), error);
  }

  std::string SpillPath(size_t type) const {
    return absl::StrCat(bounds_.work_folder, "/edges-", type, ".spill");
  }

  absl::Status CheckPlan(const NodePlan& plan) const {
    if (plan.partition_of.size() != NodeTypes()) {
      return absl::InvalidArgumentError(
          "the plan has not one assignment for each node type");
    }
    for (size_t t = 0; t < NodeTypes(); ++t) {
      const NodeSource& nodes = source_.node_types[t];
      if (static_cast<int64_t>(plan.partition_of[t].size()) ==
          nodes.num_nodes) {
        continue;
      }
      return absl::InvalidArgumentError(absl::StrCat(
          "the plan places ", plan.partition_of[t].size(), " nodes of type ",
          nodes.name, "; there are ", nodes.num_nodes));
    }
    return absl::OkStatus();
  }

  absl::Status MakeTables(NodePlan& plan) {
    schema_.num_partitions = plan.num_partitions;
    schema_.partition_method = plan.method;
    for (size_t t = 0; t < NodeTypes(); ++t) {
      ASSIGN_OR_RETURN(NodeTable table,
                       NodeTable::Make(std::move(plan.partition_of[t]),
                                       plan.num_partitions));
      schema_.node_types[t].base = table.base();
      if (source_.node_types[t].time != nullptr) {
        RETURN_IF_ERROR(table.LoadTimes(*source_.node_types[t].time));
      }
      nodes_.push_back(std::move(table));
    }
    return absl::OkStatus();
  }

  absl::Status CountAll() {
    int64_t rows = 0;
    for (const EdgeSource& edges : source_.edge_types) rows += edges.num_rows();
    Stage stage(bounds_, "counts the edges", rows);
    for (size_t t = 0; t < EdgeTypes(); ++t) {
      const EdgeSource& edges = source_.edge_types[t];
      ASSIGN_OR_RETURN(EdgeCounts counts,
                       CountEdges(edges, nodes_, bounds_.threads,
                                  [&](int64_t n) { stage.Add(n); }));
      schema_.edge_types[t].partition_edges = counts.by_partition;
      edge_ids_.push_back(schema_.edge_types[t].num_edges);
      counts_.push_back(std::move(counts));
      forms_.push_back(EdgeRecordForm::Of(
          edges, source_.node_types[edges.src_type].num_nodes));
    }
    return absl::OkStatus();
  }

  uint64_t BytesPerEdge(size_t type) const {
    return SortedEdges::BytesPerEdge(forms_[type]) +
           OutputBytesPerEdge(schema_.edge_types[type], forms_[type]);
  }

  void CutAll() {
    for (size_t n = 0; n < NodeTypes(); ++n) {
      std::vector<WeighedCounts> edges;
      for (size_t t = 0; t < EdgeTypes(); ++t) {
        if (source_.edge_types[t].dst_type != static_cast<int>(n)) continue;
        edges.push_back({&counts_[t].by_range, BytesPerEdge(t)});
      }
      // Three words of each row: sorting's, and the piece of indptr.
      const uint64_t per_node = OutputBytesPerNode(source_.node_types[n]) +
                                edges.size() * 3 * sizeof(uint64_t);
      ranges_.push_back(CutNodes(source_.node_types[n].num_nodes, per_node,
                                 edges, memory_.range_bytes));
    }
    counts_.clear();
  }

  // What spill files and arrays take, roughly.
  uint64_t DiskBytes() const {
    uint64_t bytes = 0;
    for (size_t t = 0; t < EdgeTypes(); ++t) {
      const auto edges = static_cast<uint64_t>(schema_.edge_types[t].num_edges);
      const bool is_spilled = SpillReader::IsComplete(SpillPath(t));
      bytes += edges * (is_spilled ? 0 : forms_[t].record_bytes());
      bytes += edges * OutputBytesPerEdge(schema_.edge_types[t], forms_[t]);
    }
    for (const NodeSource& nodes : source_.node_types) {
      bytes += static_cast<uint64_t>(nodes.num_nodes) *
               (OutputBytesPerNode(nodes) / 2 + 2 * sizeof(uint64_t));
    }
    bytes -= std::min(bytes, BytesIn(graph_folder_));
    if (bounds_.bytes_afterwards == nullptr) return bytes;
    return bytes + bounds_.bytes_afterwards(schema_);
  }

  absl::Status SpillAll() {
    int64_t rows = 0;
    for (size_t t = 0; t < EdgeTypes(); ++t) {
      if (SpillReader::IsComplete(SpillPath(t))) continue;
      rows += source_.edge_types[t].num_rows();
    }
    Stage stage(bounds_, "distributes the edges", rows);
    for (size_t t = 0; t < EdgeTypes(); ++t) {
      const EdgeSource& edges = source_.edge_types[t];
      if (!SpillReader::IsComplete(SpillPath(t))) {
        RETURN_IF_ERROR(SpillEdges(edges, forms_[t], ranges_[edges.dst_type],
                                   SpillPath(t), memory_.buffer_bytes,
                                   bounds_.threads,
                                   [&](int64_t n) { stage.Add(n); }));
      }
      ASSIGN_OR_RETURN(SpillReader spill, SpillReader::Open(SpillPath(t)));
      if (spill.num_buckets() != ranges_[edges.dst_type].size()) {
        return absl::DataLossError(
            SpillPath(t) + " is of another run; remove the work folder");
      }
      spills_.push_back(std::move(spill));
    }
    return absl::OkStatus();
  }

  // Counts what remains of the types whose parallel edges are merged.
  absl::Status DedupeAll() {
    for (size_t t = 0; t < EdgeTypes(); ++t) {
      const EdgeSource& edges = source_.edge_types[t];
      if (!edges.dedupe) continue;
      const NodeRanges& ranges = ranges_[edges.dst_type];
      EdgeTypeSchema& schema = schema_.edge_types[t];
      Stage stage(bounds_, "merges parallel edges",
                  nodes_[edges.dst_type].num_nodes());
      ASSIGN_OR_RETURN(
          MergedCounts kept,
          CountMerged(spills_[t], forms_[t], ranges, nodes_[edges.dst_type],
                      schema_.num_partitions, pass_threads_,
                      [&](int64_t n) { stage.Add(n); }));
      schema.num_edges = kept.num_edges;
      schema.partition_edges = std::move(kept.by_partition);
      edge_ids_[t] = kept.largest_id + 1;
    }
    return absl::OkStatus();
  }

  absl::Status PassAll(EdgeSplits& splits) {
    int64_t nodes = 0;
    for (const NodeTable& table : nodes_) nodes += table.num_nodes();
    Stage stage(bounds_, "writes the graph", nodes);
    for (size_t n = 0; n < NodeTypes(); ++n) {
      const TypeArrays arrays =
          ListTypeArrays(schema_, static_cast<int>(n), edge_ids_);
      std::vector<const SpillReader*> spills;
      for (const EdgeArrays& edges : arrays.edges) {
        spills.push_back(&spills_[edges.edge_type]);
      }
      const NodePassSpec spec{
          .input = {source_, schema_, nodes_, forms_, static_cast<int>(n),
                    arrays},
          .ranges = ranges_[n],
          .spills = std::move(spills),
          .splits = splits,
          .folder = graph_folder_,
          .state_path = StatePath(n),
          .buffer_bytes = memory_.buffer_bytes,
          .threads = pass_threads_,
          .clock = *bounds_.clock,
          .nodes_done = [&](int64_t done) { stage.Add(done); }};
      ASSIGN_OR_RETURN(const PassState state, RunNodePass(spec));
      digest_.Add(state.digest);
      for (size_t a = 0; a < arrays.arrays.size(); ++a) {
        schema_.files.push_back({arrays.arrays[a].path, state.outputs[a].bytes,
                                 state.outputs[a].crc32c});
      }
    }
    return absl::OkStatus();
  }

  void AddFiles(std::vector<FileSchema> files) {
    schema_.files.insert(schema_.files.end(),
                         std::make_move_iterator(files.begin()),
                         std::make_move_iterator(files.end()));
  }

  absl::Status WriteExtras(const std::vector<SplitContent>& splits) {
    const uint32_t partitions = schema_.num_partitions;
    for (size_t n = 0; n < NodeTypes(); ++n) {
      ASSIGN_OR_RETURN(auto files,
                       WriteNodeMap(graph_folder_, schema_.node_types[n],
                                    nodes_[n], partitions));
      AddFiles(std::move(files));
    }
    Stage stage(bounds_, "writes degrees and indices",
                static_cast<int64_t>(EdgeTypes()));
    for (const EdgeTypeSchema& edges : schema_.edge_types) {
      if (edges.degrees) {
        ASSIGN_OR_RETURN(
            auto files,
            WriteOutDegrees(graph_folder_, edges, nodes_[edges.src_type],
                            partitions, memory_.buffer_bytes));
        AddFiles(std::move(files));
      }
      if (edges.edge_index) {
        ASSIGN_OR_RETURN(auto files,
                         WriteEdgeIndex(graph_folder_, edges, partitions,
                                        memory_.buffer_bytes));
        AddFiles(std::move(files));
      }
      stage.Add(1);
    }
    ASSIGN_OR_RETURN(auto ids, CopyIdFiles(graph_folder_, source_.id_files,
                                           memory_.buffer_bytes));
    AddFiles(std::move(ids));
    ASSIGN_OR_RETURN(auto files, WriteSplits(graph_folder_, schema_, splits));
    AddFiles(std::move(files));
    return absl::OkStatus();
  }

  absl::StatusOr<GraphSchema> Commit(const std::string& target) {
    std::sort(schema_.files.begin(), schema_.files.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    schema_.layout_digest = schema_.ComputeLayoutDigest();
    const std::string path = absl::StrCat(graph_folder_, "/", kGraphJson);
    std::error_code error;
    fs::remove(path, error);  // of a run that ended here
    ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(path));
    RETURN_IF_ERROR(file.Append(schema_.ToJson()));
    RETURN_IF_ERROR(file.Close());
    if (options_.flush) RETURN_IF_ERROR(SyncTree(graph_folder_));
    RETURN_IF_ERROR(RenameNoReplace(graph_folder_, target));
    if (options_.flush) {
      RETURN_IF_ERROR(SyncToDisk(ParentFolderOf(target)));
    }
    return std::move(schema_);
  }

  const GraphSource& source_;
  const WriteOptions& options_;
  const StreamingBounds& bounds_;
  const std::string graph_folder_;
  GraphSchema schema_;
  MemoryShares memory_;
  int pass_threads_ = 1;
  std::vector<NodeTable> nodes_;       // by node type
  std::vector<NodeRanges> ranges_;     // by node type
  std::vector<EdgeCounts> counts_;     // by edge type
  std::vector<EdgeRecordForm> forms_;  // by edge type
  std::vector<SpillReader> spills_;    // by edge type
  std::vector<int64_t> edge_ids_;      // by edge type: the largest + 1
  DigestSum digest_;
};

}  // namespace

absl::StatusOr<GraphSchema> WriteGraphStreaming(const GraphSource& source,
                                                NodePlan plan,
                                                const std::string& folder,
                                                const WriteOptions& options,
                                                const StreamingBounds& bounds) {
  RETURN_IF_ERROR(CheckSource(source));
  std::error_code error;
  if (fs::symlink_status(folder, error).type() != fs::file_type::not_found) {
    return absl::AlreadyExistsError(absl::StrCat(
        folder, " exists; remove it or name a folder that does not"));
  }
  return StreamingWrite(source, options, bounds).Write(std::move(plan), folder);
}

}  // namespace tributary
