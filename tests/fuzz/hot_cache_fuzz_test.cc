// Fuzzes the files of a graph's cache of hot rows: a cache whose files were
// changed in any way is either refused or opened safely, with rows that lie in
// its arrays; one that `verify` passes has the rows of the graph. An input is a
// script (changed_files.h) of changes to the files of one cache, whose list is
// hot.json.
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "common/text/status.h"
#include "partition/format/graph.h"
#include "partition/format/hot_cache.h"
#include "partition/format/hot_manifest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/check/hot_check.h"
#include "partition/writer/hot/hot_cache_writer.h"
#include "tests/fuzz/changed_files.h"
#include "tests/fuzz/must.h"
#include "tests/fuzz/script.h"

namespace tributary {
namespace {

constexpr char kJson[] = "hot.json";
constexpr int64_t kNodes = 12;
constexpr uint64_t kPartitions = 3;

// Internal id 4p + r is node p + 3r, whose x is (10v, 10v + 1), and y 100 + v.
int64_t NodeOf(uint64_t internal_id) {
  constexpr uint64_t kEach = kNodes / kPartitions;
  return static_cast<int64_t>(internal_id / kEach +
                              internal_id % kEach * kPartitions);
}

GraphSpec MakeSpec() {
  GraphSpec spec{.num_nodes = kNodes, .edges = {{0, 1}, {1, 2}}, .x_dim = 2};
  spec.num_partitions = kPartitions;
  for (int64_t v = 0; v < kNodes; ++v) {
    spec.x.push_back(static_cast<float>(10 * v));
    spec.x.push_back(static_cast<float>(10 * v + 1));
    spec.y.push_back(100 + v);
  }
  return spec;
}

absl::Status WriteCache(const std::string& graph) {
  ASSIGN_OR_RETURN(HotCacheWriter writer, HotCacheWriter::Create(graph));
  RETURN_IF_ERROR(writer.Add(0, 0, {4, 6, 11}));
  RETURN_IF_ERROR(writer.Add(1, 0, {0, 8, 11}));
  RETURN_IF_ERROR(writer.Add(2, 0, {5}));
  return writer.Commit("by hand", /*flush=*/false).status();
}

// The folder that inputs are written to; the cache's files as they should be.
class Folder {
 public:
  Folder() : graph_(folder_.File("graph")) {
    WriteGraphTo(MakeSpec(), graph_);
    Must(WriteCache(graph_).ok(), "the cache is written");
    good_ = ReadFiles(hot());
  }

  const std::string& graph() const { return graph_; }
  std::string hot() const { return HotFolderOf(graph_); }
  const Files& good() const { return good_; }

 private:
  const TemporaryFolder folder_;
  const std::string graph_;
  Files good_;
};

void Correct(Files& files) {
  auto manifest = HotManifest::FromJson(files[kJson]);
  if (!manifest.ok()) return;
  CorrectList(files, manifest->files);
  files[kJson] = manifest->ToJson();
}

template <typename T>
T ValueAt(absl::Span<const uint8_t> rows, uint64_t index) {
  Must((index + 1) * sizeof(T) <= rows.size(), "a row lies in its array");
  T value;
  std::memcpy(&value, rows.data() + index * sizeof(T), sizeof(T));
  return value;
}

// Gathers the rows of all nodes, and of one that is none. `verified`: they are
// as the graph has them.
void Gather(const HotNodes& nodes, const std::vector<uint32_t>& mapped,
            bool verified) {
  uint64_t found = 0;
  for (uint64_t id = 0; id <= kNodes; ++id) {
    const uint64_t row = nodes.Find(id);
    if (row == RowSet::kNone) continue;
    Must(row == found++, "rows are in the order of ids");
    const auto node = ValueAt<int64_t>(nodes.orig_id(), row);
    const auto first = ValueAt<float>(nodes.x(), 2 * row);
    const auto second = ValueAt<float>(nodes.x(), 2 * row + 1);
    const auto label = ValueAt<int64_t>(nodes.y(), row);
    for (const uint32_t partition : mapped) {
      Must(id / (kNodes / kPartitions) != partition, "no row is here twice");
    }
    if (!verified) continue;
    const int64_t v = NodeOf(id);
    Must(node == v && label == 100 + v && first == static_cast<float>(10 * v) &&
             second == static_cast<float>(10 * v + 1),
         "a verified row is its owner's");
  }
  Must(found == nodes.num_rows(), "each row is some node's");
}

void Read(const std::string& folder) {
  const bool verified = VerifyHotCache(folder).ok();
  const std::vector<std::vector<uint32_t>> choices = {{0}, {0, 1}, {2}};
  for (const std::vector<uint32_t>& partitions : choices) {
    const auto graph = Graph::Open(folder, {.partitions = partitions});
    Must(graph.ok(), "the graph is not of the cache's");
    const auto cache = HotCache::Open(folder, **graph);
    Must(cache.ok() || !verified, "what is verified is opened");
    if (!cache.ok() || *cache == nullptr) continue;
    const HotNodes* nodes = (*cache)->nodes(0);
    if (nodes != nullptr) Gather(*nodes, partitions, verified);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Folder folder;
  Files files = folder.good();
  ChangeFiles(Script({data, size}), kJson, Correct, files);
  WithFiles(folder.hot(), folder.good(), files, [] { Read(folder.graph()); });
  return 0;
}

}  // namespace tributary
