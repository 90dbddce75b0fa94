#include "partition/pipeline/inputs/dgl_chunked/dgl_chunked_reader.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "cli/parquet/testing/parquet_path.h"
#include "cli/parquet/testing/parquet_writer.h"
#include "common/hash/sha256.h"
#include "common/tensor/npy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/input.h"
#include "partition/pipeline/inputs/load_content.h"
#include "partition/writer/content_digest.h"

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Rows of numbers, all of them exact in text and in float32.
struct Table {
  std::vector<std::vector<double>> rows;
  NpyType type;       // in .npy files: of the values
  bool flat = false;  // in .npy files [rows] instead of [rows, columns]
};

// 3 authors with features, 5 papers with labels and times; authors write papers
// (attributes and weights), papers cite papers (times).
const Table kX{{{0.5, -2}, {1, 0}, {3.25, 8}}, {'f', 4}};
const Table kY{{{2}, {-1}, {0}, {1}, {7}}, {'i', 4}, true};
const Table kPaperTime{{{9}, {8}, {7}, {6}, {5}}, {'i', 8}, true};
const Table kWrites{{{0, 3}, {2, 3}, {1, 0}, {2, 4}, {2, 4}, {0, 0}, {1, 1}},
                    {'i', 8}};
const Table kAttr{{{.5}, {1.5}, {2}, {3}, {4}, {5}, {6}}, {'f', 4}};
const Table kWeight{{{1}, {0}, {.25}, {2}, {1}, {1}, {4}}, {'f', 4}, true};
const Table kCites{{{1, 1}, {3, 2}, {1, 1}, {4, 0}}, {'u', 4}};
const Table kCitesTime{{{4}, {-3}, {2}, {1}}, {'i', 4}, true};
const Table kTrain{{{1}, {0}, {0}, {1}, {1}}, {'b', 1}, true};
const Table kValid{{{0}, {1}, {0}, {0}, {0}}, {'u', 1}, true};

class ChunkedTest : public testing::Test {
 protected:
  void SetUp() override { FindParquetProgram(); }

  std::string Path(const std::string& name) { return folder_.File(name); }

  void WriteText(const std::string& name, const std::string& text) {
    const std::filesystem::path path = Path(name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }

  static std::string Csv(const Table& table, size_t begin, size_t end,
                         const char* delimiter) {
    std::string text;
    for (size_t r = begin; r < end; ++r) {
      absl::StrAppend(&text, absl::StrJoin(table.rows[r], delimiter), "\n");
    }
    return text;
  }

  template <typename T>
  static void AppendAs(double value, std::string& bytes) {
    const T typed = static_cast<T>(value);
    bytes.append(reinterpret_cast<const char*>(&typed), sizeof(typed));
  }

  static std::string Npy(const Table& table, size_t begin, size_t end) {
    const auto rows = static_cast<int64_t>(end - begin);
    const auto columns = static_cast<int64_t>(table.rows[0].size());
    std::string bytes = table.flat
                            ? FormatNpyHeader(table.type, {rows})
                            : FormatNpyHeader(table.type, {rows, columns});
    for (size_t r = begin; r < end; ++r) {
      for (const double value : table.rows[r]) {
        if (table.type.kind == 'f') AppendAs<float>(value, bytes);
        if (table.type.size == 1) AppendAs<uint8_t>(value, bytes);
        if (table.type == NpyType{'i', 4}) AppendAs<int32_t>(value, bytes);
        if (table.type == NpyType{'u', 4}) AppendAs<uint32_t>(value, bytes);
        if (table.type == NpyType{'i', 8}) AppendAs<int64_t>(value, bytes);
      }
    }
    return bytes;
  }

  static std::vector<WrittenColumn> Columns(const Table& table, size_t begin,
                                            size_t end) {
    std::vector<WrittenColumn> columns;
    for (size_t c = 0; c < table.rows[0].size(); ++c) {
      std::vector<float> floats;
      std::vector<int64_t> numbers;
      for (size_t r = begin; r < end; ++r) {
        floats.push_back(static_cast<float>(table.rows[r][c]));
        numbers.push_back(static_cast<int64_t>(table.rows[r][c]));
      }
      columns.push_back({absl::StrCat(c), numbers});
      if (table.type.kind == 'f') columns.back().values = floats;
    }
    return columns;
  }

  // Writes rows in two chunks, the first of `first` rows; returns the JSON of
  // the files.
  std::string Write(const std::string& name, const Table& table, size_t first,
                    const std::string& format) {
    const std::string suffix = format == "numpy" ? ".npy" : "." + format;
    std::vector<std::string> files;
    for (const auto& [begin, end] :
         {std::pair{size_t{0}, first}, std::pair{first, table.rows.size()}}) {
      files.push_back(absl::StrCat(name, "-", files.size(), suffix));
      if (format == "csv") {
        WriteText(files.back(), Csv(table, begin, end, " "));
      } else if (format == "numpy") {
        WriteText(files.back(), Npy(table, begin, end));
      } else {
        WriteText(files.back(), "");  // makes the folder
        EXPECT_TRUE(
            WriteParquet(Path(files.back()), Columns(table, begin, end)).ok());
      }
    }
    return absl::StrCat(R"({"format": {"name": ")", format,
                        R"(", "delimiter": " "}, "data": [")",
                        absl::StrJoin(files, "\", \""), "\"]}");
  }

  // Writes the typed graph. Arrays that only `masks` has are left out without.
  void WriteTyped(const std::string& format, bool by_chunk,
                  bool masks = false) {
    const auto write = [&](const char* name, const Table& table, size_t first) {
      return Write(name, table, first, format);
    };
    const std::string numbers =
        by_chunk ? R"("num_nodes_per_chunk": [[3, 2], [1, 2]],
                      "num_edges_per_chunk": [[2, 2], [3, 4]])"
                 : R"("num_nodes_per_type": [5, 3],
                      "num_edges_per_type": [4, 7])";
    const std::string more =
        !masks ? ""
               : absl::StrCat(R"(, "train_mask": )", write("n/t", kTrain, 2),
                              R"(, "val_mask": )", write("n/v", kValid, 2),
                              R"(, "year": )", write("n/year", kPaperTime, 1));
    WriteText(
        "metadata.json",
        absl::StrCat(
            R"({"graph_name": "small", "node_type": ["paper", "author"],
  "edge_type": ["paper:cites:paper", "author:writes:paper"],)",
            numbers, R"(, "edges": {"author:writes:paper": )",
            write("e/writes", kWrites, 3), R"(, "paper:cites:paper": )",
            write("e/cites", kCites, 2),
            R"(}, "node_data": {"author": {"feat": )", write("n/feat", kX, 1),
            R"(}, "paper": {"label": )", write("n/label", kY, 3),
            R"(, "time": )", write("n/time", kPaperTime, 2), more,
            R"(}}, "edge_data": {"author:writes:paper": {"feat": )",
            write("e/attr", kAttr, 3), R"(, "weight": )",
            write("e/weight", kWeight, 3),
            R"(}, "paper:cites:paper": {"time": )",
            write("e/time", kCitesTime, 2), "}}}"));
  }

  // Writes the same graph in OGB's layout.
  void WriteOgb() {
    const std::string writes = "ogb/raw/relations/author___writes___paper/";
    const std::string cites = "ogb/raw/relations/paper___cites___paper/";
    const auto write = [&](const std::string& name, const Table& table) {
      WriteText(name, Csv(table, 0, table.rows.size(), ","));
    };
    WriteText("ogb/raw/num-node-dict.csv", "author,paper\n3,5\n");
    WriteText("ogb/raw/triplet-type-list.csv",
              "author,writes,paper\npaper,cites,paper\n");
    WriteText(writes + "num-edge-list.csv", "7\n");
    WriteText(cites + "num-edge-list.csv", "4\n");
    write(writes + "edge.csv", kWrites);
    write(cites + "edge.csv", kCites);
    write(writes + "edge-feat.csv", kAttr);
    write(writes + "w.csv", kWeight);
    write(cites + "t.csv", kCitesTime);
    write("ogb/raw/node-feat/author/node-feat.csv", kX);
    write("ogb/raw/node-label/paper/node-label.csv", kY);
    write("ogb/raw/t/paper/t.csv", kPaperTime);
  }

  absl::StatusOr<GraphSource> Read(InputOptions options = {}) {
    options.folder = folder_.path();
    const std::string spool = Path(absl::StrCat("spool", next_spool_++));
    std::filesystem::create_directories(spool);
    return ReadDglChunked(options, Spool(spool));
  }
  static std::string DigestOf(const GraphContent& content) {
    return ToHex(ComputeContentDigest(content));
  }
  static std::string DigestOf(const absl::StatusOr<GraphSource>& source) {
    if (!source.ok()) return std::string(source.status().message());
    const auto content = LoadContent(*source);
    return content.ok() ? DigestOf(*content)
                        : std::string(content.status().message());
  }
  std::string OgbDigest(bool add_reverse) {
    WriteOgb();
    const auto input = ReadInput({.folder = Path("ogb"),
                                  .add_reverse = add_reverse,
                                  .edge_weight = "w",
                                  .edge_time = "t",
                                  .node_time = "t"});
    EXPECT_TRUE(input.ok()) << input.status();
    return input.ok() ? DigestOf(input->content) : "";
  }
  std::string ErrorOf(const InputOptions& options = {}) {
    const auto source = Read(options);
    if (!source.ok()) return std::string(source.status().message());
    return std::string(LoadContent(*source).status().message());
  }

  TemporaryFolder folder_;
  int next_spool_ = 0;
};

class FormatTest : public ChunkedTest,
                   public testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Formats, FormatTest,
                         testing::Values("csv", "numpy", "parquet"),
                         [](const auto& param) { return param.param; });

TEST_P(FormatTest, HasTheDigestOfTheSameGraphInOgbsLayout) {
  for (const bool add_reverse : {false, true}) {
    const std::string wanted = OgbDigest(add_reverse);
    for (const bool by_chunk : {false, true}) {
      WriteTyped(GetParam(), by_chunk);
      EXPECT_EQ(DigestOf(Read({.add_reverse = add_reverse})), wanted);
    }
  }
}

TEST_P(FormatTest, MasksAreSplitsAndOtherArraysAreNoted) {
  WriteTyped(GetParam(), true, /*masks=*/true);
  const auto source = Read();
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ(source->name, "small");
  ASSERT_EQ(source->splits.size(), 2u);
  EXPECT_EQ(source->splits[0].type, "paper");
  EXPECT_EQ(source->splits[0].name, "train");
  EXPECT_THAT(source->splits[0].nodes, ElementsAre(0, 3, 4));
  EXPECT_EQ(source->splits[1].name, "valid");
  EXPECT_THAT(source->splits[1].nodes, ElementsAre(1));
  EXPECT_THAT(source->notes,
              ElementsAre(HasSubstr(
                  "/metadata.json: node_data.paper.year is left out")));
}

// A second run finds what the first has parsed.
TEST_P(FormatTest, GoesOnWithWhatIsInTheSpool) {
  WriteTyped(GetParam(), true);
  std::filesystem::create_directories(Path("again"));
  const Spool spool(Path("again"));
  const InputOptions options{.folder = folder_.path()};
  const std::string digest = DigestOf(ReadDglChunked(options, spool));
  EXPECT_EQ(digest.size(), 64u) << digest;
  EXPECT_EQ(DigestOf(ReadDglChunked(options, spool)), digest);
}

TEST_P(FormatTest, NamesTheArrayAndTheFileOfAWrongNumberOfRows) {
  WriteTyped(GetParam(), true);
  Write("e/cites", {{{1, 1}, {3, 2}, {4, 0}}, {'u', 4}}, 1, GetParam());
  EXPECT_THAT(
      ErrorOf(),
      testing::AllOf(HasSubstr("metadata.json: edges.paper:cites:paper: 3 rows "
                               "in 2 files; allowed: 4, as the type's number "
                               "says; the first file that differs is "),
                     HasSubstr("/e/cites-0.")));
}

TEST_P(FormatTest, NamesTheMissingFile) {
  WriteTyped(GetParam(), true);
  const std::string suffix =
      std::string(GetParam()) == "numpy" ? "npy" : GetParam();
  std::filesystem::remove(Path("n/label-1." + suffix));
  const auto source = Read();
  EXPECT_TRUE(absl::IsNotFound(source.status())) << source.status();
  EXPECT_THAT(std::string(source.status().message()),
              testing::AllOf(HasSubstr("node_data.paper.label"),
                             HasSubstr("n/label-1." + suffix)));
}

TEST_P(FormatTest, NamesTheIdThatIsNoNode) {
  WriteTyped(GetParam(), true);
  Write("e/writes",
        {{{0, 3}, {2, 3}, {1, 0}, {2, 4}, {3, 4}, {0, 0}, {1, 1}}, {'i', 8}}, 3,
        GetParam());
  EXPECT_THAT(ErrorOf(),
              testing::AllOf(HasSubstr("/e/writes-1."),
                             HasSubstr("3 is no node of type author")));
}

TEST_P(FormatTest, RefusesAMaskOfOtherNumbers) {
  WriteTyped(GetParam(), true, /*masks=*/true);
  Write("n/v", {{{0}, {1}, {2}, {0}, {0}}, {'u', 1}, true}, 2, GetParam());
  EXPECT_THAT(ErrorOf(), testing::AllOf(HasSubstr("n/v-1."), HasSubstr("2")));
}

using ReaderTest = ChunkedTest;

TEST_F(ReaderTest, NamesTheTruncatedChunk) {
  WriteTyped("numpy", true);
  const std::string path = Path("n/feat-1.npy");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 4);
  const auto source = Read();
  EXPECT_TRUE(absl::IsDataLoss(source.status())) << source.status();
  EXPECT_THAT(std::string(source.status().message()),
              HasSubstr("n/feat-1.npy"));
}

TEST_F(ReaderTest, NamesTheLineThatIsNoNumber) {
  WriteTyped("csv", true);
  WriteText("e/writes-1.csv", "2 4\n2 x\n0 0\n1 1\n");
  EXPECT_THAT(ErrorOf(), testing::AllOf(HasSubstr("e/writes-1.csv line 2"),
                                        HasSubstr("\"x\"")));
}

// Both ends of edges may also be the rows of an array.
TEST_F(ReaderTest, ReadsEndsAsTwoRows) {
  WriteTyped("numpy", true);
  const std::string wanted = DigestOf(Read());
  std::string bytes = FormatNpyHeader({'i', 8}, {2, 4});
  for (const size_t end : {0, 1}) {
    for (size_t r = 3; r < 7; ++r) {
      AppendAs<int64_t>(kWrites.rows[r][end], bytes);
    }
  }
  WriteText("e/writes-1.npy", bytes);
  EXPECT_EQ(DigestOf(Read()), wanted);
}

TEST_F(ReaderTest, OptionsNameOtherArrays) {
  WriteTyped("numpy", true, /*masks=*/true);
  InputOptions options{.node_time = "year"};
  options.layout.labels = {"time"};
  const auto source = Read(options);
  ASSERT_TRUE(source.ok()) << source.status();
  const NodeSource& papers = source->node_types[1];
  int64_t first_label = 0;
  ASSERT_TRUE(
      papers.y->Read(0, 1, reinterpret_cast<uint8_t*>(&first_label)).ok());
  EXPECT_EQ(first_label, 9);
  EXPECT_THAT(papers.time->Where(1), HasSubstr("n/year-1.npy, row 0"));
  EXPECT_THAT(source->notes,
              ElementsAre(HasSubstr(
                  "/metadata.json: node_data.paper.label is left out")));
}

TEST_F(ReaderTest, RefusesAnOptionThatNamesNoArray) {
  WriteTyped("numpy", true);
  InputOptions options;
  options.layout.features = {"embedding"};
  EXPECT_EQ(ErrorOf(options),
            "--features embedding: " + Path("metadata.json") +
                " has no such array; allowed: feat, label, time");
  EXPECT_THAT(ErrorOf({.edge_masks = {"hidden"}}),
              HasSubstr("metadata.json has no such array"));
  EXPECT_THAT(ErrorOf({.edge_splits = {"time"}}), HasSubstr("--edge-splits"));
}

TEST_F(ReaderTest, EdgeMasksAreMasksAndSplits) {
  WriteTyped("numpy", true);
  const std::string mask =
      Write("e/mask", {{{0}, {1}, {1}, {0}}, {'b', 1}, true}, 1, "numpy");
  std::ifstream file(Path("metadata.json"));
  std::stringstream text;
  text << file.rdbuf();
  WriteText("metadata.json",
            absl::StrReplaceAll(
                text.str(),
                {{R"("paper:cites:paper": {"time")",
                  absl::StrCat(R"("paper:cites:paper": {"hidden": )", mask,
                               R"(, "test_mask": )", mask, R"(, "time")")}}));
  const auto source = Read({.edge_masks = {"hidden"}});
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ(source->edge_types[1].masks.size(), 1u);
  ASSERT_EQ(source->splits.size(), 1u);
  EXPECT_EQ(source->splits[0].type, "paper,cites,paper");
  EXPECT_EQ(source->splits[0].name, "test");
  EXPECT_THAT(source->splits[0].rows, ElementsAre(1, 2));
}

TEST_F(ReaderTest, DglsNamesOfAGraphWithoutTypes) {
  const std::string edges = Write("e", kCites, 2, "csv");
  WriteText("metadata.json", absl::StrCat(R"({"node_type": ["_N"],
    "num_nodes_per_type": [5], "edge_type": ["_N:_E:_N"],
    "num_edges_per_type": [4], "edges": {"_N:_E:_N": )",
                                          edges, "}}"));
  WriteText("flat/raw/num-node-list.csv", "5\n");
  WriteText("flat/raw/num-edge-list.csv", "4\n");
  WriteText("flat/raw/edge.csv", Csv(kCites, 0, 4, ","));
  const auto ogb = ReadInput({.folder = Path("flat"), .add_reverse = true});
  ASSERT_TRUE(ogb.ok()) << ogb.status();
  EXPECT_EQ(DigestOf(Read({.add_reverse = true})), DigestOf(ogb->content));
}

// Files may lie anywhere; a run that goes on looks whether they are the same.
TEST_F(ReaderTest, ListsTheFiles) {
  const std::string edges = Write("e", kCites, 2, "csv");
  WriteText("metadata.json", absl::StrCat(R"({"node_type": ["a"],
    "num_nodes_per_type": [5], "edge_type": ["a:b:a"],
    "num_edges_per_type": [4], "edges": {"a:b:a": )",
                                          edges, R"(}, "node_data": {"a":
    {"x": {"format": {"name": "numpy"}, "data": ["/far/x.npy"]}}}})"));
  const auto files = ListDglChunks(folder_.path());
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_THAT(*files,
              ElementsAre("/far/x.npy", Path("e-0.csv"), Path("e-1.csv")));
}

TEST_F(ReaderTest, NeedsTheMetadata) {
  const auto source = Read();
  EXPECT_TRUE(absl::IsNotFound(source.status())) << source.status();
  EXPECT_THAT(std::string(source.status().message()),
              HasSubstr("metadata.json"));
}

}  // namespace
}  // namespace tributary
