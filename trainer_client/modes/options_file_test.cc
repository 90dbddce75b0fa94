#include "trainer_client/modes/options_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(OptionsFile, EveryModeByItsNames) {
  const auto mp = ParseWorkerOptions(
      R"({"mode": "mp", "graph": "g", "num_workers": 3, "num_threads": 2,
          "worker_devices": "cpu", "worker_concurrency": 5,
          "num_rpc_threads": 1, "rpc_timeout": 2.5, "channel_size": "1GB",
          "prefetch_size": 9, "pin_memory": true, "huge_pages": true,
          "numa_node": 0, "feature_memory": "paged", "trace_file": "t",
          "worker_program": "w"})");
  ASSERT_TRUE(mp.ok()) << mp.status();
  const auto& m = std::get<MpDistSamplingWorkerOptions>(*mp);
  EXPECT_EQ(m.graph, "g");
  EXPECT_EQ(m.num_workers, 3);
  EXPECT_EQ(m.num_threads, 2);
  EXPECT_THAT(m.worker_devices, ElementsAre("cpu"));
  EXPECT_EQ(m.worker_concurrency, 5);
  EXPECT_EQ(m.num_rpc_threads, 1);
  EXPECT_EQ(m.rpc_timeout, absl::Seconds(2.5));
  EXPECT_EQ(m.channel_size, uint64_t{1} << 30);
  EXPECT_EQ(m.prefetch_size, 9);
  EXPECT_TRUE(m.pin_memory);
  EXPECT_TRUE(m.huge_pages);
  EXPECT_EQ(m.feature_memory, FeatureMemory::kPaged);
  EXPECT_EQ(m.numa_node, 0);
  EXPECT_EQ(m.trace_file, "t");
  EXPECT_EQ(m.worker_program, "w");

  const auto remote = ParseWorkerOptions(
      R"({"mode": "remote", "servers": "a:1,b:2", "server_rank": [1, 0],
          "num_workers": 2, "buffer_size": 65536, "worker_key": "k",
          "pin_memory": true, "graph_name": "g@1f",
          "tls_ca": "ca.pem", "tls_cert": "c.pem", "tls_key": "c.key"})");
  ASSERT_TRUE(remote.ok()) << remote.status();
  const auto& r = std::get<RemoteDistSamplingWorkerOptions>(*remote);
  EXPECT_EQ(r.servers, "a:1,b:2");
  EXPECT_THAT(r.server_rank, ElementsAre(1, 0));
  EXPECT_EQ(r.num_workers, 2);
  EXPECT_EQ(r.buffer_size, 65536u);
  EXPECT_EQ(r.worker_key, "k");
  EXPECT_EQ(r.graph_name, "g@1f");
  EXPECT_EQ(r.tls.ca, "ca.pem");
  EXPECT_EQ(r.tls.cert, "c.pem");
  EXPECT_EQ(r.tls.key, "c.key");
  EXPECT_TRUE(r.pin_memory);

  const auto collocated =
      ParseWorkerOptions(R"({"mode": "collocated", "num_threads": 4})");
  ASSERT_TRUE(collocated.ok()) << collocated.status();
  const auto& c = std::get<CollocatedDistSamplingWorkerOptions>(*collocated);
  EXPECT_EQ(c.num_threads, 4);
  EXPECT_FALSE(c.pin_memory);
}

// Local workers have no rendezvous, but a GLT user's options name one.
TEST(OptionsFile, LocalModesTakeGltsMasterAddress) {
  for (const char* mode : {"mp", "collocated"}) {
    const auto options = ParseWorkerOptions(
        absl::StrCat(R"({"master_addr": "localhost", "master_port": 11234,
                         "graph": "g", "mode": ")",
                     mode, "\"}"));
    ASSERT_TRUE(options.ok()) << mode << ": " << options.status();
    EXPECT_TRUE(Validate(*options).ok()) << Validate(*options);
    EXPECT_EQ(LoaderOptionsOf(*options).master_addr, "") << mode;
    std::visit(
        [](const auto& read) {
          EXPECT_EQ(read.master_addr, "localhost");
          EXPECT_EQ(read.master_port, 11234);
        },
        *options);
  }
}

TEST(OptionsFile, AServerRankIsANumberAListOrNull) {
  const auto rank = [](const std::string& value) {
    const auto options = ParseWorkerOptions(
        absl::StrCat(R"({"mode": "remote", "server_rank": )", value, "}"));
    return std::get<RemoteDistSamplingWorkerOptions>(options.value())
        .server_rank;
  };
  EXPECT_THAT(rank("2"), ElementsAre(2));
  EXPECT_THAT(rank("[2, 1]"), ElementsAre(2, 1));
  EXPECT_THAT(rank("null"), ElementsAre());
}

// As Python's None, and as a number of an environment variable.
TEST(OptionsFile, NullIsTheDefaultAndNumbersMayBeTexts) {
  const char* const kNames[] = {
      "worker_devices", "worker_concurrency", "num_rpc_threads",
      "rpc_timeout",    "prefetch_size",      "pin_memory",
      "graph",          "num_threads",        "feature_memory",
      "channel_size",   "master_addr",        "master_port",
      "num_workers",    "huge_pages",         "numa_node",
      "worker_program"};
  for (const char* name : kNames) {
    const auto options = ParseWorkerOptions(
        absl::StrCat(R"({"mode": "mp", ")", name, R"(": null})"));
    EXPECT_TRUE(options.ok()) << options.status();
  }
  const auto none = ParseWorkerOptions(
      R"({"mode": "remote", "servers": "a:1", "num_workers": null,
          "buffer_size": null, "worker_key": null, "rpc_timeout": null,
          "pin_memory": null, "server_rank": null, "num_clients": null})");
  ASSERT_TRUE(none.ok()) << none.status();
  const RemoteDistSamplingWorkerOptions defaults;
  const auto& n = std::get<RemoteDistSamplingWorkerOptions>(*none);
  EXPECT_EQ(n.num_workers, defaults.num_workers);
  EXPECT_EQ(n.buffer_size, defaults.buffer_size);
  EXPECT_EQ(n.worker_key, defaults.worker_key);
  EXPECT_EQ(n.rpc_timeout, defaults.rpc_timeout);

  const auto texts = ParseWorkerOptions(
      R"({"mode": "remote", "servers": "a:1", "master_port": "11234",
          "num_workers": "2", "rpc_timeout": "2.5", "buffer_size": "65536",
          "server_rank": ["1", 0], "prefetch_size": "9"})");
  ASSERT_TRUE(texts.ok()) << texts.status();
  const auto& t = std::get<RemoteDistSamplingWorkerOptions>(*texts);
  EXPECT_EQ(t.master_port, 11234);
  EXPECT_EQ(t.num_workers, 2);
  EXPECT_EQ(t.rpc_timeout, absl::Seconds(2.5));
  EXPECT_EQ(t.buffer_size, 65536u);
  EXPECT_THAT(t.server_rank, ElementsAre(1, 0));
  EXPECT_EQ(t.prefetch_size, 9);
}

TEST(OptionsFile, ErrorsNameTheOptionAndWhatIsAllowed) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"", "options line 1: this is no JSON here"},
      {"[]", "it is no object"},
      {"{}", "mode is \"\"; allowed: \"collocated\", \"mp\", \"remote\""},
      {R"({"mode": "threads"})", "mode is \"threads\"; allowed"},
      {R"({"mode": 3})", "mode is 3; allowed: a text"},
      {R"({"mode": "mp", "buffer_size": 1})",
       "there is no key \"buffer_size\"; allowed: channel_size, "
       "feature_memory, graph"},
      {R"({"mode": "mp", "graph": "a", "graph": "b"})",
       "options: the key \"graph\" is twice in one object"},
      {R"({"mode": "mp", "graph": 1})", "graph is 1; allowed: a text"},
      {R"({"mode": "mp", "num_workers": "two"})",
       "num_workers is \"two\"; allowed: a whole number"},
      {R"({"mode": "mp", "num_workers": "4294967297"})",
       "num_workers is \"4294967297\"; allowed: a whole number"},
      {R"({"mode": "mp", "num_workers": 1.5})",
       "num_workers is 1.5; allowed: a whole number"},
      {R"({"mode": "mp", "num_workers": 4294967297})",
       "num_workers is 4294967297; allowed: a whole number"},
      {R"({"mode": "mp", "channel_size": "much"})",
       "channel_size is \"much\"; allowed: bytes"},
      {R"({"mode": "mp", "channel_size": -1})",
       "channel_size is -1; allowed: bytes"},
      {R"({"mode": "mp", "rpc_timeout": "1s"})",
       "rpc_timeout is \"1s\"; allowed: seconds"},
      {R"({"mode": "mp", "huge_pages": 1})",
       "huge_pages is 1; allowed: true or false"},
      {R"({"mode": "collocated", "pin_memory": "yes"})",
       "pin_memory is \"yes\"; allowed: true or false"},
      {R"({"mode": "mp", "worker_devices": [1]})",
       "worker_devices is 1; allowed: texts"},
      {R"({"mode": "remote", "server_rank": ["a"]})",
       "server_rank is \"a\"; allowed: a whole number"},
      {R"({"mode": "mp", "feature_memory": "disk"})",
       "feature_memory is \"disk\"; allowed: \"auto\", \"resident\", "
       "\"paged\""},
  };
  for (const auto& [json, expected] : cases) {
    const absl::Status status = ParseWorkerOptions(json).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << json;
    EXPECT_THAT(std::string(status.message()), HasSubstr(expected)) << json;
  }
}

TEST(OptionsFile, TheFileIsNamedAndItsOptionsAreChecked) {
  TemporaryFolder folder;
  const std::string path = folder.File("worker.json");
  EXPECT_EQ(ReadWorkerOptions(path).status().code(),
            absl::StatusCode::kNotFound);
  std::ofstream(path) << R"({"mode": "mp", "graph": "g", "num_workers": 0})";
  EXPECT_EQ(ReadWorkerOptions(path).status().message(),
            absl::StrCat(path,
                         ": MpDistSamplingWorkerOptions.num_workers is "
                         "0; allowed: 1 to 64"));
  std::ofstream(path) << R"({"mode": "mp", "graph": "g"})";
  EXPECT_TRUE(ReadWorkerOptions(path).ok());
}

}  // namespace
}  // namespace tributary
