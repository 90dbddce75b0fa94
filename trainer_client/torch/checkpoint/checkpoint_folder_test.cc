#include "trainer_client/torch/checkpoint/checkpoint_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "trainer_client/torch/checkpoint/checkpoint_writer.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;
using Code = absl::StatusCode;

class CheckpointFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = absl::StrCat(testing::TempDir(), "/checkpoint_folder");
    fs::remove_all(root_);
  }

  // Writes a checkpoint with two files and returns its folder.
  std::string Write(uint64_t step) {
    auto writer = CheckpointWriter::Create(root_, step);
    EXPECT_TRUE(writer.ok()) << writer.status();
    if (!writer.ok()) return "";
    std::ofstream(*writer->PathFor("model")) << "model " << step;
    std::ofstream(*writer->PathFor("empty"));
    const absl::Status status = writer->Commit({.options = "x"}, /*keep=*/9);
    EXPECT_TRUE(status.ok()) << status;
    return writer->path();
  }
  CheckpointSearch Find(const std::string& path) {
    auto search = FindCheckpoint(path);
    EXPECT_TRUE(search.ok()) << search.status();
    return search.ok() ? *search : CheckpointSearch{};
  }

  std::string root_;
};

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void ExpectError(const absl::Status& status, Code code,
                 const std::string& text) {
  EXPECT_EQ(status.code(), code) << status;
  EXPECT_NE(std::string(status.message()).find(text), std::string::npos)
      << text << "\n"
      << status;
}

TEST_F(CheckpointFolderTest, Names) {
  EXPECT_EQ(CheckpointFolderName(1200), "step-000000001200");
  EXPECT_EQ(CheckpointFolderName(1234567890123), "step-1234567890123");
  EXPECT_EQ(StepOfCheckpointFolder("step-000000001200"), 1200);
  EXPECT_EQ(StepOfCheckpointFolder("step-1234567890123"), 1234567890123);
  for (const char* name :
       {"step-1200", "step-0000000001200", "step-", "step-00000000120x",
        "000000001200", ".tmp-step-1"}) {
    EXPECT_EQ(StepOfCheckpointFolder(name), std::nullopt) << name;
  }
}

TEST_F(CheckpointFolderTest, FindsTheNewest) {
  Write(5);
  Write(900'000'000'000);
  const std::string newest = Write(1'000'000'000'000);  // sorts before by name
  std::ofstream(root_ + "/notes.txt") << "x";
  fs::create_directory(root_ + "/tensorboard");
  const CheckpointSearch search = Find(root_ + "/");
  ASSERT_TRUE(search.found.has_value());
  EXPECT_EQ(search.found->path, newest);
  EXPECT_EQ(search.found->manifest.step, 1'000'000'000'000);
  EXPECT_EQ(search.found->manifest.options, "x");
  EXPECT_EQ(Content(search.found->PathOf("model")), "model 1000000000000");
  EXPECT_TRUE(search.refused.empty());
}

TEST_F(CheckpointFolderTest, OneCheckpointsFolderMayBeNamedToo) {
  const std::string older = Write(5);
  Write(6);
  EXPECT_EQ(Find(older + "//").found->manifest.step, 5);
  fs::copy(older, root_ + "/best", fs::copy_options::recursive);
  EXPECT_EQ(Find(root_ + "/best").found->manifest.step, 5);
  fs::remove(older + "/model");
  ExpectError(FindCheckpoint(older).status(), Code::kDataLoss,
              older + "/model: damaged: the file is missing");
}

TEST_F(CheckpointFolderTest, NothingToFind) {
  ExpectError(FindCheckpoint(root_).status(), Code::kNotFound, root_);
  fs::create_directory(root_);
  const CheckpointSearch search = Find(root_);
  EXPECT_FALSE(search.found || !search.refused.empty());
  std::ofstream(root_ + "/file") << "x";
  EXPECT_FALSE(FindCheckpoint(root_ + "/file").ok());
}

// Each newer checkpoint is refused for another reason; all are listed.
TEST_F(CheckpointFolderTest, ListsWhatItRefuses) {
  Write(1);
  std::ofstream(Write(3) + "/model", std::ios::app) << "x";
  std::ofstream(Write(4) + "/model") << "MODEL 4";
  fs::remove(Write(5) + "/checkpoint.json");
  std::ofstream(Write(6) + "/checkpoint.json") << "{\"torch\": 1}";
  fs::rename(Write(7), root_ + "/" + CheckpointFolderName(8));
  fs::create_directory(root_ + "/.tmp-step-000000000009");
  fs::create_directory(root_ + "/.tmp-step-000000000001-removed");

  const CheckpointSearch search = Find(root_);
  ASSERT_TRUE(search.found.has_value());
  EXPECT_EQ(search.found->manifest.step, 1);
  const struct {
    std::string name;
    Code code;
    std::string text;
  } expected[] = {
      {".tmp-step-000000000009", Code::kNotFound, "half-written: "},
      {"step-000000000008", Code::kInvalidArgument,
       "foreign: it holds the checkpoint of step 7"},
      {"step-000000000006", Code::kInvalidArgument,
       "/checkpoint.json: foreign: "},
      {"step-000000000005", Code::kNotFound,
       "half-written: there is no checkpoint.json"},
      {"step-000000000004", Code::kDataLoss, "/model: damaged: its SHA-256 is"},
      {"step-000000000003", Code::kDataLoss,
       "/model: damaged: it has 8 bytes; the manifest says 7"},
  };
  ASSERT_EQ(search.refused.size(), std::size(expected) + 1);
  EXPECT_EQ(search.refused.back().path,
            root_ + "/.tmp-step-000000000001-removed");
  for (size_t i = 0; i < std::size(expected); ++i) {
    const std::string path = root_ + "/" + expected[i].name;
    EXPECT_EQ(search.refused[i].path, path);
    ExpectError(search.refused[i].why, expected[i].code, path);
    ExpectError(search.refused[i].why, expected[i].code, expected[i].text);
  }
}

// checkpoint_manifest_test flips every bit of a manifest; here are some.
TEST_F(CheckpointFolderTest, AnyDamageIsFound) {
  Write(1);
  const std::string newer = Write(2);
  for (const char* name : {"model", "empty", kManifestName}) {
    const std::string path = newer + "/" + name;
    const std::string whole = Content(path);
    const auto expect_refused = [&](const std::string& content) {
      std::ofstream(path, std::ios::binary) << content;
      const CheckpointSearch search = Find(root_);
      ASSERT_EQ(search.found->manifest.step, 1) << name;
      ASSERT_EQ(search.refused.size(), 1);
      ExpectError(search.refused[0].why, search.refused[0].why.code(), path);
    };
    const size_t stride = 1 + whole.size() / 50;
    for (size_t at = 0; at < whole.size(); at += stride) {
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
      expect_refused(flipped);
      expect_refused(whole.substr(0, at));
    }
    expect_refused(whole + '\0');
    fs::remove(path);
    EXPECT_EQ(Find(root_).found->manifest.step, 1);
    std::ofstream(path, std::ios::binary) << whole;
    EXPECT_EQ(Find(root_).found->manifest.step, 2);
  }
}

}  // namespace
}  // namespace tributary
