// A test fixture: a small folder in OGB's layout, whose files tests replace.
#ifndef TRIBUTARY_PARTITION_PIPELINE_TESTING_OGB_FOLDER_H_
#define TRIBUTARY_PARTITION_PIPELINE_TESTING_OGB_FOLDER_H_

#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/input.h"

namespace tributary {

// 4 nodes and the edges 0>1, 2>1, 3>3.
class OgbTest : public testing::Test {
 protected:
  void SetUp() override {
    Write("raw/num-node-list.csv", "4\n");
    Write("raw/num-edge-list.csv", "3\n");
    Write("raw/edge.csv", "0,1\n2,1\n3,3\n");
  }
  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(
        std::filesystem::path(folder_.File(path)).parent_path());
    std::ofstream(folder_.File(path), std::ios::binary) << text;
  }
  void WriteGzip(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(
        std::filesystem::path(folder_.File(path)).parent_path());
    gzFile file = gzopen(folder_.File(path).c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
  }
  absl::StatusOr<Input> Read(bool add_reverse = false, bool dedupe = false) {
    return ReadInput({.folder = folder_.path(),
                      .add_reverse = add_reverse,
                      .dedupe = dedupe});
  }
  void ExpectRefused(const std::string& file, const std::string& what) {
    const absl::Status status = Read().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(file));
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(what));
  }

  TemporaryFolder folder_;
};

// Returns the in-edges of node `v`.
inline std::vector<InEdge> EdgesInto(const Adjacency& edges, int64_t v) {
  std::vector<InEdge> result;
  for (uint64_t i = edges.indptr()[v]; i < edges.indptr()[v + 1]; ++i) {
    result.push_back(edges.edge(i));
  }
  return result;
}

template <typename T>
std::vector<T> Values(const RowSource& rows) {
  const size_t width = rows.schema().row_bytes() / sizeof(T);
  std::vector<T> values(rows.num_rows() * width);
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    rows.CopyRows({&row, 1},
                  reinterpret_cast<uint8_t*>(values.data() + row * width));
  }
  return values;
}

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_TESTING_OGB_FOLDER_H_
