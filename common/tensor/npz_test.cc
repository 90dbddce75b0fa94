#include "common/tensor/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string Folder() {
  std::string folder = absl::StrCat(
      ::testing::TempDir(), "/",
      ::testing::UnitTest::GetInstance()->current_test_info()->name());
  std::filesystem::create_directories(folder);
  return folder;
}

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

std::string Entry(const std::string& path, const char* name) {
  int error = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_RDONLY, &error);
  if (archive == nullptr) return "no archive";
  zip_stat_t stat;
  std::string bytes = "no entry";
  if (zip_stat(archive, name, 0, &stat) == 0) {
    EXPECT_EQ(stat.comp_method, ZIP_CM_STORE);
    bytes.resize(stat.size);
    zip_file_t* file = zip_fopen(archive, name, 0);
    EXPECT_EQ(zip_fread(file, bytes.data(), bytes.size()),
              static_cast<zip_int64_t>(stat.size));
    EXPECT_EQ(zip_fclose(file), 0);
  }
  zip_discard(archive);
  return bytes;
}

template <typename T>
TensorView View(std::string name, DType dtype, Shape shape,
                const std::vector<T>& values) {
  return {std::move(name), dtype, std::move(shape),
          absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(values.data()),
                              values.size() * sizeof(T))};
}

TEST(NpzTest, EntriesAreNpyFiles) {
  const std::string path = absl::StrCat(Folder(), "/b.npz");
  const std::vector<int64_t> ids = {3, -1};
  const std::vector<float> none;
  const std::vector<uint16_t> halves = {0x3f80};
  const TensorView tensors[] = {View("n_id/person", DType::kInt64, {2}, ids),
                                View("x", DType::kFloat32, {0, 5}, none),
                                View("w", DType::kBFloat16, {1}, halves)};
  ASSERT_TRUE(WriteNpz(path, tensors).ok());

  const std::string entry = Entry(path, "n_id/person.npy");
  EXPECT_THAT(entry, HasSubstr("'descr': '<i8'"));
  EXPECT_THAT(entry, HasSubstr("'shape': (2,)"));
  EXPECT_THAT(entry, EndsWith(std::string("\x03\0\0\0\0\0\0\0", 8) +
                              std::string(8, '\xff')));
  EXPECT_THAT(Entry(path, "x.npy"), HasSubstr("'shape': (0, 5)"));
  EXPECT_THAT(Entry(path, "w.npy"), HasSubstr("V2'"));
}

TEST(NpzTest, ReplacesWholeAndEqual) {
  const std::string folder = Folder();
  const std::string path = absl::StrCat(folder, "/b.npz");
  const std::vector<int64_t> ids = {1, 2, 3};
  const TensorView tensor = View("n_id", DType::kInt64, {3}, ids);
  std::ofstream(path) << "an older file";
  ASSERT_TRUE(WriteNpz(path, {tensor}).ok());
  const std::string first = Contents(path);
  ASSERT_TRUE(WriteNpz(path, {tensor}).ok());
  EXPECT_EQ(Contents(path), first);
  // No temporary file stays.
  const auto begin = std::filesystem::directory_iterator(folder);
  EXPECT_EQ(std::distance(begin, std::filesystem::directory_iterator()), 1);
}

TEST(NpzTest, ErrorNamesThePath) {
  const std::string path = absl::StrCat(Folder(), "/absent/b.npz");
  const std::vector<int64_t> ids = {1};
  const absl::Status status =
      WriteNpz(path, {View("n_id", DType::kInt64, {1}, ids)});
  EXPECT_THAT(std::string(status.message()), HasSubstr(path));
}

}  // namespace
}  // namespace tributary
