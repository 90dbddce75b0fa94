// Fuzzes the graph format: a graph folder whose files were changed in any way
// is either refused or opened and sampled safely, since every index of a file
// is checked before it is used. An input is a script (changed_files.h) of
// changes to the files of one graph.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/proto/wire.pb.h"
#include "common/runtime/shared_budget.h"
#include "partition/format/graph.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/check/inspect.h"
#include "partition/pipeline/check/read_back.h"
#include "partition/pipeline/check/verify.h"
#include "sampler_server/engine/testing/one_batch.h"
#include "sampler_server/service/leaf/leaf_calls.h"
#include "tests/fuzz/changed_files.h"
#include "tests/fuzz/must.h"
#include "tests/fuzz/script.h"

namespace tributary {
namespace {

constexpr char kJson[] = "graph.json";

GraphSpec MakeSpec() {
  GraphSpec spec;
  spec.num_nodes = 6;
  spec.edges = {{1, 0}, {2, 0}, {3, 0}, {0, 1}, {3, 1}, {5, 2}, {5, 5}, {4, 3}};
  spec.num_partitions = 2;
  spec.x = {1, 2, 3, 4, 5, 6};
  spec.y = {0, 1, 2, 0, 1, 2};
  spec.edge_attr = {1, 2, 3, 4, 5, 6, 7, 8};
  spec.weight = {1, 0, 0.5, 0, 3, 2, 0.25, 1};
  spec.edge_time = {5, 4, 3, 2, 1, 0, -1, -2};
  spec.node_time = {1, 3, 5, 2, 4, 6};
  spec.neighbor_ids = true;
  spec.degrees = true;
  spec.splits = {{"train", {0, 3, 5}}, {"random/test", {1}}};
  return spec;
}

// The folder that inputs are written to; the files as they should be.
class Folder {
 public:
  Folder() : path_(folder_.File("graph")) {
    WriteGraphTo(MakeSpec(), path_);
    good_ = ReadFiles(path_);
  }

  const std::string& path() const { return path_; }
  const Files& good() const { return good_; }

 private:
  const TemporaryFolder folder_;
  const std::string path_;
  Files good_;
};

void Correct(Files& files) {
  auto schema = GraphSchema::FromJson(files[kJson]);
  if (!schema.ok()) return;
  CorrectList(files, schema->files);
  schema->layout_digest = schema->ComputeLayoutDigest();
  files[kJson] = schema->ToJson();
}

// Batches of all nodes, of what the splits name, and of what is no node.
void Sample(const std::shared_ptr<const Graph>& graph) {
  const GraphSchema& schema = graph->schema();
  if (schema.node_types.size() != 1 || schema.edge_types.empty()) return;
  std::vector<std::vector<int64_t>> inputs = {{0, 1, 2, 3, 4, 5}, {6}};
  for (const char* name : {"train", "random/test"}) {
    const auto ids = graph->Split(0, name);
    if (ids.ok() && !ids->empty()) inputs.push_back({ids->begin(), ids->end()});
  }
  for (std::vector<int64_t>& list : inputs) {
    BatchCase batch;
    batch.options.num_neighbors = {2, -1};
    batch.options.batch_size = list.size();
    batch.options.shuffle = ShuffleMode::kNone;
    batch.inputs = std::move(list);
    batch.max_bytes = size_t{1} << 20;
    OneBatchWorld world(graph);
    Must(world.Run(batch)->ends == 1, "a batch ends once");
  }
}

template <typename T>
std::string AsBytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()),
          values.size() * sizeof(T)};
}

absl::Span<const uint8_t> AsSpan(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// All rows of one partition's edges and nodes, as a peer would ask for them.
void AskAsPeer(const Graph& graph, uint32_t partition) {
  const auto budget = SharedBudget::Create("test", size_t{1} << 20);
  const auto share = budget->Open("peer");
  v1::SampleHopRequest hop;
  hop.set_partition(partition);
  hop.set_fanout(-1);
  hop.set_want_positions(true);
  hop.set_num_nodes(3);
  hop.set_max_reply_bytes(4096);
  (void)ServeSampleHop(
      graph, hop,
      AsSpan(AsBytes<uint32_t>({0, 1, 2}) + AsBytes<uint64_t>({0, 1, 2})), {},
      *share);
  v1::GatherRequest gather;
  gather.set_partition(partition);
  gather.set_node_type(0);
  for (v1::Column column : {v1::COLUMN_ORIG_ID, v1::COLUMN_X, v1::COLUMN_Y}) {
    gather.add_columns(column);
  }
  gather.set_num_rows(3);
  gather.set_max_reply_bytes(4096);
  (void)ServeGather(graph, gather, AsSpan(AsBytes<uint64_t>({0, 1, 2})), {},
                    *share);
  Must(budget->used() == 0, "what was answered is let go of");
}

void Read(const std::string& path) {
  for (const bool verify : {false, true}) {
    OpenOptions options;
    options.verify = verify;
    const auto graph = Graph::Open(path, options);
    if (!graph.ok()) continue;
    for (int64_t id = -1; id < 8; ++id) {
      for (size_t t = 0; t < (*graph)->schema().node_types.size(); ++t) {
        (void)(*graph)->node_map(static_cast<int>(t)).Locate(id);
      }
    }
    Sample(*graph);
    for (uint32_t p : (*graph)->partitions()) AskAsPeer(**graph, p);
    (void)ReadBack(*graph);
    (void)InspectGraph(**graph);
  }
  (void)VerifyGraph(path);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Folder folder;
  Files files = folder.good();
  ChangeFiles(Script({data, size}), kJson, Correct, files);
  WithFiles(folder.path(), folder.good(), files, [] { Read(folder.path()); });
  return 0;
}

}  // namespace tributary
