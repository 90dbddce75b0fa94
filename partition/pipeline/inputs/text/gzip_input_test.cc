#include "partition/pipeline/inputs/text/gzip_input.h"

#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

std::string Gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8,
                         Z_DEFAULT_STRATEGY),
            Z_OK);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// All that `bytes` unpack to, taken in pieces of `piece`.
absl::StatusOr<std::string> Unpacked(const std::string& bytes,
                                     size_t piece = 1000) {
  const std::string path =
      absl::StrCat(::testing::TempDir(), "/gzip_input-", getpid());
  std::ofstream(path, std::ios::binary) << bytes;
  auto input = GzipInput::Open(path);
  std::remove(path.c_str());
  if (!input.ok()) return input.status();
  std::string text, buffer(piece, '\0');
  while (true) {
    const auto n = input->Read(absl::MakeSpan(&buffer[0], piece));
    if (!n.ok()) return n.status();
    if (*n == 0) return text;
    text.append(buffer, 0, *n);
  }
}

std::string Numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) absl::StrAppend(&text, i * 2654435761u, "\n");
  return text;
}

TEST(GzipInputTest, PlainFilesAreAsTheyAre) {
  for (const std::string text : {"", "\x1f", "a", "0,1\n1,2\n"}) {
    EXPECT_EQ(*Unpacked(text), text);
  }
  EXPECT_EQ(*Unpacked(Numbers(60000)), Numbers(60000));  // several buffers
}

TEST(GzipInputTest, MembersFollowEachOther) {
  EXPECT_EQ(*Unpacked(Gzip("")), "");
  EXPECT_EQ(*Unpacked(Gzip("a") + Gzip("") + Gzip("bc")), "abc");
  EXPECT_EQ(*Unpacked(Gzip("a") + Gzip("bc"), /*piece=*/1), "abc");
  const std::string text = Numbers(300000);  // packs to several buffers
  EXPECT_EQ(*Unpacked(Gzip(text) + Gzip(text)), text + text);
}

TEST(GzipInputTest, EachCutIsFound) {
  const std::string packed = Gzip("0,1\n1,2\n2,0\n");
  for (size_t size = 2; size < packed.size(); ++size) {
    const auto text = Unpacked(packed.substr(0, size));
    ASSERT_FALSE(text.ok()) << size;
    EXPECT_EQ(text.status().code(), absl::StatusCode::kDataLoss);
    EXPECT_EQ(text.status().message(), "cut off") << size;
  }
}

TEST(GzipInputTest, WhatFollowsIsRefused) {
  for (const std::string rest : {"\n", "garbage", "\x1f", "\x1fx"}) {
    const auto text = Unpacked(Gzip("a") + rest);
    ASSERT_FALSE(text.ok()) << rest;
    EXPECT_EQ(text.status().message(),
              "something that is no gzip follows its end");
  }
}

TEST(GzipInputTest, DamageIsFound) {
  std::string packed = Gzip(Numbers(1000));
  packed[packed.size() - 6] ^= 1;  // its CRC32
  EXPECT_EQ(Unpacked(packed).status().message(),
            "damaged: incorrect data check");
  packed = Gzip(Numbers(1000));
  packed[2] = 9;  // no such method
  EXPECT_EQ(Unpacked(packed).status().message(),
            "damaged: unknown compression method");
}

}  // namespace
}  // namespace tributary
