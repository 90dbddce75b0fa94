// What reading an input reports: how far it is, and how much disk it needs.
#include <zip.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/parquet/testing/parquet_path.h"
#include "cli/parquet/testing/parquet_writer.h"
#include "common/tensor/npz.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/input.h"

namespace tributary {
namespace {

constexpr int64_t kNodes = 1000;
constexpr int64_t kEdges = 100000;

struct Said {
  std::string stage;
  int64_t done = 0, total = 0;
};

class ReadingTest : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(
        std::filesystem::path(folder_.File(name)).parent_path());
    std::ofstream(folder_.File(name), std::ios::binary) << text;
  }
  void WriteGzip(const std::string& name, const std::string& text) {
    gzFile file = gzopen(folder_.File(name).c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
  }
  uint64_t SizeOf(const std::string& name) {
    return std::filesystem::file_size(folder_.File(name));
  }
  static int64_t Source(int64_t edge) { return edge * 7 % kNodes; }
  static int64_t Destination(int64_t edge) { return edge * 13 % kNodes; }
  // Returns lines "PREFIXsource,PREFIXdestination".
  static std::string EdgeLines(const std::string& prefix) {
    std::string text;
    for (int64_t e = 0; e < kEdges; ++e) {
      absl::StrAppend(&text, prefix, Source(e), ",", prefix, Destination(e),
                      "\n");
    }
    return text;
  }

  // Reads the input twice, as a run that is continued does, and checks that
  // what is reported of a stage never decreases or exceeds the total, and that
  // it ends at it. Returns the reports of the first time.
  std::vector<Said> Read(const InputOptions& options) {
    const TemporaryFolder spool_folder;
    std::vector<Said> first;
    for (const bool again : {false, true}) {
      SCOPED_TRACE(again);
      std::vector<Said> said;
      InputProgress progress(
          [&said](std::string_view stage, int64_t done, int64_t total) {
            said.push_back({std::string(stage), done, total});
          });
      const Spool spool(spool_folder.path(), &progress);
      const auto graph = ReadSource(options, spool);
      EXPECT_TRUE(graph.ok()) << graph.status();
      for (size_t i = 0; i < said.size(); ++i) {
        EXPECT_LE(said[i].done, said[i].total);
        const bool ends =
            i + 1 == said.size() || said[i + 1].stage != said[i].stage;
        if (ends) {
          EXPECT_EQ(said[i].done, said[i].total) << said[i].stage;
        } else {
          EXPECT_LE(said[i].done, said[i + 1].done) << said[i].stage;
        }
      }
      if (!again) first = std::move(said);
    }
    return first;
  }

  static int64_t TotalOf(const std::vector<Said>& said,
                         const std::string& stage) {
    int64_t total = 0;
    for (const Said& one : said) {
      if (one.stage == stage) total = one.total;
    }
    return total;
  }
  // Returns how many reports of the stage are neither its begin nor its end.
  static int64_t Between(const std::vector<Said>& said,
                         const std::string& stage) {
    int64_t count = 0;
    for (const Said& one : said) {
      count += one.stage == stage && one.done > 0 && one.done < one.total;
    }
    return count;
  }

  const TemporaryFolder folder_;
};

TEST_F(ReadingTest, OgbsTextByTheBytesOfItsFiles) {
  Write("raw/num-node-list.csv", absl::StrCat(kNodes, "\n"));
  Write("raw/num-edge-list.csv", absl::StrCat(kEdges, "\n"));
  Write("raw/edge.csv", EdgeLines(""));
  Write("raw/unused.csv", EdgeLines(""));
  std::string features;
  for (int64_t v = 0; v < kNodes; ++v) absl::StrAppend(&features, v, ",0.5\n");
  WriteGzip("raw/node-feat.csv.gz", features);
  const auto said = Read({.folder = folder_.path()});
  EXPECT_EQ(TotalOf(said, "reads the input"),
            SizeOf("raw/edge.csv") + SizeOf("raw/node-feat.csv.gz"));
  EXPECT_GE(Between(said, "reads the input"), 3);
}

TEST_F(ReadingTest, AnEdgeListOfWordsAndThenItsIds) {
  WriteGzip("edges.csv.gz", EdgeLines("node-"));
  const auto said =
      Read({.folder = folder_.File("edges.csv.gz"), .format = "edge-list"});
  EXPECT_EQ(TotalOf(said, "reads the input"), SizeOf("edges.csv.gz"));
  EXPECT_GE(Between(said, "reads the input"), 1);
  // Both columns are collected, and then numbered: each id as its length in
  // two bytes and its text.
  const int64_t bytes =
      static_cast<int64_t>(EdgeLines("node-").size()) + 2 * kEdges;
  EXPECT_EQ(TotalOf(said, "numbers the nodes"), 2 * bytes);
  EXPECT_GE(Between(said, "numbers the nodes"), 3);
}

TEST_F(ReadingTest, ParquetByItsRows) {
  FindParquetProgram();
  std::vector<int64_t> from, to;
  for (int64_t e = 0; e < kEdges; ++e) {
    from.push_back(Source(e));
    to.push_back(Destination(e));
  }
  ASSERT_TRUE(WriteParquet(folder_.File("edges.parquet"),
                           {{"src", from}, {"dst", to}, {"unused", from}})
                  .ok());
  InputOptions options{.folder = folder_.File("edges.parquet"),
                       .format = "edge-list"};
  options.layout.ids = "dense";
  const auto said = Read(options);
  EXPECT_EQ(TotalOf(said, "reads the input"), 2 * 8 * kEdges);
  EXPECT_GE(Between(said, "reads the input"), 3);
}

// Writes the arrays of a graph without edges' columns as savez_compressed does.
void WriteCompressed(const std::string& path) {
  const std::string plain = path + ".plain";
  const std::vector<int64_t> nodes = {kNodes}, edges = {kEdges};
  std::vector<int64_t> index(2 * kEdges);
  for (size_t i = 0; i < index.size(); ++i) index[i] = i % kNodes;
  const auto bytes = [](const std::vector<int64_t>& values) {
    return absl::Span<const uint8_t>(
        reinterpret_cast<const uint8_t*>(values.data()), values.size() * 8);
  };
  ASSERT_TRUE(
      WriteNpz(plain,
               {{"num_nodes_list", DType::kInt64, {1}, bytes(nodes)},
                {"num_edges_list", DType::kInt64, {1}, bytes(edges)},
                {"edge_index", DType::kInt64, {2, kEdges}, bytes(index)}})
          .ok());
  int code = 0;
  zip_t* from = zip_open(plain.c_str(), ZIP_RDONLY, &code);
  zip_t* to = zip_open(path.c_str(), ZIP_CREATE, &code);
  ASSERT_TRUE(from != nullptr && to != nullptr) << code;
  for (zip_int64_t i = 0; i < zip_get_num_entries(from, 0); ++i) {
    const auto at = zip_file_add(to, zip_get_name(from, i, 0),
                                 zip_source_zip(to, from, i, 0, 0, -1), 0);
    ASSERT_GE(at, 0);
    ASSERT_EQ(zip_set_file_compression(to, at, ZIP_CM_DEFLATE, 0), 0);
  }
  ASSERT_EQ(zip_close(to), 0);
  zip_discard(from);
}

TEST_F(ReadingTest, ACompressedNpzByTheBytesOfItsArrays) {
  std::filesystem::create_directories(folder_.File("raw"));
  WriteCompressed(folder_.File("raw/data.npz"));
  const auto said = Read({.folder = folder_.path()});
  EXPECT_EQ(TotalOf(said, "reads the input"),
            (2 * kEdges + 2) * 8 + 3 * 128);  // with the headers of .npy files
  EXPECT_GE(Between(said, "reads the input"), 1);
}

TEST_F(ReadingTest, BinaryFilesAreNotParsed) {
  std::filesystem::create_directories(folder_.File("raw"));
  WriteCompressed(folder_.File("raw/other.npz"));
  std::filesystem::rename(folder_.File("raw/other.npz.plain"),
                          folder_.File("raw/data.npz"));
  for (const Said& one : Read({.folder = folder_.path()})) {
    EXPECT_EQ(one.total, 0);
  }
}

TEST_F(ReadingTest, NamesTheFormatsThatTakeTheFlags) {
  InputOptions options;
  options.layout.config = folder_.File("graph.json");
  const Spool spool(folder_.path());
  EXPECT_EQ(ReadSource(options, spool).status().message(),
            "--format ogb with --config; allowed: --format edge-list, --format "
            "npy");
  options.layout.num_nodes = "9";
  EXPECT_EQ(ReadSource(options, spool).status().message(),
            "--format ogb with --num-nodes 9 --config; allowed: --format "
            "edge-list");
}

}  // namespace
}  // namespace tributary
