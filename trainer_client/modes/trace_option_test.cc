#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/trace/testing/made_timelines.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "trainer_client/modes/sampling_workers.h"

namespace tributary {
namespace {

using testing::HasSubstr;

class TraceOptionTest : public testing::Test {
 protected:
  TraceOptionTest() : path_(testing::TempDir() + "/trace.jsonl") {
    std::filesystem::remove(path_);
  }
  std::string Text() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

  const std::string path_;
};

TEST_F(TraceOptionTest, EachBatchIsALineOfTheFile) {
  const auto workers = SamplingWorkers::OpenText(absl::StrCat(
      R"({"mode": "remote", "servers": "127.0.0.1:1", "trace_file": ")", path_,
      R"("})"));
  ASSERT_TRUE(workers.ok()) << workers.status();
  const TracedObserver on_traced = (*workers)->environment().on_traced;
  on_traced(MadeOfColdDisk());
  on_traced(MadeOfBusyTrainer());
  const std::string text = Text();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_THAT(text, HasSubstr("{\"resourceSpans\":"));
  EXPECT_THAT(text, HasSubstr("in gather_disk on 10.0.0.1:50051"));
}

TEST_F(TraceOptionTest, FileAndObserverAreBothShownABatch) {
  int shown = 0;
  BatchSourceOptions source;
  source.worker.servers = "127.0.0.1:1";
  source.on_traced = [&shown](const BatchTimeline&) { ++shown; };
  auto workers = SamplingWorkers::OpenSource(source);
  ASSERT_TRUE(workers.ok()) << workers.status();
  (*workers)->environment().on_traced(MadeTimeline());
  EXPECT_EQ(shown, 1);
  source.worker.trace_file = path_;
  workers = SamplingWorkers::OpenSource(source);
  ASSERT_TRUE(workers.ok()) << workers.status();
  (*workers)->environment().on_traced(MadeTimeline());
  EXPECT_EQ(shown, 2);
  EXPECT_THAT(Text(), HasSubstr("resourceSpans"));
}

TEST_F(TraceOptionTest, AnOptionsFileMayLeaveItToTheFlag) {
  const std::string options = testing::TempDir() + "/options.json";
  std::ofstream(options) << R"({"mode": "remote", "servers": "127.0.0.1:1"})";
  BatchSourceOptions source;
  source.worker_options = options;
  source.worker.trace_file = path_;
  int shown = 0;
  source.on_traced = [&shown](const BatchTimeline&) { ++shown; };
  auto workers = SamplingWorkers::OpenSource(source);
  ASSERT_TRUE(workers.ok()) << workers.status();
  (*workers)->environment().on_traced(MadeTimeline());
  EXPECT_THAT(Text(), HasSubstr("resourceSpans"));
  EXPECT_EQ(shown, 1);

  const std::string own = testing::TempDir() + "/own.jsonl";
  std::ofstream(options) << absl::StrCat(
      R"({"mode": "remote", "servers": "127.0.0.1:1", "trace_file": ")", own,
      R"("})");
  std::filesystem::resize_file(path_, 0);
  workers = SamplingWorkers::OpenSource(source);
  ASSERT_TRUE(workers.ok()) << workers.status();
  (*workers)->environment().on_traced(MadeTimeline());
  EXPECT_EQ(Text(), "");
  EXPECT_GT(std::filesystem::file_size(own), 0);
}

TEST_F(TraceOptionTest, LocalModesHaveItToo) {
  BatchSourceOptions source;
  source.graph = "g";
  source.worker.trace_file = path_;
  EXPECT_EQ(LoaderOptionsOf(ModeOf(source)).trace_file, path_);
  source.num_workers = 2;
  EXPECT_EQ(LoaderOptionsOf(ModeOf(source)).trace_file, path_);
}

TEST_F(TraceOptionTest, WithoutTheOptionNothingIsTraced) {
  const auto workers = SamplingWorkers::OpenText(
      R"({"mode": "remote", "servers": "127.0.0.1:1"})");
  ASSERT_TRUE(workers.ok()) << workers.status();
  EXPECT_FALSE((*workers)->environment().on_traced);
}

TEST_F(TraceOptionTest, AFileThatCannotBeOpenedIsAnError) {
  const auto workers = SamplingWorkers::OpenText(
      R"({"mode": "collocated", "graph": "g", "trace_file": "/no/where/t"})");
  EXPECT_THAT(workers.status().ToString(),
              HasSubstr("trace_file: cannot open /no/where/t"));
}

// Nothing would open the file.
TEST_F(TraceOptionTest, AnEnvironmentOfOnesOwnIsRefused) {
  RemoteDistSamplingWorkerOptions worker;
  worker.servers = "127.0.0.1:1";
  const auto workers = SamplingWorkers::Open(worker);
  ASSERT_TRUE(workers.ok()) << workers.status();
  worker.trace_file = path_;
  worker.rpc_timeout = absl::Milliseconds(200);
  SessionOptions session;
  session.input_split = "train";
  const auto loader =
      DistLoader::Create(session, worker, (*workers)->environment());
  EXPECT_THAT(loader.status().ToString(), HasSubstr("trace_file is set"));
}

}  // namespace
}  // namespace tributary
