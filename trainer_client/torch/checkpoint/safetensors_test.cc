#include "trainer_client/torch/checkpoint/safetensors.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "absl/strings/str_cat.h"
#include "common/runtime/fault_point.h"
#include "common/tensor/value_bytes.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

std::string PathOf(const std::string& name) {
  return absl::StrCat(testing::TempDir(), "/", name);
}

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

absl::Span<const uint8_t> Bytes(const std::string& text) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()),
                             text.size());
}

// A file with this header, which is padded, and this number of bytes of data.
std::string FileOf(std::string json, size_t data_bytes) {
  std::string file;
  for (int i = 0; i < 8; ++i) {
    file.push_back(static_cast<char>(json.size() >> (8 * i)));
  }
  return file + json + std::string(data_bytes, '\0');
}

// Three tensors whose data are checked byte by byte: bool, then float16, then
// int64 in order of name, the other way in the file.
TEST(SafetensorsTest, BytesOfAFile) {
  const std::vector<int64_t> c = {1, -1};
  const std::vector<uint8_t> half = {0x00, 0x3c};  // 1.0
  const std::vector<uint8_t> flags = {1, 0, 1};
  const std::string path = PathOf("known.safetensors");
  ASSERT_TRUE(WriteSafetensors(path,
                               {{"a", DType::kBool, {3}, flags},
                                {"b", DType::kFloat16, {}, half},
                                {"c", DType::kInt64, {1, 2}, ValueBytes(c)}},
                               {{"k", "v\n"}})
                  .ok());
  const std::string json =
      R"({"__metadata__":{"k":"v\n"},)"
      R"("c":{"dtype":"I64","shape":[1,2],"data_offsets":[0,16]},)"
      R"("b":{"dtype":"F16","shape":[],"data_offsets":[16,18]},)"
      R"("a":{"dtype":"BOOL","shape":[3],"data_offsets":[18,21]}})";
  ASSERT_EQ(json.size(), 194);
  const std::string expected =
      std::string("\xc8\0\0\0\0\0\0\0", 8) + json + "      " +  // 194 -> 200
      std::string("\x01\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 16) +
      std::string("\0\x3c", 2) + std::string("\x01\0\x01", 3);
  EXPECT_EQ(Content(path), expected);
  EXPECT_FALSE(fs::exists(path + ".tmp"));
}

TEST(SafetensorsTest, AnEmptyFile) {
  const std::string path = PathOf("empty.safetensors");
  ASSERT_TRUE(WriteSafetensors(path, {}).ok());
  EXPECT_EQ(Content(path), FileOf("{}      ", 0));
  const auto file = SafetensorsFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(file->tensors().empty());
}

TEST(SafetensorsTest, ReadsBackEveryType) {
  const std::vector<uint8_t> data(48, 7);
  std::vector<TensorView> tensors;
  for (uint32_t code = 1; code <= 10; ++code) {
    const DType dtype = *DTypeFromCode(code);
    const size_t bytes = 6 * DTypeSize(dtype);
    tensors.push_back({absl::StrCat("t\"", 10 - code, "/K\u00f6ln"), dtype,
                       Shape{2, 3}, absl::MakeConstSpan(data).first(bytes)});
  }
  tensors.push_back({"none", DType::kFloat32, Shape{0, 5}, {}});
  const std::string path = PathOf("types.safetensors");
  ASSERT_TRUE(WriteSafetensors(path, tensors, {{"a", "1"}, {"b", ""}}).ok());

  const auto file = SafetensorsFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->metadata(), (SafetensorsMetadata{{"a", "1"}, {"b", ""}}));
  EXPECT_EQ(file->tensors().size(), tensors.size());
  for (const TensorView& written : tensors) {
    const TensorView* read = file->Find(written.name);
    ASSERT_NE(read, nullptr) << written.name;
    EXPECT_EQ(read->dtype, written.dtype);
    EXPECT_EQ(read->shape, written.shape);
    EXPECT_EQ(read->data, written.data);
    EXPECT_EQ(
        reinterpret_cast<uintptr_t>(read->data.data()) % DTypeSize(read->dtype),
        0);
  }
  EXPECT_EQ(file->Find("t"), nullptr);
  EXPECT_EQ(file->Find("zzz"), nullptr);
}

TEST(SafetensorsTest, ReplacesAFileAndWhatACrashLeft) {
  const std::string path = PathOf("replaced.safetensors");
  const std::vector<float> first = {1}, second = {2};
  ASSERT_TRUE(
      WriteSafetensors(path, {{"x", DType::kFloat32, {1}, ValueBytes(first)}})
          .ok());
  std::ofstream(path + ".tmp") << "half";
  ASSERT_TRUE(
      WriteSafetensors(path, {{"x", DType::kFloat32, {1}, ValueBytes(second)}})
          .ok());
  const auto file = SafetensorsFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->Find("x")->As<float>()[0], 2);
}

// After a crash at any change of the disk the old file or the new one is there.
TEST(SafetensorsTest, ACrashLeavesACompleteFile) {
  const std::string path = PathOf("crash.safetensors");
  const std::vector<float> values = {1, 2};
  const TensorView before{
      "x", DType::kFloat32, {1}, ValueBytes(values).first(4)};
  const TensorView after{"x", DType::kFloat32, {2}, ValueBytes(values)};
  bool crashed = true;
  int crashes = 0, replaced = 0;
  for (; crashed && crashes < 100; ++crashes) {
    ASSERT_TRUE(WriteSafetensors(path, {before}).ok());
    int left = crashes;
    {
      ScopedFault fault("checkpoint.disk", [&] {
        return left-- > 0 ? absl::OkStatus() : absl::AbortedError("crash");
      });
      crashed = !WriteSafetensors(path, {after}).ok();
    }
    const auto file = SafetensorsFile::Open(path);
    ASSERT_TRUE(file.ok()) << crashes << file.status();
    replaced += file->Find("x")->shape == after.shape ? 1 : 0;
  }
  EXPECT_GT(crashes, 5);
  EXPECT_EQ(replaced, 2);  // before the folder was flushed, and at the end
}

TEST(SafetensorsTest, RefusesTensorsThatCannotBeWritten) {
  const std::vector<float> one = {1};
  const auto data = ValueBytes(one);
  const struct {
    std::vector<TensorView> tensors;
    std::string text;
  } cases[] = {
      {{{"x", DType::kFloat32, {2}, data}}, "tensor 'x': it has 4 bytes"},
      {{{"x", DType::kFloat32, {-1}, data}}, "shape [-1] of float32"},
      {{{"x", DType::kFloat32, {1LL << 62, 1LL << 62}, data}}, "tensor 'x'"},
      {{{"__metadata__", DType::kFloat32, {1}, data}}, "reserved"},
      {{{"\xff", DType::kFloat32, {1}, data}}, "no UTF-8"},
      {{{"x", DType::kFloat32, {1}, data}, {"x", DType::kInt32, {1}, data}},
       "tensor 'x': the name is there twice"},
  };
  const std::string path = PathOf("refused.safetensors");
  for (const auto& [tensors, text] : cases) {
    const absl::Status status = WriteSafetensors(path, tensors);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_NE(std::string(status.message()).find(path), std::string::npos);
    EXPECT_NE(std::string(status.message()).find(text), std::string::npos)
        << status;
  }
  EXPECT_FALSE(WriteSafetensors(path, {}, {{"k", "\xff"}}).ok());
  EXPECT_FALSE(fs::exists(path) || fs::exists(path + ".tmp"));
}

TEST(SafetensorsTest, RefusesMalformedFiles) {
  const std::string a =
      R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  const struct {
    std::string json;
    size_t data_bytes;
    std::string text;
  } cases[] = {
      {"", 0, "does not begin with '{'"},
      {" {}", 0, "does not begin with '{'"},
      {"[]", 0, "does not begin with '{'"},
      {"{", 0, "no JSON"},
      {"{}x", 0, "no JSON"},
      {std::string("{}\0x", 4), 0, "a zero byte"},
      {R"({"a":1})", 0, "the value of 'a' is or holds a number"},
      {R"({"a":null})", 0, "null"},
      {R"({"a":[]})", 0, "an array"},
      {R"({"__metadata__":{"k":1}})", 0, "tensor '__metadata__'"},
      {R"({"__metadata__":{"k":{}}})", 0, "an object"},
      {R"({"__metadata__":{"k":"","k":""}})", 0, "key 'k' is there twice"},
      {R"({"a":{}})", 0, "tensor 'a': dtype, shape or data_offsets is missing"},
      {R"({"a":{"dtype":"F32","shape":[2]}})", 8, "is missing"},
      {R"({"a":{"dtype":"U16","shape":[],"data_offsets":[0,2]}})", 2,
       "dtype 'U16' is not supported; allowed: BOOL, U8"},
      {R"({"a":{"dtype":1}})", 0, "the value of 'dtype' is or holds a number"},
      {R"({"a":{"dtype":["F32"]}})", 0, "an array"},
      {R"({"a":{"shape":"[2]"}})", 0, "a string"},
      {R"({"a":{"shape":[[2]]}})", 0, "an array"},
      {R"({"a":{"shape":[-2]}})", 0, "a negative number"},
      {R"({"a":{"shape":[2.0]}})", 0, "a fraction"},
      {R"({"a":{"shape":[18446744073709551615]}})", 0, "below 2^63"},
      {R"({"a":{"data_offsets":[0,8,8]}})", 0, "data_offsets has 3 numbers"},
      {R"({"a":{"dtype":"F32","dtype":"F32"}})", 0,
       "key 'dtype' is there twice"},
      {R"({"a":{"strides":[1]}})", 0, "key 'strides' is unknown"},
      {absl::StrCat("{", a, ",", a, "}"), 8, "'a' is there twice"},
      {absl::StrCat("{", a, "}"), 7, "do not lie within the file"},
      {absl::StrCat("{", a, "}"), 9, "the tensors end at byte 8 of 9"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8,
       "do not lie within the file"},
      {R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8,
       "tensor 'a': data_offsets 0 to 8 are 8 bytes; not those of shape [3]"},
      {R"({"a":{"dtype":"U8","shape":[4294967296,4294967296,4294967296],)"
       R"("data_offsets":[0,0]}})",
       0, "not those of shape"},
      {absl::StrCat("{", a, R"(,"b":{"dtype":"U8","shape":[2],)",
                    R"("data_offsets":[7,9]}})"),
       9, "tensor 'b': it overlaps another tensor"},
      {absl::StrCat("{", a, R"(,"b":{"dtype":"U8","shape":[2],)",
                    R"("data_offsets":[9,11]}})"),
       11, "tensor 'b': there is a gap before it"},
  };
  for (const auto& [json, data_bytes, text] : cases) {
    const std::string file = FileOf(json, data_bytes);
    const absl::Status status = ParseSafetensors(Bytes(file)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << json;
    EXPECT_NE(std::string(status.message()).find(text), std::string::npos)
        << json << status;
  }
}

TEST(SafetensorsTest, RefusesLengthsBeyondTheFile) {
  for (uint64_t length : {uint64_t{3}, kMaxSafetensorsHeader + 1,
                          std::numeric_limits<uint64_t>::max()}) {
    std::string file = FileOf("{}", 0);
    for (int i = 0; i < 8; ++i) {
      file[i] = static_cast<char>(length >> (8 * i));
    }
    const absl::Status status = ParseSafetensors(Bytes(file)).status();
    EXPECT_NE(std::string(status.message())
                  .find(absl::StrCat("the header has ", length, " bytes")),
              std::string::npos)
        << status;
  }
  EXPECT_EQ(ParseSafetensors({}).status().message(),
            "it has 0 bytes; a safetensors file begins with 8");
}

TEST(SafetensorsTest, OpenNamesTheFile) {
  const std::string path = PathOf("bad.safetensors");
  std::ofstream(path) << "1234567";
  const absl::Status status = SafetensorsFile::Open(path).status();
  EXPECT_EQ(
      status.message(),
      absl::StrCat(path, ": it has 7 bytes; a safetensors file begins with 8"));
  EXPECT_EQ(SafetensorsFile::Open(path + "-none").status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace tributary
