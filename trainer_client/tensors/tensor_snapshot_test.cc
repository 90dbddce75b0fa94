#include "trainer_client/tensors/tensor_snapshot.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/io/file_mapping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "trainer_client/tensors/dist_tensor.h"
#include "trainer_client/tensors/testing/tensor_world.h"

namespace tributary {
namespace {

using testing::HasSubstr;

// The tensors of a run: an embedding with Adam, and a table of numbers.
struct TrainingRun {
  std::unique_ptr<DistContext> context;
  std::unique_ptr<DistTensor> emb;
  std::unique_ptr<DistTensor> table;
};

DistTensorOptions EmbOptions() {
  DistTensorOptions emb;
  emb.name = "emb";
  emb.num_rows = 1000;
  emb.dim = 6;
  emb.initial.kind = InitialValues::Kind::kUniform;
  emb.initial.low = -0.1;
  emb.initial.high = 0.1;
  emb.initial.random_seed = 5;
  return emb;
}

TrainingRun Begin(TensorWorld& world, uint64_t attempt,
                  const std::string& snapshot) {
  TrainingRun run;
  auto context = world.Open(attempt);
  EXPECT_TRUE(context.ok()) << context.status();
  run.context = *std::move(context);
  if (!snapshot.empty()) {
    const absl::Status restored = run.context->RestoreFrom(snapshot);
    EXPECT_TRUE(restored.ok()) << restored;
  }
  auto tensor = DistTensor::Create(*run.context, EmbOptions());
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  run.emb = *std::move(tensor);
  EXPECT_TRUE(run.emb->AttachOptimizer(SparseOptimizerKind::kAdam).ok());
  DistTensorOptions table;
  table.name = "table";
  table.num_rows = 5000;
  table.dtype = DType::kInt16;
  tensor = DistTensor::Create(*run.context, table);
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  run.table = *std::move(tensor);
  return run;
}

// Rounds from..to, and one number written in each.
void Train(TrainingRun& run, int from, int to) {
  for (int round = from; round <= to; ++round) {
    std::vector<int64_t> rows;
    std::vector<float> gradients;
    for (int64_t row = round; row < 1000; row += 37) {
      rows.push_back(row);
      for (int c = 0; c < 6; ++c) {
        gradients.push_back(0.01f * static_cast<float>((row + c) % 11 - 5));
      }
    }
    ASSERT_TRUE(
        run.context->rounds().Push(*run.emb, 0, rows, gradients, {}).ok());
    ASSERT_TRUE(run.context->rounds().Close().ok());
    ASSERT_TRUE(
        run.table
            ->Set({round * 64}, BytesOf<int16_t>({static_cast<int16_t>(round)}))
            .ok());
  }
}

std::vector<float> All(TrainingRun& run) {
  auto values = ReadAs<float>(*run.emb, FirstRows(1000));
  for (const int16_t number : ReadAs<int16_t>(*run.table, FirstRows(5000))) {
    values.push_back(number);
  }
  return values;
}

void Save(TrainingRun& run, const std::string& folder) {
  std::filesystem::create_directory(folder);
  const absl::Status saved = WriteTensorSnapshot(
      *run.context,
      [&](const std::string& name) -> absl::StatusOr<std::string> {
        return absl::StrCat(folder, "/", name);
      });
  ASSERT_TRUE(saved.ok()) << saved;
}

std::map<std::string, std::string> FilesOf(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    files[file.path().filename()] =
        ReadFile(file.path(), size_t{1} << 26).value();
  }
  return files;
}

class TensorSnapshotTest : public testing::Test {
 protected:
  // Trains 6 rounds on so many servers, saves, trains 6 more; returns the
  // values at the end.
  std::vector<float> SaveHalfWay(int servers, const std::string& folder) {
    TensorWorld world({.num_servers = servers});
    TrainingRun run = Begin(world, 1, "");
    Train(run, 1, 6);
    Save(run, folder);
    Train(run, 7, 12);
    return All(run);
  }
  std::vector<float> GoOn(int servers, const std::string& folder) {
    TensorWorld world({.num_servers = servers});
    TrainingRun run = Begin(world, 1, folder);
    EXPECT_EQ(run.context->rounds().closed(), 6);
    Train(run, 7, 12);
    return All(run);
  }
  // Returns the error of beginning from the folder.
  std::string ErrorOf(const std::string& folder) {
    TensorWorld world({});
    auto context = world.Open(1);
    if (!context.ok()) return "no context";
    absl::Status status = (*context)->RestoreFrom(folder);
    if (status.ok()) {
      status = DistTensor::Create(**context, EmbOptions()).status();
    }
    return status.ToString();
  }
  void Write(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }

  TemporaryFolder folder_;
};

TEST_F(TensorSnapshotTest, GoesOnAsIfNothingHadHappenedOnAnyServers) {
  const auto end = SaveHalfWay(3, folder_.File("three"));
  EXPECT_EQ(GoOn(1, folder_.File("three")), end);
  EXPECT_EQ(GoOn(2, folder_.File("three")), end);
  // The files do not tell on how many servers the rows were.
  EXPECT_EQ(SaveHalfWay(1, folder_.File("one")), end);
  const auto files = FilesOf(folder_.File("three"));
  EXPECT_EQ(files.size(), 8);
  EXPECT_EQ(FilesOf(folder_.File("one")), files);
}

TEST_F(TensorSnapshotTest, ReplacesWhatTheServersHold) {
  TensorWorld world({.num_servers = 2});
  std::vector<float> at_save;
  {
    TrainingRun run = Begin(world, 1, "");
    Train(run, 1, 4);
    Save(run, folder_.File("s"));
    at_save = All(run);
    Train(run, 5, 9);
  }
  TrainingRun again = Begin(world, 2, folder_.File("s"));
  EXPECT_EQ(All(again), at_save);
}

// Rows of 776 bytes with Adam's state: more than a page of a server (4 MiB), a
// piece of a file (1 MiB) and an import (16 MiB).
class LargeSnapshotTest : public TensorSnapshotTest {
 protected:
  static constexpr int64_t kRows = 23000, kDim = 64;

  TrainingRun BeginLarge(TensorWorld& world, uint64_t attempt,
                         const std::string& snapshot) {
    TrainingRun run;
    run.context = *world.Open(attempt);
    if (!snapshot.empty()) {
      const absl::Status restored = run.context->RestoreFrom(snapshot);
      EXPECT_TRUE(restored.ok()) << restored;
    }
    DistTensorOptions wide;
    wide.name = "wide";
    wide.num_rows = kRows;
    wide.dim = kDim;
    auto tensor = DistTensor::Create(*run.context, wide);
    EXPECT_TRUE(tensor.ok()) << tensor.status();
    run.emb = *std::move(tensor);
    EXPECT_TRUE(run.emb->AttachOptimizer(SparseOptimizerKind::kAdam).ok());
    return run;
  }
  void Step(TrainingRun& run, float salt) {
    std::vector<float> gradients(kRows * kDim);
    for (size_t i = 0; i < gradients.size(); ++i) {
      gradients[i] = salt * static_cast<float>(i % 1013) - 3;
    }
    ASSERT_TRUE(run.context->rounds()
                    .Push(*run.emb, 0, FirstRows(kRows), gradients, {})
                    .ok());
    ASSERT_TRUE(run.context->rounds().Close().ok());
  }
};

TEST_F(LargeSnapshotTest, EachRowAndItsStateComeBack) {
  std::vector<float> at_save, end;
  {
    TensorWorld world({.num_servers = 2});
    TrainingRun run = BeginLarge(world, 1, "");
    std::vector<float> values(kRows * kDim);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(i);
    }
    ASSERT_TRUE(run.emb->Set(FirstRows(kRows), BytesOf(values)).ok());
    EXPECT_EQ(ReadAs<float>(*run.emb, FirstRows(kRows)), values);
    Step(run, 0.5f);
    Save(run, folder_.File("s"));
    at_save = ReadAs<float>(*run.emb, FirstRows(kRows));
    Step(run, 0.25f);
    end = ReadAs<float>(*run.emb, FirstRows(kRows));
  }
  const std::string file =
      ReadFile(folder_.File("s/tensor-0-values.npy"), size_t{1} << 26).value();
  ASSERT_GT(file.size(), at_save.size() * sizeof(float));
  EXPECT_EQ(
      std::memcmp(file.data() + file.size() - at_save.size() * sizeof(float),
                  at_save.data(), at_save.size() * sizeof(float)),
      0);
  TensorWorld world({.num_servers = 3});
  TrainingRun again = BeginLarge(world, 1, folder_.File("s"));
  EXPECT_EQ(ReadAs<float>(*again.emb, FirstRows(kRows)), at_save);
  Step(again, 0.25f);
  EXPECT_EQ(ReadAs<float>(*again.emb, FirstRows(kRows)), end);
}

TEST_F(TensorSnapshotTest, RefusesDamage) {
  SaveHalfWay(2, folder_.File("s"));
  const std::string values = folder_.File("s/tensor-0-values.npy");
  const std::string list = folder_.File("s/tensors.json");
  const std::string good = ReadFile(values, 1 << 26).value();
  const std::string json = ReadFile(list, 1 << 26).value();
  EXPECT_EQ(ErrorOf(folder_.File("s")), "OK");

  std::string bad = good;
  bad[good.size() / 2] ^= 1;
  Write(values, bad);
  EXPECT_THAT(ErrorOf(folder_.File("s")),
              testing::AllOf(HasSubstr("DATA_LOSS"), HasSubstr(values)));
  Write(values, good.substr(0, good.size() - 1));
  EXPECT_THAT(ErrorOf(folder_.File("s")), HasSubstr("bytes instead of"));
  std::filesystem::remove(values);
  EXPECT_THAT(ErrorOf(folder_.File("s")), HasSubstr("NOT_FOUND"));
  Write(values, good);

  const std::vector<std::pair<std::string, std::string>> changes = {
      {"\"format\": 1", "\"format\": 2"},
      {"\"dim\": 6", "\"dim\": 60"},
      {"\"dim\": 6", "\"dim\": -6"},
      {"\"dtype\": \"float32\"", "\"dtype\": \"float31\""},
      {"\"optimizer\": \"adam\"", "\"optimizer\": \"sgd\""},
      {"\"name\": \"emb\"", "\"name\": \"table\""},
      {"tensor-0-values.npy", "../tensor-0-values.npy"},
      {"\"num_rows\": 1000", "\"num_rows\": 1"},
      {"\"tensors\"", "\"tensers\""},
  };
  for (const auto& [from, to] : changes) {
    const std::string changed = absl::StrReplaceAll(json, {{from, to}});
    ASSERT_NE(changed, json) << from;
    Write(list, changed);
    EXPECT_THAT(ErrorOf(folder_.File("s")), HasSubstr("DATA_LOSS")) << to;
  }
  Write(list, absl::StrReplaceAll(
                  json, {{"\"random_seed\": 5", "\"random_seed\": 6"}}));
  EXPECT_THAT(ErrorOf(folder_.File("s")), HasSubstr("ALREADY_EXISTS"));
  Write(list, "{");
  EXPECT_THAT(ErrorOf(folder_.File("s")), HasSubstr("DATA_LOSS"));
  std::filesystem::remove(list);
  EXPECT_THAT(ErrorOf(folder_.File("s")), HasSubstr("NOT_FOUND"));
}

}  // namespace
}  // namespace tributary
