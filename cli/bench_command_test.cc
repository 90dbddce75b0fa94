#include "cli/bench_command.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command.h"
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
  for (const std::string what : {"sample", "gather", "stream"}) {
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

TEST(BenchCommandTest, WrongValuesAreUsageErrors) {
  for (const std::string line :
       {"sample --scale 33", "sample --edges 0", "sample --seconds -1",
        "sample --threads 0", "sample --num-neighbors x",
        "gather --feat-dim -1", "stream --buffer-size much",
        "stream --graph a --servers 127.0.0.1:1"}) {
    EXPECT_EQ(ExitCodeOf(Bench(line)), kExitUsage) << line;
  }
}

}  // namespace
}  // namespace tributary
