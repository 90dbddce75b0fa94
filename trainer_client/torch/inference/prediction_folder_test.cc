#include "trainer_client/torch/inference/prediction_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

std::string Path(const std::string& name) {
  return absl::StrCat(std::getenv("TEST_TMPDIR"), "/", name);
}

void Write(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

const PredictionIdentity kIdentity = {{"graph", "g@1"}, {"model", "abc"}};

TEST(PredictionFolderTest, GoesOnAfterTheLayersThatAreDone) {
  const std::string path = Path("on");
  {
    auto folder = PredictionFolder::Open(path, kIdentity);
    ASSERT_TRUE(folder.ok()) << folder.status();
    EXPECT_EQ(folder->layers_done(), 0);
    Write(LayerPath(path, 1, "node"), "rows");
    ASSERT_TRUE(folder->LayerDone(1).ok());
  }
  EXPECT_TRUE(PredictionFolder::CheckUnused(path).ok());
  auto again = PredictionFolder::Open(path, kIdentity);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->layers_done(), 1);
  EXPECT_TRUE(fs::exists(path + "/layers/1.node.npy"));
}

TEST(PredictionFolderTest, TheResultAppearsAtItsEnd) {
  const std::string path = Path("end");
  auto folder = PredictionFolder::Open(path, kIdentity);
  ASSERT_TRUE(folder.ok()) << folder.status();
  for (const char* name : {"ids.npy", "predictions.npy"}) {
    Write(PartPath(path, name), name);
    EXPECT_FALSE(fs::exists(absl::StrCat(path, "/", name)));
  }
  Write(LayerPath(path, 1, "node"), "rows");
  ASSERT_TRUE(folder->Finish({"ids.npy", "predictions.npy"}).ok());
  EXPECT_TRUE(fs::exists(path + "/ids.npy"));
  EXPECT_TRUE(fs::exists(path + "/predictions.npy"));
  EXPECT_FALSE(fs::exists(path + "/layers"));
  for (const absl::Status& status :
       {PredictionFolder::CheckUnused(path),
        PredictionFolder::Open(path, kIdentity).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_NE(status.ToString().find("holds complete predictions"),
              std::string::npos);
  }
}

TEST(PredictionFolderTest, AnotherIdentityIsNamedWithBothValues) {
  const std::string path = Path("other");
  ASSERT_TRUE(PredictionFolder::Open(path, kIdentity).ok());
  const auto other =
      PredictionFolder::Open(path, {{"graph", "g@1"}, {"model", "xyz"}});
  EXPECT_EQ(other.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(other.status().ToString().find(
                "another model, \"abc\", this run's is \"xyz\""),
            std::string::npos)
      << other.status();
}

TEST(PredictionFolderTest, FilesOfOthersAreNotReplaced) {
  const std::string path = Path("foreign");
  fs::create_directory(path);
  EXPECT_TRUE(PredictionFolder::CheckUnused(path).ok());
  Write(path + "/embeddings.npy", "mine");
  EXPECT_EQ(PredictionFolder::CheckUnused(path).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(PredictionFolder::Open(path, kIdentity).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(PredictionFolderTest, PathsThatCannotBeAFolderAreNamed) {
  EXPECT_EQ(PredictionFolder::CheckUnused(Path("none/below")).code(),
            absl::StatusCode::kNotFound);
  Write(Path("file"), "mine");
  EXPECT_EQ(PredictionFolder::CheckUnused(Path("file")).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(PredictionFolder::CheckUnused(Path("new")).ok());
  EXPECT_FALSE(fs::exists(Path("new")));
}

TEST(PredictionFolderTest, ADamagedManifestIsNamed) {
  const std::string path = Path("damaged");
  ASSERT_TRUE(PredictionFolder::Open(path, kIdentity).ok());
  for (const char* text :
       {"", "{", "[]", "{}", "{\"format\": 3}",
        R"({"format": "tributary predictions", "version": 2, "layers_done": 0,
            "complete": false, "identity": {}})",
        R"({"format": "tributary predictions", "version": 1,
            "layers_done": -1, "complete": false, "identity": {}})",
        R"({"format": "tributary predictions", "version": 1,
            "layers_done": 0, "complete": false, "identity": {"a": 1}})"}) {
    Write(path + "/predict.json", text);
    const absl::Status status = PredictionFolder::CheckUnused(path);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << text;
    EXPECT_NE(status.ToString().find("predict.json"), std::string::npos);
  }
}

}  // namespace
}  // namespace tributary
