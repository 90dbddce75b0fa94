#include "cli/bench/bench_command.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "benchmarks/lib/bench/channel_bench.h"
#include "benchmarks/lib/bench/stream_bench.h"
#include "cli/command/command.h"
#include "common/process/signal_watcher.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

// What `tributary bench` does with the rest of a command line.
absl::Status Bench(const std::string& arguments) {
  CLI::App root;
  const auto command = MakeBenchCommand();
  command->Declare(root);
  root.parse("bench " + arguments);
  SignalWatcher signals;
  return command->Run(signals);
}

TEST(BenchCommandTest, EachPrintsOneJsonObject) {
  for (const std::string what : {"sample", "gather"}) {
    ::testing::internal::CaptureStdout();
    const absl::Status status =
        Bench(what +
              " --scale 8 --edges 2000 --feat-dim 8 --num-neighbors 4,3 "
              "--batch-size 16 --threads 1 --seconds 0.1 --json");
    const std::string text = ::testing::internal::GetCapturedStdout();
    ASSERT_TRUE(status.ok()) << status;
    const nlohmann::json json = nlohmann::json::parse(text);
    EXPECT_EQ(json["benchmark"], what);
    EXPECT_EQ(json["batch_size"], 16);
    EXPECT_EQ(json["threads"], 1);
    EXPECT_GT(json["edges_per_second"].get<double>(), 0);
    EXPECT_GT(json["ratio"].get<double>(), 0);
  }
}

// The sender is this program again: see main().
TEST(BenchCommandTest, StreamIsBesideRawTcp) {
  ::testing::internal::CaptureStdout();
  const absl::Status status = Bench("stream --streams 2 --seconds 0.1 --json");
  const std::string text = ::testing::internal::GetCapturedStdout();
  ASSERT_TRUE(status.ok()) << status;
  const nlohmann::json json = nlohmann::json::parse(text);
  EXPECT_EQ(json["benchmark"], "stream");
  EXPECT_EQ(json["streams"], 2);
  EXPECT_EQ(json["batch_bytes"], 64 << 20);
  EXPECT_GT(json["sender_cpu_seconds_per_gb"].get<double>(), 0);
  EXPECT_GT(json["receiver_cpu_seconds_per_gb"].get<double>(), 0);
  const double raw = json["limit_per_second"].get<double>();
  ASSERT_GT(raw, 0);
  EXPECT_DOUBLE_EQ(json["ratio"].get<double>(),
                   json["bytes_per_second"].get<double>() / raw);
}

TEST(BenchCommandTest, StreamReportToTheLetter) {
  StreamBenchReport report;
  // In GB/s, CPU seconds a GB.
  report.batches = {{2, 4, 3}, {0.25, 0.5, 0.75}, {1, 2, 3}};
  report.raw = {{4, 4, 5}, {0.125, 0.25, 0.5}, {0.5, 0.25, 0.75}};
  EXPECT_EQ(
      ToJson(report),
      "{\"benchmark\":\"stream\",\"measured\":\"batches between two "
      "processes, no sampling\",\"streams\":1,\"batch_bytes\":67108864,"
      "\"frame_bytes\":1048576,\"rounds\":3,\"bytes_per_second\":3000000000.0,"
      "\"least_bytes_per_second\":2000000000.0,"
      "\"most_bytes_per_second\":4000000000.0,"
      "\"sender_cpu_seconds_per_gb\":0.5,\"receiver_cpu_seconds_per_gb\":2.0,"
      "\"limit\":\"bytes over as many raw loopback TCP connections\","
      "\"limit_per_second\":4000000000.0,"
      "\"raw\":{\"bytes_per_second\":4000000000.0,"
      "\"least_bytes_per_second\":4000000000.0,"
      "\"most_bytes_per_second\":5000000000.0,"
      "\"sender_cpu_seconds_per_gb\":0.25,"
      "\"receiver_cpu_seconds_per_gb\":0.5},\"ratio\":0.75}\n");
  EXPECT_EQ(
      ToText(report),
      "stream: 1 at once between two processes over loopback TCP; batches of "
      "64 "
      "MiB,\nframes of 1 MiB, CRC32C made and checked, no sampling. Medians "
      "(least to most)\nof 3 rounds, in turns:\n"
      "  batches    3.00 GB/s (2.00 to 4.00); CPU s/GB: sender 0.50, receiver "
      "2.00\n"
      "  raw TCP    4.00 GB/s (4.00 to 5.00); CPU s/GB: sender 0.25, receiver "
      "0.50\n"
      "  ratio      0.750 of raw TCP\n");
}

// The fillers are this program again, as above.
TEST(BenchCommandTest, ChannelIsBesideMemcpy) {
  ::testing::internal::CaptureStdout();
  const absl::Status status = Bench("channel --seconds 0.001 --json");
  const std::string text = ::testing::internal::GetCapturedStdout();
  ASSERT_TRUE(status.ok()) << status;
  const nlohmann::json json = nlohmann::json::parse(text);
  EXPECT_EQ(json["benchmark"], "channel");
  EXPECT_EQ(json["handover_batch_bytes"], 64 << 10);
  EXPECT_EQ(json["batch_bytes"], 1 << 20);
  EXPECT_EQ(json["handovers"], 500 * json["rounds"].get<int>());
  const double limit = json["limit_per_second"].get<double>();
  ASSERT_GT(limit, 0);
  for (const std::string name : {"shared_memory", "unix_socket", "grpc"}) {
    const nlohmann::json& channel = json[name];
    const nlohmann::json& handover = channel["handover_microseconds"];
    EXPECT_GT(handover["mean"].get<double>(), 0) << name;
    EXPECT_LE(handover["median"], handover["p99"]) << name;
    EXPECT_GT(channel["filler_cpu_seconds_per_gb"].get<double>(), 0) << name;
    EXPECT_GT(channel["trainer_cpu_seconds_per_gb"].get<double>(), 0) << name;
    EXPECT_DOUBLE_EQ(channel["ratio"].get<double>(),
                     channel["bytes_per_second"].get<double>() / limit)
        << name;
  }
  EXPECT_EQ(json["ratio"], json["shared_memory"]["ratio"]);
}

ChannelBenchReport MadeUpChannelReport() {
  ChannelBenchReport report;
  // Nanoseconds; GB/s, CPU seconds a GB.
  report.shared_memory = {{4000, 1000, 3000, 12000},
                          {{6, 4, 8}, {0.25, 0.5, 0.75}, {1, 2, 3}}};
  report.unix_socket = {{30000}, {{2}, {0.5}, {0.25}}};
  report.grpc = {{100500}, {{1}, {1.5}, {0.75}}};
  report.memcpy = {{8, 10, 6}, {0.125, 0.0625, 0.25}};
  return report;
}

TEST(BenchCommandTest, ChannelReportToTheLetter) {
  EXPECT_EQ(
      ToText(MadeUpChannelReport()),
      "channel: between two processes of this machine, 3 rounds in turns.\n"
      "Hand-over of a batch of 64 KiB, one at a time, microseconds of 4:\n"
      "  shared memory  mean 5.0, median 4.0, p99 12.0\n"
      "  unix socket    mean 30.0, median 30.0, p99 30.0\n"
      "  gRPC           mean 100.5, median 100.5, p99 100.5\n"
      "Batches of 1 MiB, 4 asked for ahead, filled by memcpy; medians (least "
      "to\nmost):\n"
      "  shared memory  6.00 GB/s (4.00 to 8.00); CPU s/GB: sender 0.50, "
      "receiver 2.00\n"
      "                 0.750 of memcpy\n"
      "  unix socket    2.00 GB/s (2.00 to 2.00); CPU s/GB: sender 0.50, "
      "receiver 0.25\n"
      "                 0.250 of memcpy\n"
      "  gRPC           1.00 GB/s (1.00 to 1.00); CPU s/GB: sender 1.50, "
      "receiver 0.75\n"
      "                 0.125 of memcpy\n"
      "  memcpy         8.00 GB/s (6.00 to 10.00); CPU s/GB: 0.12, one "
      "thread\n");
  const nlohmann::json json =
      nlohmann::json::parse(ToJson(MadeUpChannelReport()));
  EXPECT_EQ(json["shared_memory"]["handover_microseconds"]["mean"], 5.0);
  EXPECT_EQ(json["shared_memory"]["least_bytes_per_second"], 4e9);
  EXPECT_EQ(json["shared_memory"]["most_bytes_per_second"], 8e9);
  EXPECT_EQ(json["memcpy"]["most_bytes_per_second"], 1e10);
  EXPECT_EQ(json["memcpy"]["cpu_seconds_per_gb"], 0.125);
  EXPECT_EQ(json["ratio"], 0.75);
}

// Not ignored: without servers nothing is sampled.
TEST(BenchCommandTest, StreamsOptionsThatNeedServersAndDoNot) {
  for (const std::string option :
       {"--num-neighbors 2", "--batch-size 2", "--threads 2", "--batches 0:1",
        "--replace"}) {
    EXPECT_THROW((void)Bench("stream " + option), CLI::RequiresError) << option;
  }
  EXPECT_THROW((void)Bench("stream --servers a:1 --streams 2"),
               CLI::ExcludesError);
}

TEST(BenchCommandTest, ChannelTakesNoOtherOptions) {
  for (const std::string option :
       {"--streams 2", "--servers a:1", "--graph g", "--batch-size 2", "shm"}) {
    EXPECT_THROW((void)Bench("channel " + option), CLI::ExtrasError) << option;
  }
}

TEST(BenchCommandTest, WrongValuesAreUsageErrors) {
  for (const std::string line :
       {"sample --scale 33", "sample --edges 0", "sample --seconds -1",
        "sample --threads 0", "sample --num-neighbors x",
        "gather --feat-dim -1", "stream --streams 0", "stream --streams 17",
        "stream --seconds 0", "stream --servers a:1 --buffer-size much",
        "far-end tar 1", "far-end raw 0", "channel --seconds 0",
        "channel --seconds x", "filling-end 2", "filling-end 65535"}) {
    EXPECT_EQ(ExitCodeOf(Bench(line)), kExitUsage) << line;
  }
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) {
  // As MeasureTransfer and MeasuredChannel start it: what follows `bench`.
  if (argc > 1 && std::string(argv[1]) == "bench") {
    std::string line;
    for (int i = 2; i < argc; ++i) line += std::string(argv[i]) + " ";
    return tributary::ExitCodeOf(tributary::Bench(line));
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
