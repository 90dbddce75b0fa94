// Programs in C on libtributary.so, beside the loader itself: their batches are
// the same. The library is in a process of its own, because two copies of our
// protos in one process are refused by protobuf.
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/hash/sha256.h"
#include "common/process/describe_exit.h"
#include "gtest/gtest.h"
#include "partition/pipeline/inputs/input.h"
#include "tests/distributed/graph_fleet.h"
#include "trainer_client/core/session_text/session_text.h"

namespace tributary {
namespace {

GraphContent ContentOf(const InputOptions& options) {
  auto input = ReadInput(options);
  if (!input.ok()) ADD_FAILURE() << input.status();
  return std::move(input->content);
}

GraphFleet& Cora() {
  static GraphFleet* const fleet = new GraphFleet(
      ContentOf({.folder = "tests/data/cora"}), {.partitions = 2});
  return *fleet;
}

// Returns what the program prints, on stdout and stderr; fails unless it ends
// with 0 within a minute.
std::string OutputOf(const std::string& arguments,
                     const std::string& program = "c_client") {
  const std::string command = absl::StrCat("timeout 60 tests/c_library/",
                                           program, " ", arguments, " 2>&1");
  std::FILE* const pipe = popen(command.c_str(), "r");
  std::string output;
  std::array<char, 4096> piece;
  for (size_t got; (got = fread(piece.data(), 1, piece.size(), pipe)) > 0;) {
    output.append(piece.data(), got);
  }
  const int status = pclose(pipe);
  EXPECT_EQ(status, 0) << command << ": " << DescribeExit(status) << "\n"
                       << output;
  return output;
}

// Returns a line for each batch of epochs 0 and 1, as the program prints it.
std::string DigestsOf(SamplingWorkers& workers, const std::string& session) {
  auto loader = workers.OpenLoader(ParseSessionJson(session).value()).value();
  std::string lines;
  for (uint64_t epoch = 0; epoch < 2; ++epoch) {
    EXPECT_TRUE(loader->StartEpoch(epoch).ok());
    while (std::optional<BatchLease> batch = loader->Next().value()) {
      absl::StrAppend(&lines, epoch, " ", batch->index(), " ",
                      ToHex(batch->view().Digest()), "\n");
    }
  }
  return lines;
}

void ExpectTheSameBatches(GraphFleet& fleet, const std::string& session) {
  const std::string expected = DigestsOf(fleet.workers(), session);
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(
      OutputOf(absl::StrCat("digests '", fleet.folder(), "' '", session, "'")),
      expected);
}

TEST(CLibraryTest, BatchesAreThoseOfTheLoader) {
  ExpectTheSameBatches(Cora(), R"({"input_nodes": "train",
      "num_neighbors": [10, 5], "batch_size": 32, "random_seed": 11})");
}

TEST(CLibraryTest, SoAreThoseOfOtherKinds) {
  ExpectTheSameBatches(Cora(), R"({"kind": "walk", "input_nodes": "valid",
      "walk_length": 6, "batch_size": 100, "random_seed": 3})");
}

TEST(CLibraryTest, AndThoseOfTypedGraphs) {
  GraphFleet fleet(
      ContentOf({.folder = "tests/data/aifb", .add_reverse = true}),
      {.partitions = 2});
  ExpectTheSameBatches(fleet, R"({"input_nodes": "person:train",
      "num_neighbors": {"default": [4, 3]}, "batch_size": 32})");
}

TEST(CLibraryTest, NoticesNameTheServersThatAreWaitedFor) {
  EXPECT_EQ(OutputOf("notices"), "");
}

class CLibraryCommandTest : public testing::TestWithParam<const char*> {};

TEST_P(CLibraryCommandTest, FindsNoFault) {
  EXPECT_EQ(OutputOf(absl::StrCat(GetParam(), " '", Cora().folder(), "'")), "");
}

INSTANTIATE_TEST_SUITE_P(All, CLibraryCommandTest,
                         testing::Values("sizes", "ranks", "errors", "lifetime",
                                         "fork", "log"),
                         [](const auto& param) {
                           return std::string(param.param);
                         });

TEST(CLibraryTest, InAndOutAreNotMixedUp) {
  GraphSpec spec;
  spec.num_nodes = 6;
  spec.edges = {{1, 0}, {2, 0}, {3, 0}, {0, 1}, {3, 1}, {5, 2}};
  GraphFleet fleet(MakeContent(spec), {.partitions = 2});
  EXPECT_EQ(
      OutputOf(absl::StrCat("directed '", fleet.folder(), "'"), "graph_client"),
      "");
}

class CLibraryGraphTest : public testing::TestWithParam<const char*> {};

TEST_P(CLibraryGraphTest, FindsNoFault) {
  EXPECT_EQ(OutputOf(absl::StrCat(GetParam(), " '", Cora().folder(), "'"),
                     "graph_client"),
            "");
}

INSTANTIATE_TEST_SUITE_P(All, CLibraryGraphTest,
                         testing::Values("values", "errors", "threads", "fork"),
                         [](const auto& param) {
                           return std::string(param.param);
                         });

class CLibraryRowsTest : public testing::TestWithParam<const char*> {};

TEST_P(CLibraryRowsTest, FindsNoFault) {
  EXPECT_EQ(OutputOf(absl::StrCat(GetParam(), " '", Cora().folder(), "'"),
                     "rows_client"),
            "");
}

INSTANTIATE_TEST_SUITE_P(All, CLibraryRowsTest,
                         testing::Values("rows", "rounds", "shares", "errors",
                                         "threads", "fork"),
                         [](const auto& param) {
                           return std::string(param.param);
                         });

}  // namespace
}  // namespace tributary
