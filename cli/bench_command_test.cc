#include "cli/bench_command.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command.h"
#include "cli/stream_bench.h"
#include "common/signal_watcher.h"
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
      "stream: 1 at once between two processes over loopback; batches of 64 "
      "MiB,\nframes of 1 MiB, CRC32C made and checked, no sampling. Medians "
      "(least to most)\nof 3 rounds, in turns:\n"
      "  batches    3.00 GB/s (2.00 to 4.00); CPU s/GB: sender 0.50, receiver "
      "2.00\n"
      "  raw TCP    4.00 GB/s (4.00 to 5.00); CPU s/GB: sender 0.25, receiver "
      "0.50\n"
      "  ratio      0.750 of raw TCP\n");
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

TEST(BenchCommandTest, WrongValuesAreUsageErrors) {
  for (const std::string line :
       {"sample --scale 33", "sample --edges 0", "sample --seconds -1",
        "sample --threads 0", "sample --num-neighbors x",
        "gather --feat-dim -1", "stream --streams 0", "stream --streams 17",
        "stream --seconds 0", "stream --servers a:1 --buffer-size much",
        "far-end tar 1", "far-end raw 0"}) {
    EXPECT_EQ(ExitCodeOf(Bench(line)), kExitUsage) << line;
  }
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) {
  if (argc == 5 && std::string(argv[1]) == "bench") {  // far-end WAY STREAMS
    const absl::Status status =
        tributary::Bench(std::string(argv[2]) + " " + argv[3] + " " + argv[4]);
    return tributary::ExitCodeOf(status);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
