#include "cli/fetch/put_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/fetch/transfer_plan.h"
#include "common/runtime/mutex.h"
#include "partition/format/graph_json.h"
#include "partition/format/hot_manifest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/writer/writer.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

// Objects in memory, with their content types. Thread-safe.
class WritableStore final : public ObjectStore {
 public:
  struct Object {
    std::string bytes, content_type;
  };

  std::string NameOf(const std::string& path) const override {
    return "memory/" + path;
  }
  absl::StatusOr<ObjectInfo> Stat(const std::string& path) override {
    MutexLock lock(mutex_);
    const auto found = objects_.find(path);
    if (found == objects_.end()) return absl::NotFoundError(NameOf(path));
    return ObjectInfo{found->second.bytes.size(), found->second.content_type};
  }
  absl::Status Read(const std::string& path, uint64_t, uint64_t offset,
                    absl::Span<uint8_t> to) override {
    MutexLock lock(mutex_);
    const auto found = objects_.find(path);
    if (found == objects_.end()) return absl::NotFoundError(NameOf(path));
    const std::string part = found->second.bytes.substr(offset, to.size());
    std::copy(part.begin(), part.end(), to.begin());
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<ListedObject>> List(const std::string&) override {
    return absl::UnimplementedError("not listed");
  }
  absl::StatusOr<std::unique_ptr<ObjectWriter>> Create(
      const std::string& path, const std::string& content_type) override {
    return std::make_unique<Writer>(*this, path, content_type);
  }

  Object& Of(const std::string& path) { return objects_.at(path); }
  bool Has(const std::string& path) const { return objects_.contains(path); }
  void Remove(const std::string& path) { objects_.erase(path); }
  int written() const { return written_; }

 private:
  class Writer final : public ObjectWriter {
   public:
    Writer(WritableStore& store, std::string path, std::string content_type)
        : store_(store),
          path_(std::move(path)),
          object_{"", std::move(content_type)} {}
    absl::Status Append(absl::Span<const uint8_t> bytes) override {
      object_.bytes.append(bytes.begin(), bytes.end());
      return absl::OkStatus();
    }
    absl::Status Finish() override {
      MutexLock lock(store_.mutex_);
      store_.objects_[path_] = std::move(object_);
      ++store_.written_;
      return absl::OkStatus();
    }

   private:
    WritableStore& store_;
    const std::string path_;
    Object object_;
  };

  Mutex mutex_;
  std::map<std::string, Object> objects_;
  int written_ = 0;
};

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class PutGraphTest : public testing::Test {
 protected:
  void SetUp() override {
    GraphSpec spec{
        .num_nodes = 5, .edges = {{0, 1}, {2, 1}}, .x = {1, 2, 3, 4, 5}};
    spec.partition_of.assign(5, 0);
    const auto written =
        WriteGraph(MakeContent(spec), {1, "test", {spec.partition_of}},
                   folder_.File("g"), {.made_by = "test", .flush = false});
    ASSERT_TRUE(written.ok()) << written.status();
    schema_ = *written;
  }
  absl::StatusOr<Transferred> Put() {
    return PutGraph({.folder = folder_.File("g"), .jobs = 2}, store_);
  }
  std::string OfFolder(const std::string& path) {
    return ReadAll(folder_.File("g/" + path));
  }

  const TemporaryFolder folder_;
  GraphSchema schema_;
  WritableStore store_;
};

// An object of the right length that holds something else, as an earlier put of
// another graph leaves it, was believed.
TEST_F(PutGraphTest, OnlyObjectsOfTheSameChecksumAreThere) {
  ASSERT_TRUE(Put().ok());
  const int files = static_cast<int>(schema_.files.size());
  EXPECT_EQ(store_.written(), files + 1);
  store_.Remove("graph.json");
  ASSERT_TRUE(Put().ok());  // all but graph.json are there
  EXPECT_EQ(store_.written(), files + 2);
  const std::string path = schema_.files[0].path;
  WritableStore::Object& object = store_.Of(path);
  ASSERT_FALSE(object.bytes.empty());
  object.bytes[0] = static_cast<char>(object.bytes[0] ^ 1);
  object.content_type = "application/octet-stream; crc32c=00000000";
  store_.Remove("graph.json");
  ASSERT_TRUE(Put().ok());
  EXPECT_EQ(store_.written(), files + 4);
  EXPECT_EQ(store_.Of(path).bytes, OfFolder(path));
  // One without a checksum, as other programs store it.
  store_.Of(path) = {std::string(OfFolder(path).size(), 'x'), ""};
  store_.Remove("graph.json");
  ASSERT_TRUE(Put().ok());
  EXPECT_EQ(store_.Of(path).bytes, OfFolder(path));
}

TEST_F(PutGraphTest, ADamagedFileIsNotStored) {
  const std::string path = schema_.files[0].path;
  std::string bytes = OfFolder(path);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  std::ofstream(folder_.File("g/" + path), std::ios::binary) << bytes;
  const absl::Status status = Put().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr(path + " is damaged"));
  EXPECT_FALSE(store_.Has(path));
  EXPECT_FALSE(store_.Has("graph.json"));
}

// A bucket that somebody else may write: its paths must stay in the folder.
TEST_F(PutGraphTest, PathsOfAHotCacheStayInside) {
  const auto plan_of = [&](const std::string& path) {
    HotManifest manifest;
    manifest.layout_digest = schema_.layout_digest;
    manifest.files = {{path, 1, 0}};
    TransferPlan plan;
    const absl::Status status =
        AddHotCache(schema_, manifest.ToJson(), "memory/hot", {}, plan);
    EXPECT_EQ(plan.parts.size(), status.ok() ? 1 : 0);
    return status;
  };
  EXPECT_TRUE(plan_of("part-0/nodes/node/x.npy").ok());
  for (const char* path :
       {"part-0/../../../etc/passwd", "part-0/..", "part-0/./x", "part-0//x",
        "part-0/", "../part-0/x", "/part-0/x", "part-0/a/../b", "x.npy", ""}) {
    const absl::Status status = plan_of(path);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << path;
    EXPECT_THAT(status.message(),
                HasSubstr(absl::StrCat("the path \"", path, "\"; allowed: ")));
  }
}

TEST_F(PutGraphTest, PathsOfAHotListStayInside) {
  const auto plan_of = [&](const std::string& path) {
    HotListFiles files;
    files.layout_digest = schema_.layout_digest;
    files.files = {{path, 1, 0}};
    TransferPlan plan;
    return AddHotList(schema_, "degree", files.ToJson(),
                      "memory/hot-lists/degree", plan);
  };
  EXPECT_TRUE(plan_of("node/order.npy").ok());
  for (const char* path :
       {"../../part-0/x.npy", "/etc/passwd", "a//b", "a/.", "", "files.json"}) {
    const absl::Status status = plan_of(path);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << path;
    EXPECT_THAT(status.message(),
                HasSubstr(absl::StrCat("degree/files.json: the path \"", path,
                                       "\"; allowed: ")));
  }
}

}  // namespace
}  // namespace tributary
