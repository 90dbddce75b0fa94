// Folders to plant faults in, and the input that they were made from.
#ifndef TRIBUTARY_PARTITION_PIPELINE_CHECK_TESTING_PLANTED_FOLDER_H_
#define TRIBUTARY_PARTITION_PIPELINE_CHECK_TESTING_PLANTED_FOLDER_H_

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/hash/crc32c.h"
#include "common/io/file_mapping.h"
#include "gtest/gtest.h"
#include "partition/format/graph.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/check/read_back.h"
#include "partition/source/testing/memory_column.h"
#include "partition/writer/content_digest.h"
#include "partition/writer/writer.h"

namespace tributary {

// Partition 0 holds nodes 0 and 2 (internal 0, 1), partition 1 nodes 1 and 3
// (2, 3). Row 0 of partition 1 is node 1, with edge 0 from node 0 and edge 1
// from node 2; row 1 is node 3 with edge 2, a loop. Edge 3 leads into node 0.
inline GraphSpec PlainSpec() {
  return {.num_nodes = 4,
          .edges = {{0, 1}, {2, 1}, {3, 3}, {1, 0}},
          .num_partitions = 2,
          .x = {1, 2, 3, 4},
          .y = {0, 1, 0, 1},
          .edge_attr = {1, 2, 3, 4},
          .splits = {{"a/train", {0, 1}}},
          .edge_splits = {{"b/test", {0, 1, 0, 2, 2, -1}}}};
}

// The same with every column that there is, and arrays derived from them.
inline GraphSpec FullSpec() {
  GraphSpec spec = PlainSpec();
  spec.node_time = {5, 6, 7, 8};
  spec.weight = {1, 2, 0, 4};
  spec.edge_time = {20, 10, 30, 40};
  spec.masks = {{"test", {0, 0, 0, 1}}, {"train", {1, 0, 1, 1}}};
  spec.neighbor_ids = spec.degrees = spec.edge_index = true;
  return spec;
}

// Returns a column of one value in each row, or of rows of `dim` values; null
// without values.
template <typename T>
ColumnPtr ColumnOf(const std::vector<T>& values, int64_t dim = 0) {
  return values.empty() ? nullptr : MakeColumn(values, dim);
}

// The input that the folder was made from.
inline GraphSource SourceOf(const GraphSpec& spec) {
  GraphSource source;
  source.node_types.push_back({.name = "node",
                               .num_nodes = spec.num_nodes,
                               .x = ColumnOf(spec.x, spec.x_dim),
                               .y = ColumnOf(spec.y),
                               .time = ColumnOf(spec.node_time)});
  EdgeSource edges{.src = "node", .rel = "to", .dst = "node"};
  edges.add_reverse = spec.add_reverse;
  edges.dedupe = spec.dedupe;
  std::vector<int64_t> from, to;
  for (const auto& [u, v] : spec.edges) {
    from.push_back(u);
    to.push_back(v);
  }
  edges.from = MakeColumn(from);
  edges.to = MakeColumn(to);
  edges.edge_attr = ColumnOf(spec.edge_attr, spec.edge_attr_dim);
  edges.weight = ColumnOf(spec.weight);
  edges.time = ColumnOf(spec.edge_time);
  for (const auto& [name, mask] : spec.masks) {
    edges.masks[name] = ColumnOf(std::vector<bool>(mask.begin(), mask.end()));
  }
  source.edge_types.push_back(edges);
  for (const auto& [name, ids] : spec.splits) {
    const size_t slash = name.find('/');
    source.splits.push_back({.scheme = name.substr(0, slash),
                             .type = "node",
                             .name = name.substr(slash + 1),
                             .nodes = ids});
  }
  for (const auto& [name, ids] : spec.edge_splits) {
    const size_t slash = name.find('/');
    SplitSource split{.scheme = name.substr(0, slash),
                      .type = "node,to,node",
                      .name = name.substr(slash + 1)};
    for (size_t i = 0; i < ids.size(); i += kSplitEdgeNumbers) {
      split.from.push_back(ids[i]);
      split.to.push_back(ids[i + 1]);
    }
    source.splits.push_back(split);
  }
  return source;
}

// A folder to plant faults in.
class PlantedFolder {
 public:
  explicit PlantedFolder(const GraphSpec& spec) { WriteGraphTo(spec, path_); }
  explicit PlantedFolder(const GraphContent& content) {
    const auto written = WriteGraph(content, {2, "test", {{0, 1, 0, 1}}}, path_,
                                    {.made_by = "test", .flush = false});
    EXPECT_TRUE(written.ok()) << written.status();
  }

  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

  template <typename T>
  void Set(const std::string& file, size_t element, T value) {
    std::string text = Read(file);
    const size_t data = text.find('\n') + 1;
    memcpy(text.data() + data + element * sizeof(T), &value, sizeof(T));
    Write(file, text);
  }
  // Adds a file that graph.json lists, to be sealed.
  void Add(const std::string& file, const std::string& text) {
    std::filesystem::create_directories(
        std::filesystem::path(File(file)).parent_path());
    Write(file, text);
    Edit([&](GraphSchema& schema) {
      schema.files.push_back({file, text.size(), 0});
      std::ranges::sort(schema.files, {}, &FileSchema::path);
    });
  }
  // Removes a file from graph.json too, to be sealed.
  void Unlist(const std::string& file) {
    Remove(file);
    Edit([&](GraphSchema& schema) {
      std::erase_if(schema.files,
                    [&](const FileSchema& f) { return f.path == file; });
    });
  }
  void Cut(const std::string& file) {
    Write(file, Read(file).substr(0, Read(file).size() - 8));
  }
  void Remove(const std::string& file) { std::filesystem::remove(File(file)); }
  void Edit(const std::function<void(GraphSchema&)>& change) {
    GraphSchema schema = *GraphSchema::FromJson(Read("graph.json"));
    change(schema);
    Write("graph.json", schema.ToJson());
  }

  // Makes checksums and the layout digest right.
  void Seal() {
    Edit([this](GraphSchema& schema) {
      for (FileSchema& file : schema.files) {
        const std::string text = Read(file.path);
        file.bytes = text.size();
        file.crc32c = Crc32c(
            {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
      }
      schema.layout_digest = schema.ComputeLayoutDigest();
    });
  }
  // Makes the content digest right too, as if the graph had always been so.
  void SealContent() {
    Seal();
    const auto content = ReadBack(*Graph::Open(path_));
    ASSERT_TRUE(content.ok()) << content.status();
    Edit([&](GraphSchema& schema) {
      schema.content_digest = ComputeContentDigest(*content);
      schema.layout_digest = schema.ComputeLayoutDigest();
    });
  }

 private:
  std::string Read(const std::string& file) const {
    return *ReadFile(File(file), 1 << 20);
  }
  void Write(const std::string& file, const std::string& text) {
    std::ofstream(File(file), std::ios::binary) << text;
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.File("graph");
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_CHECK_TESTING_PLANTED_FOLDER_H_
