#include "trainer_client/tensors/initialize.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "trainer_client/tensors/dist_tensor.h"

namespace tributary {
namespace {

using testing::HasSubstr;

// Expects an error with that text.
void ExpectError(const absl::Status& status, absl::StatusCode code,
                 const std::string& text) {
  EXPECT_EQ(status.code(), code) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(text));
}

TEST(InitializeTest, SaysWhatToDoInEachState) {
  TemporaryFolder folder;
  GraphSpec graph;
  graph.num_nodes = 10;
  graph.edges = {{0, 1}};
  WriteGraphTo(graph, folder.File("graph"));
  const auto misuse = absl::StatusCode::kFailedPrecondition;
  const auto wrong = absl::StatusCode::kInvalidArgument;
  DistOptions options;
  options.source.graph = folder.File("graph");
  options.source.num_threads = 1;

  ExpectError(GetContext().status(), misuse, "call Initialize first");
  ExpectError(Finalize(), misuse, "call Initialize first");
  ExpectError(InitWorkerGroup(2, 2, "g"), wrong, "rank 2 of 2");
  DistOptions server = options;
  server.role = DistRole::kServer;
  ExpectError(Initialize(server), wrong, "start `tributary serve`");
  DistOptions missing = options;
  missing.source.graph = folder.File("nothing");
  EXPECT_TRUE(absl::IsNotFound(Initialize(missing)));

  ASSERT_TRUE(InitWorkerGroup(1, 0, "trainers").ok());
  ExpectError(InitWorkerGroup(1, 0, "trainers"), misuse, "before");
  DistOptions twice = options;
  twice.context.group_name = "others";
  ExpectError(Initialize(twice), wrong, "give the place once");
  const absl::Status initialized = Initialize(options);
  ASSERT_TRUE(initialized.ok()) << initialized;
  ExpectError(Initialize(options), misuse, "call Finalize first");
  ExpectError(InitWorkerGroup(1, 0, "g"), misuse, "after Initialize");

  const auto context = GetContext();
  ASSERT_TRUE(context.ok());
  EXPECT_EQ((*context)->options().group_name, "trainers");
  EXPECT_EQ((*context)->schema().num_partitions, 1);
  EXPECT_TRUE((*context)->Barrier("b").ok());
  EXPECT_TRUE(Finalize().ok());
  ExpectError(GetContext().status(), misuse, "call Initialize first");

  NoteProcessGroup();
  ExpectError(Initialize(options), misuse, "after the process group");
}

}  // namespace
}  // namespace tributary
