#include "cli/fetch/fetch_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/hash/crc32c.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Objects in memory. Each `fail_every`-th read fails for the moment, having
// spoilt what it was to fill.
class MemoryStore final : public ObjectStore {
 public:
  std::map<std::string, std::string> objects;
  int fail_every = 0;
  std::atomic<int> reads{0};
  std::atomic<uint64_t> bytes{0};

  std::string NameOf(const std::string& path) const override {
    return "memory/" + path;
  }
  absl::StatusOr<ObjectInfo> Stat(const std::string& path) override {
    const auto found = objects.find(path);
    if (found == objects.end()) return absl::NotFoundError(NameOf(path));
    return ObjectInfo{found->second.size(), ""};
  }
  absl::Status Read(const std::string& path, uint64_t, uint64_t offset,
                    absl::Span<uint8_t> to) override {
    std::fill(to.begin(), to.end(), uint8_t{0xee});
    const int number = ++reads;
    if (fail_every > 0 && number % fail_every == 0) {
      return absl::UnavailableError("not now");
    }
    const auto found = objects.find(path);
    if (found == objects.end()) return absl::NotFoundError(NameOf(path));
    const std::string part = found->second.substr(offset, to.size());
    std::copy(part.begin(), part.end(), to.begin());
    bytes += part.size();
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<ListedObject>> List(const std::string&) override {
    return absl::UnimplementedError("not listed");
  }
  absl::StatusOr<std::unique_ptr<ObjectWriter>> Create(
      const std::string&, const std::string&) override {
    return absl::UnimplementedError("not written");
  }
};

std::string Content(size_t bytes) {
  std::string content(bytes, '\0');
  for (size_t i = 0; i < bytes; ++i) content[i] = static_cast<char>(i * 31 / 7);
  return content;
}

uint32_t CrcOf(const std::string& text) {
  return Crc32c(absl::MakeConstSpan(
      reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

class FetchFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = absl::StrCat(testing::TempDir(), "/fetch_files-", getpid());
    fs::create_directory(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void Add(const std::string& path, size_t bytes) {
    store_.objects[path] = Content(bytes);
    files_.push_back({path, bytes, CrcOf(store_.objects[path])});
  }
  StagedFolder Open() {
    return *StagedFolder::Open(root_ + "/graph", {"graph.json", "{}"});
  }
  absl::Status Fetch(const StagedFolder& folder) {
    TryAgain again(absl::Seconds(30),
                   {absl::Milliseconds(1), absl::Milliseconds(2)});
    TransferProgress progress("test", "fetched", 1);
    return FetchFiles(files_, {.jobs = 8, .chunk = 64}, store_, again, folder,
                      progress);
  }
  std::string Read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  void ExpectAll(const StagedFolder& folder) {
    for (const auto& [path, content] : store_.objects) {
      EXPECT_EQ(Read(folder.PathOf(path)), content) << path;
    }
  }

  std::string root_;
  MemoryStore store_;
  std::vector<PlannedFile> files_;
};

TEST_F(FetchFilesTest, ChunksOfManyFilesWithFailures) {
  for (size_t bytes : {0, 1, 63, 64, 65, 128, 1000, 20000}) {
    Add(absl::StrCat("part-0/", bytes), bytes);
  }
  store_.fail_every = 3;
  const StagedFolder folder = Open();
  ASSERT_EQ(Fetch(folder), absl::OkStatus());
  ExpectAll(folder);
  // Everything is there: nothing is read again.
  const int reads = store_.reads;
  ASSERT_EQ(Fetch(folder), absl::OkStatus());
  EXPECT_EQ(store_.reads, reads);
}

TEST_F(FetchFilesTest, GoesOnBehindTheFirstBytes) {
  Add("x", 1000);
  const StagedFolder folder = Open();
  std::ofstream(folder.PartOf("x"), std::ios::binary)
      << store_.objects["x"].substr(0, 700);
  ASSERT_EQ(Fetch(folder), absl::OkStatus());
  ExpectAll(folder);
  EXPECT_EQ(store_.bytes, 300);
}

TEST_F(FetchFilesTest, FetchesWhatAnEarlierRunHasSpoiltAgain) {
  Add("x", 1000);
  Add("y", 500);
  const StagedFolder folder = Open();
  std::ofstream(folder.PartOf("x"), std::ios::binary) << "spoilt";
  std::ofstream(folder.PartOf("y"), std::ios::binary) << Content(600);
  ASSERT_EQ(Fetch(folder), absl::OkStatus());
  ExpectAll(folder);
}

TEST_F(FetchFilesTest, NamesWhatIsDamagedCutOrMissing) {
  Add("x", 1000);
  Add("y", 1000);
  const std::string whole = store_.objects["y"];
  const StagedFolder folder = Open();
  store_.objects["y"][999] ^= 1;
  absl::Status status = Fetch(folder);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("memory/y is damaged: its checksum is"));
  store_.objects["y"] = whole.substr(0, 990);
  EXPECT_THAT(std::string(Fetch(folder).message()),
              HasSubstr("memory/y has 990 bytes where 1000 are expected"));
  store_.objects.erase("y");
  EXPECT_EQ(Fetch(folder).code(), absl::StatusCode::kNotFound);
  // Once the store is mended, the next run succeeds.
  store_.objects["y"] = whole;
  ASSERT_EQ(Fetch(folder), absl::OkStatus());
  ExpectAll(folder);
}

}  // namespace
}  // namespace tributary
