#include "partition/pipeline/run/partition_run.h"

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "common/io/unique_fd.h"
#include "common/runtime/fault_point.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/check/verify.h"
#include "partition/pipeline/run/work_folder.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> FilesOf(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files[fs::relative(entry.path(), folder)] = {
        std::istreambuf_iterator<char>(in), {}};
  }
  return files;
}

PartitionRun RunOf(const std::string& graph, const std::string& out) {
  PartitionRun run;
  run.input.folder = "tests/data/" + graph;
  run.input.add_reverse = graph == "aifb";
  run.partition.num_partitions = 3;
  run.write = {.made_by = "test",
               .flush = false,
               .neighbor_ids = true,
               .degrees = true,
               .edge_index = true};
  run.out = out;
  run.threads = 2;
  return run;
}

TEST(PartitionRunTest, WritesWhatIsWrittenFromMemory) {
  for (const std::string graph : {"cora", "aifb"}) {
    SCOPED_TRACE(graph);
    const TemporaryFolder folder;
    const PartitionRun run = RunOf(graph, folder.File("streamed"));
    const auto schema = RunPartition(run);
    ASSERT_TRUE(schema.ok()) << schema.status();
    const auto input = ReadInput(run.input);
    ASSERT_TRUE(input.ok()) << input.status();
    auto plan = PlanNodes(input->content, run.partition);
    ASSERT_TRUE(plan.ok()) << plan.status();
    const auto written = WriteGraph(input->content, *std::move(plan),
                                    folder.File("in_memory"), run.write);
    ASSERT_TRUE(written.ok()) << written.status();
    EXPECT_TRUE(FilesOf(folder.File("streamed")) ==
                FilesOf(folder.File("in_memory")));
    EXPECT_FALSE(fs::exists(run.out + ".partial"));
  }
}

std::string NotesOf(PartitionRun run) {
  std::string notes;
  run.note = [&](std::string_view note) { notes.append(note).append("\n"); };
  const auto schema = RunPartition(run);
  EXPECT_TRUE(schema.ok()) << schema.status();
  return notes;
}

void WriteText(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

TEST(PartitionRunTest, NamesTheNodeTypesWithoutFeatures) {
  const TemporaryFolder folder;
  EXPECT_EQ(NotesOf(RunOf("cora", folder.File("cora"))), "");
  EXPECT_EQ(NotesOf(RunOf("aifb", folder.File("aifb"))),
            "no node has features\n");
  WriteText(folder.File("graph.json"), R"({
      "nodes": {"author": {"count": 2}, "paper": {"table": "papers.csv",
                "id": "id", "features": ["x"]}, "venue": {"count": 1}},
      "edges": {"author,writes,paper": {"table": "writes.csv"},
                "paper,in,venue": {"table": "in.csv"}}, "ids": "dense"})");
  WriteText(folder.File("papers.csv"), "id,x\n0,0.5\n1,1.5\n");
  WriteText(folder.File("writes.csv"), "0,1\n1,0\n");
  WriteText(folder.File("in.csv"), "0,0\n");
  PartitionRun run = RunOf("", folder.File("some"));
  run.input.folder = "";
  run.input.format = "edge-list";
  run.input.layout.config = folder.File("graph.json");
  EXPECT_EQ(NotesOf(run), "node types without features: author, venue\n");
}

TEST(PartitionRunTest, GoesOnWhereItWasKilled) {
  const TemporaryFolder folder;
  ASSERT_TRUE(RunPartition(RunOf("cora", folder.File("whole"))).ok());
  for (const char* point : {"streaming.spill", "streaming.append"}) {
    const PartitionRun run = RunOf("cora", folder.File(point));
    {
      const ScopedFault fault(
          point, [] { return absl::ResourceExhaustedError("disk full"); });
      const auto failed = RunPartition(run);
      EXPECT_EQ(failed.status().code(), absl::StatusCode::kResourceExhausted);
    }
    EXPECT_FALSE(fs::exists(run.out));
    ASSERT_TRUE(fs::exists(run.out + ".partial"));
    std::string notes;
    PartitionRun again = run;
    again.note = [&](std::string_view note) { notes += note; };
    ASSERT_TRUE(RunPartition(again).ok());
    EXPECT_NE(notes.find("goes on"), std::string::npos) << notes;
    EXPECT_TRUE(FilesOf(run.out) == FilesOf(folder.File("whole")));
    EXPECT_FALSE(fs::exists(run.out + ".partial"));
  }
}

TEST(PartitionRunTest, AnErrorOfTheInputLeavesNothing) {
  const TemporaryFolder folder;
  PartitionRun run = RunOf("cora", folder.File("graph"));
  run.input.edge_weight = "no_such_file";
  EXPECT_EQ(RunPartition(run).status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(WorkFolderTest, AnotherRunsWorkIsRemoved) {
  const TemporaryFolder folder;
  const std::string path = folder.File("work");
  {
    const auto first = WorkFolder::Open(path, "one");
    ASSERT_TRUE(first.ok()) << first.status();
    EXPECT_FALSE(first->continues());
    EXPECT_EQ(WorkFolder::Open(path, "one").status().code(),
              absl::StatusCode::kAborted);
    std::ofstream(path + "/kept") << "x";
  }
  {
    const auto second = WorkFolder::Open(path, "one");
    ASSERT_TRUE(second.ok()) << second.status();
    EXPECT_TRUE(second->continues());
    EXPECT_TRUE(fs::exists(path + "/kept"));
  }
  const auto other = WorkFolder::Open(path, "two");
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_FALSE(other->continues());
  EXPECT_FALSE(fs::exists(path + "/kept"));
}

TEST(IdentityOfFilesTest, FollowsLinksToFolders) {
  const TemporaryFolder folder, elsewhere;
  std::ofstream(elsewhere.File("edge.csv")) << "1,2";
  fs::create_directory_symlink(elsewhere.path(), folder.File("raw"));
  // A link that leads back is followed once.
  fs::create_directory_symlink(folder.path(), folder.File("self"));
  const std::string before = IdentityOfFiles({folder.path()});
  EXPECT_NE(before.find("/raw/edge.csv 3 "), std::string::npos) << before;
  EXPECT_EQ(before, IdentityOfFiles({folder.path()}));
  std::ofstream(elsewhere.File("edge.csv")) << "1,2,3";
  EXPECT_NE(before, IdentityOfFiles({folder.path()}));
}

// A run that is killed while it removes its work must not leave a part of it
// that the same command would take for whole.
TEST(WorkFolder, WhatSaysWhoseWorkItIsGoesFirst) {
  const std::string path = testing::TempDir() + "/identity_goes_first";
  absl::StatusOr<WorkFolder> work = WorkFolder::Open(path, "a run");
  ASSERT_TRUE(work.ok()) << work.status();
  for (const char* name : {"/a", "/plan.txt", "/z"}) {
    std::ofstream(path + name) << "work";
  }
  UniqueFd events(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  ASSERT_TRUE(events.valid());
  ASSERT_GE(inotify_add_watch(events.get(), path.c_str(), IN_DELETE), 0);
  ASSERT_TRUE(work->Remove().ok());
  EXPECT_FALSE(fs::exists(path));
  alignas(inotify_event) char bytes[4096];
  ASSERT_GT(read(events.get(), bytes, sizeof bytes), 0);
  const auto* first = reinterpret_cast<const inotify_event*>(bytes);
  EXPECT_STREQ(first->name, "run.identity");
}

}  // namespace
}  // namespace tributary
