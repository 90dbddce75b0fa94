#include "trainer_client/modes/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/hash/sha256.h"
#include "partition/format/testing/graph_builder.h"
#include "trainer_client/modes/sampling_workers.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;
constexpr uint64_t kMiB = uint64_t{1} << 20;

std::string Refusal(const SamplingWorkerOptionsOfAMode& options) {
  const absl::Status status = Validate(options);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(ModeOptions, DefaultsAreAllowedBesideAGraph) {
  EXPECT_TRUE(Validate(CollocatedDistSamplingWorkerOptions{.graph = "g"}).ok());
  EXPECT_TRUE(Validate(MpDistSamplingWorkerOptions{.graph = "g"}).ok());
}

TEST(ModeOptions, ErrorsNameTheOptionOfTheModeAndWhatIsAllowed) {
  using Mp = MpDistSamplingWorkerOptions;
  using Collocated = CollocatedDistSamplingWorkerOptions;
  EXPECT_EQ(Refusal(Mp{}),
            "MpDistSamplingWorkerOptions.graph is empty; allowed: a graph's "
            "folder");
  EXPECT_THAT(Refusal(Mp{.graph = "g", .num_workers = 0}),
              HasSubstr("Mp"
                        "DistSamplingWorkerOptions.num_workers is 0; allowed: "
                        "1 to 64"));
  EXPECT_THAT(Refusal(Mp{.graph = "g", .worker_devices = {"cuda:0"}}),
              HasSubstr("worker_devices is cuda:0; allowed: \"cpu\""));
  EXPECT_THAT(Refusal(Mp{.graph = "g", .num_threads = 0}),
              HasSubstr("num_threads is 0; allowed: 1 to 1024"));
  EXPECT_THAT(Refusal(Mp{.graph = "g", .channel_size = 1000}),
              HasSubstr("channel_size is 1000 bytes; allowed: 64 KiB to"));
  EXPECT_THAT(Refusal(Mp{.graph = "g", .numa_node = -2}),
              HasSubstr("numa_node is -2; allowed: -1 to 1023"));
  EXPECT_THAT(Refusal(Mp{.graph = "g", .master_port = 65536}),
              HasSubstr("master_port is 65536; allowed: 0 to 65535"));
  EXPECT_THAT(Refusal(Collocated{.graph = "g", .num_threads = -1}),
              HasSubstr("CollocatedDistSamplingWorkerOptions.num_threads is -1;"
                        " allowed: 0 to 1024"));
  EXPECT_THAT(Refusal(Collocated{.graph = "g", .worker_concurrency = 33}),
              HasSubstr("worker_concurrency is 33; allowed: 1 to 32"));
  EXPECT_THAT(
      Refusal(Collocated{.graph = "g", .rpc_timeout = absl::ZeroDuration()}),
      HasSubstr("rpc_timeout is 0; allowed: 0.1 s to 1 day"));
  EXPECT_THAT(Refusal(Collocated{.graph = "g", .channel_size = 0}),
              HasSubstr("channel_size is 0 bytes"));
  EXPECT_THAT(Refusal(RemoteDistSamplingWorkerOptions{}),
              HasSubstr("RemoteDistSamplingWorkerOptions.servers is empty"));
}

TEST(ModeOptions, ARingOfMpIsGltsByDefault) {
  EXPECT_EQ(LoaderOptionsOf(MpDistSamplingWorkerOptions{.num_workers = 3})
                .buffer_size,
            192 * kMiB);
  EXPECT_EQ(LoaderOptionsOf(MpDistSamplingWorkerOptions{.channel_size = kMiB})
                .buffer_size,
            kMiB);
}

TEST(ModeOptions, PinMemoryReachesTheLoaderInEveryMode) {
  using Remote = RemoteDistSamplingWorkerOptions;
  EXPECT_FALSE(LoaderOptionsOf(MpDistSamplingWorkerOptions{}).pin_memory);
  for (const SamplingWorkerOptionsOfAMode& options :
       std::vector<SamplingWorkerOptionsOfAMode>{
           CollocatedDistSamplingWorkerOptions{.pin_memory = true},
           MpDistSamplingWorkerOptions{.pin_memory = true},
           Remote{.pin_memory = true}}) {
    EXPECT_TRUE(LoaderOptionsOf(options).pin_memory) << options.index();
  }
}

TEST(ModeOptions, ACommandLineNamesTheMode) {
  BatchSourceOptions source;
  source.worker.servers = "127.0.0.1:1";
  source.worker.prefetch_size = 7;
  source.worker.pin_memory = true;
  source.worker.buffer_size = 5 * kMiB;
  EXPECT_EQ(std::get<RemoteDistSamplingWorkerOptions>(ModeOf(source)).servers,
            "127.0.0.1:1");
  source.graph = "g";
  const auto collocated =
      std::get<CollocatedDistSamplingWorkerOptions>(ModeOf(source));
  EXPECT_EQ(collocated.graph, "g");
  EXPECT_EQ(collocated.num_threads, 0);
  EXPECT_EQ(collocated.prefetch_size, 7);
  EXPECT_TRUE(collocated.pin_memory);
  source.num_workers = 2;
  source.worker_program = "w";
  const auto mp = std::get<MpDistSamplingWorkerOptions>(ModeOf(source));
  EXPECT_EQ(mp.num_workers, 2);
  EXPECT_EQ(mp.num_threads, 1);
  EXPECT_TRUE(mp.pin_memory);
  EXPECT_EQ(mp.channel_size, 5 * kMiB);
  EXPECT_EQ(mp.worker_program, "w");
}

// A server reserves a batch twice: one that fills the ring must fit.
TEST(SamplingWorkers, AServerHasRoomForABatchThatFillsTheRing) {
  EXPECT_EQ(MemoryBudgetFor(700 * kMiB), 1400 * kMiB);
  EXPECT_EQ(MemoryBudgetFor(700 * kMiB + 1), 1400 * kMiB + 2 * 4096);
  EXPECT_EQ(MemoryBudgetFor(kMiB), 1024 * kMiB) << "the server's default";
}

TEST(SamplingWorkers, PinMemoryMakesTheRingsOfAFleetToo) {
  RemoteDistSamplingWorkerOptions options;
  options.servers = "127.0.0.1:1";
  EXPECT_FALSE(SamplingWorkers::Open(options).value()->environment().make_ring);
  options.pin_memory = true;
  const auto workers = SamplingWorkers::Open(options).value();
  EXPECT_TRUE(workers->loader().pin_memory);
  const auto ring = workers->environment().make_ring(kMiB);
  ASSERT_TRUE(ring.ok()) << ring.status();
  EXPECT_EQ((*ring)->capacity(), kMiB);
}

TEST(SamplingWorkers, AFolderThatIsNotThereIsNamed) {
  const auto workers = SamplingWorkers::Open(
      CollocatedDistSamplingWorkerOptions{.graph = "/nowhere"});
  EXPECT_EQ(workers.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(workers.status().message(), HasSubstr("/nowhere"));
}

TEST(SamplingWorkers, AProgramThatIsNotThereIsNamed) {
  const auto workers = SamplingWorkers::Open(MpDistSamplingWorkerOptions{
      .graph = "g", .worker_program = "/no/such/program"});
  EXPECT_EQ(workers.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(workers.status().message(), HasSubstr("/no/such/program"));
}

// It ends at once, which is said, instead of a wait.
TEST(SamplingWorkers, AProgramThatIsNoWorkerIsSaid) {
  const auto workers = SamplingWorkers::Open(MpDistSamplingWorkerOptions{
      .graph = "g", .worker_program = "/bin/false"});
  EXPECT_EQ(workers.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(workers.status().message(),
              HasSubstr("worker-0:1 ended with exit code 1"));
}

// As programs of other languages do it, which have no options but text.
TEST(SamplingWorkers, OpenFromTexts) {
  const TemporaryFolder folder;
  GraphSpec spec{.num_nodes = 9, .num_partitions = 2};
  for (int64_t i = 0; i < 9; ++i) spec.edges.emplace_back(i, (i + 1) % 9);
  WriteGraphTo(spec, folder.File("g"));
  const auto workers = SamplingWorkers::OpenText(absl::StrCat(
      R"({"mode": "collocated", "graph": ")", folder.File("g"), R"("})"));
  ASSERT_TRUE(workers.ok()) << workers.status();
  const auto session = ParseSessionJson(
      R"({"input_nodes": [4, 7], "num_neighbors": [-1], "shuffle": "none"})");
  const auto loader = (*workers)->OpenLoader(session.value());
  ASSERT_TRUE(loader.ok()) << loader.status();
  ASSERT_TRUE((*loader)->StartEpoch(0).ok());
  for (const int64_t input : {4, 7}) {
    const auto batch = (*loader)->Next().value();
    EXPECT_EQ(batch->view().Find("n_id")->As<int64_t>()[0], input);
  }
  EXPECT_FALSE((*loader)->Next()->has_value());

  SessionText wrong = *session;
  wrong.Set("batch_size", "0");
  EXPECT_THAT((*workers)->OpenLoader(wrong).status().message(),
              HasSubstr("batch_size \"0\"; allowed: a whole number from 1"));
  wrong = *session;
  wrong.Set("input_nodes", "@/nowhere.npy");
  EXPECT_THAT((*workers)->OpenLoader(wrong).status().message(),
              HasSubstr("/nowhere.npy"));
  EXPECT_THAT(SamplingWorkers::OpenText("{}").status().message(),
              HasSubstr("mode"));
}

TEST(SamplingWorkers, AllLoadersAreOnTheGraphOfTheFirst) {
  RemoteDistSamplingWorkerOptions options;
  options.servers = "127.0.0.1:1";
  options.graph_name = "g";
  const auto workers = SamplingWorkers::Open(options).value();
  EXPECT_EQ(workers->loader().graph_name, "g");
  GraphSchema first{.name = "g\xff" + std::string(2000, 'g')};
  const GraphSchema later{.name = "g"};
  first.content_digest.fill(0x1f);
  workers->environment().opened(first);
  workers->environment().opened(later);
  EXPECT_EQ(workers->loader().graph_name, "@" + ToHex(first.content_digest));
  EXPECT_TRUE(workers->loader().Validate().ok());
}

}  // namespace
}  // namespace tributary
