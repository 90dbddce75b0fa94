// Fuzzes the graph format: a graph folder whose files were changed in any way
// is either refused or opened and sampled safely, since every index of a file
// is checked before it is used. An input is a script (script.h) of changes to
// the files of one graph:
//
//   f number       selects a file, by path ascending; graph.json is the first
//   w number text  writes the text at that offset, in place
//   v number number  writes a 64-bit value at that offset
//   t number       truncates the file to that size
//   a text         appends to the file
//   c              updates the files' lengths and checksums in graph.json
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/hash/crc32c.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/shared_budget.h"
#include "partition/format/graph.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/check/inspect.h"
#include "partition/pipeline/check/read_back.h"
#include "partition/pipeline/check/verify.h"
#include "sampler_server/engine/testing/one_batch.h"
#include "sampler_server/service/leaf/leaf_calls.h"
#include "tests/fuzz/must.h"
#include "tests/fuzz/script.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;  // content by path

constexpr char kJson[] = "graph.json";
constexpr size_t kMaxFile = 4096;

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
    for (const auto& entry : fs::recursive_directory_iterator(path_)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      good_[fs::relative(entry.path(), path_)].assign(
          std::istreambuf_iterator<char>(file), {});
    }
  }

  const std::string& path() const { return path_; }
  const Files& good() const { return good_; }
  void Write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << content;
  }

 private:
  const TemporaryFolder folder_;
  const std::string path_;
  Files good_;
};

void Overwrite(std::string& file, uint64_t at, const std::string& bytes) {
  if (at >= file.size()) return;
  const size_t n = std::min<size_t>(bytes.size(), file.size() - at);
  file.replace(at, n, bytes.substr(0, n));
}

std::string AsBytes(uint64_t value) {
  std::string bytes(sizeof(value), '\0');
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

// As whoever made the files so would have written it.
void Correct(Files& files) {
  auto schema = GraphSchema::FromJson(files[kJson]);
  if (!schema.ok()) return;
  for (FileSchema& file : schema->files) {
    const auto it = files.find(file.path);
    if (it == files.end()) continue;
    file.bytes = it->second.size();
    file.crc32c = Crc32c({reinterpret_cast<const uint8_t*>(it->second.data()),
                          it->second.size()});
  }
  schema->layout_digest = schema->ComputeLayoutDigest();
  files[kJson] = schema->ToJson();
}

std::string* Choose(Files& files, uint64_t number) {
  const auto json = files.find(kJson);
  if (number == 0) return &json->second;
  auto it = files.begin();
  std::advance(it, (number - 1) % files.size());
  return &it->second;
}

void Patch(Files& files, Script script) {
  std::string* file = Choose(files, 0);
  while (!script.done()) {
    switch (script.Take()) {
      case 'f':
        file = Choose(files, script.Number());
        break;
      case 'w': {
        const uint64_t at = script.Number();
        Overwrite(*file, at, script.Text());
        break;
      }
      case 'v': {
        const uint64_t at = script.Number();
        Overwrite(*file, at, AsBytes(script.Number()));
        break;
      }
      case 't':
        file->resize(std::min<uint64_t>(file->size(), script.Number()));
        break;
      case 'a':
        *file += script.Text();
        file->resize(std::min(file->size(), kMaxFile));
        break;
      case 'c':
        Correct(files);
        break;
      default:
        break;
    }
  }
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
    batch.options.num_neighbors.by_default = {2, -1};
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
  Patch(files, Script({data, size}));
  for (const auto& [name, content] : files) {
    if (content != folder.good().at(name)) folder.Write(name, content);
  }
  Read(folder.path());
  for (const auto& [name, content] : files) {
    const std::string& good = folder.good().at(name);
    if (content != good) folder.Write(name, good);
  }
  return 0;
}

}  // namespace tributary
