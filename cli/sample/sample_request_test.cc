#include "cli/sample/sample_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "cli/command/command.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

SampleArguments Valid() {
  SampleArguments arguments;
  arguments.graph = "cora4";
  arguments.session.Set("input_nodes", "train");
  arguments.session.Set("num_neighbors", "10,5");
  return arguments;
}

std::string Refusal(const SampleArguments& arguments) {
  const auto request = ParseSampleArguments(arguments);
  if (request.ok()) return "accepted";
  EXPECT_EQ(ExitCodeOf(request.status()), kExitUsage);
  return std::string(request.status().message());
}

const NeighborOptions& Neighbors(const SampleRequest& request) {
  return std::get<NeighborOptions>(request.session.options.kind);
}
TEST(SampleRequestTest, Defaults) {
  const auto request = ParseSampleArguments(Valid());
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->graph, "cora4");
  EXPECT_EQ(request->session.options.input_split, "train");
  EXPECT_EQ(Neighbors(*request).num_neighbors, (NumNeighbors{10, 5}));
  EXPECT_EQ(request->session.options.batch_size, 1);
  EXPECT_EQ(request->session.options.shuffle, ShuffleMode::kGlobal);
  EXPECT_FALSE(Neighbors(*request).expand_all);
  EXPECT_EQ(request->batches, IndexRange());
  EXPECT_EQ(request->worker.buffer_size, uint64_t{256} << 20);
}

TEST(SampleRequestTest, EveryOption) {
  SampleArguments a = Valid();
  a.graph = "";
  a.servers = "127.0.0.1:5,127.0.0.1:6";
  a.session.Set("batch_size", "32");
  a.session.Set("random_seed", "18446744073709551615");
  a.epoch = "2";
  a.batches = "1:4";
  a.session.Set("shuffle", "none");
  a.session.Set("expand", "all");
  a.session.Set("replace", "true");
  a.threads = "8";
  a.rpc_timeout = "1.5";
  a.buffer_size = "1MB";
  a.out = "o";
  a.trace_file = "t";
  const auto request = ParseSampleArguments(a);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->worker.servers, "127.0.0.1:5,127.0.0.1:6");
  EXPECT_EQ(request->session.options.batch_size, 32);
  EXPECT_EQ(request->session.options.random_seed, UINT64_MAX);
  EXPECT_EQ(request->epoch, 2);
  EXPECT_EQ(request->batches, (IndexRange{1, 4}));
  EXPECT_EQ(request->session.options.shuffle, ShuffleMode::kNone);
  EXPECT_TRUE(Neighbors(*request).expand_all);
  EXPECT_TRUE(Neighbors(*request).replace);
  EXPECT_EQ(request->threads, 8);
  EXPECT_EQ(request->worker.num_rpc_threads, 8);
  EXPECT_EQ(request->worker.rpc_timeout, absl::Milliseconds(1500));
  EXPECT_EQ(request->worker.buffer_size, 1 << 20);
  EXPECT_EQ(request->out, "o");
  EXPECT_EQ(request->worker.trace_file, "t");
}

TEST(SampleRequestTest, GraphOrServers) {
  SampleArguments a = Valid();
  a.servers = "h:1";
  EXPECT_THAT(Refusal(a), HasSubstr("both --graph and --servers"));
  a.graph = a.servers = "";
  EXPECT_THAT(Refusal(a), HasSubstr("neither --graph nor --servers"));
}

TEST(SampleRequestTest, WrongValuesNameTheirOption) {
  const std::pair<std::string SampleArguments::*, const char*> fields[] = {
      {&SampleArguments::epoch, "--epoch"},
      {&SampleArguments::batches, "--batches"},
      {&SampleArguments::threads, "--threads"},
      {&SampleArguments::rpc_timeout, "--rpc-timeout"},
      {&SampleArguments::max_servers, "--max-servers"},
      {&SampleArguments::buffer_size, "--buffer-size"}};
  for (const auto& [field, option] : fields) {
    for (const char* bad : {"", "-3", "1,,2"}) {
      SampleArguments a = Valid();
      a.*field = bad;
      EXPECT_THAT(Refusal(a), HasSubstr(option)) << bad;
      EXPECT_THAT(Refusal(a), HasSubstr("allowed: ")) << option << bad;
    }
  }
}

TEST(SampleRequestTest, ASessionsFileGivesWhatFlagsDoNot) {
  const std::string file = testing::TempDir() + "/session.json";
  std::ofstream(file) << R"({"batch_size": 7, "replace": true,
                             "num_neighbors": [2, 2]})";
  SampleArguments a = Valid();
  a.session_file = file;
  const auto request = ParseSampleArguments(a);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(Neighbors(*request).num_neighbors, (NumNeighbors{10, 5}));
  EXPECT_TRUE(Neighbors(*request).replace);
  EXPECT_EQ(request->session.options.batch_size, 7);
  a.session.Set("expand", "few");
  EXPECT_THAT(Refusal(a), HasSubstr("with --session " + file + ": --expand"));
}

}  // namespace
}  // namespace tributary
