// BatchView reads what BatchLayout writes, and validates all input.
#include "common/batch/batch_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>

#include "common/batch/batch_layout.h"
#include "common/io/buffer.h"

namespace tributary {
namespace {

BatchKey Key() {
  BatchKey key;
  key.session.fill(9);
  key.epoch = 3;
  key.index = 5;
  return key;
}

// Tensors b (int32 [2, 3]), a (float32 [1, 5]) and empty (int64 [0]), added out
// of order.
AlignedBuffer Room() {
  BatchLayout layout(Key());
  const int b = layout.Add("b", DType::kInt32, {2, 3});
  const int empty = layout.Add("empty", DType::kInt64, {0});
  const int a = layout.Add("a", DType::kFloat32, {1, 5});
  AlignedBuffer room(layout.Finish());
  std::memset(room.data(), 0xEE, room.size());
  layout.WriteHeader(room.span());
  const int32_t b_values[] = {1, 2, 3, 4, 5, 6};
  const float a_values[] = {0.5f, 1.5f, 2.5f, 3.5f, 4.5f};
  std::memcpy(layout.Tensor(b, room.span()).data(), b_values, 24);
  std::memcpy(layout.Tensor(a, room.span()).data(), a_values, 20);
  EXPECT_TRUE(layout.Tensor(empty, room.span()).empty());
  return room;
}

TEST(BatchView, ReadsWhatLayoutWrote) {
  const AlignedBuffer room = Room();
  const auto view = BatchView::Parse(room.span());
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(view->key(), Key());
  ASSERT_EQ(view->tensors().size(), 3u);
  EXPECT_EQ(view->tensors()[0].name, "a");
  EXPECT_EQ(view->tensors()[2].name, "empty");
  EXPECT_EQ(view->Find("a")->As<float>()[4], 4.5f);
  EXPECT_EQ(view->Find("b")->shape, (Shape{2, 3}));
  EXPECT_EQ(view->Find("b")->As<int32_t>()[5], 6);
  EXPECT_EQ(view->Find("empty")->shape, (Shape{0}));
  EXPECT_EQ(view->Find("c"), nullptr);
  EXPECT_EQ(view->payload_bytes(), 44u);
  for (const TensorView& tensor : view->tensors()) {
    EXPECT_EQ((tensor.data.data() - room.data()) % 64, 0);
  }
}

// The digest by hand: names ascending, u32 length, name, dtype, dims, bytes.
TEST(BatchView, DigestIsOfThePayload) {
  std::string bytes;
  const auto put = [&bytes](auto value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  put(uint32_t{1});
  bytes += "a\x08\x02";
  put(uint64_t{1});
  put(uint64_t{5});
  for (float v : {0.5f, 1.5f, 2.5f, 3.5f, 4.5f}) put(v);
  put(uint32_t{1});
  bytes += "b\x04\x02";
  put(uint64_t{2});
  put(uint64_t{3});
  for (int32_t v : {1, 2, 3, 4, 5, 6}) put(v);
  put(uint32_t{5});
  bytes += "empty\x05\x01";
  put(uint64_t{0});
  EXPECT_EQ(BatchView::Parse(Room().span())->Digest(), Sha256Of(bytes));
}

// Every byte of the room is written: equal batches are equal rooms.
TEST(BatchLayout, PaddingIsZero) {
  const AlignedBuffer a = Room(), b = Room();
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size()), 0);
  EXPECT_EQ(std::count(a.data(), a.data() + a.size(), 0xEE), 0);
}

TEST(BatchView, EveryTruncationIsRefused) {
  const AlignedBuffer room = Room();
  for (size_t n = 0; n < room.size(); ++n) {
    EXPECT_EQ(BatchView::Parse(room.span().first(n)).status().code(),
              absl::StatusCode::kDataLoss)
        << n;
  }
}

// Whatever value one header byte has, tensors stay within the room.
TEST(BatchView, DamageNeverLeavesTheRoom) {
  AlignedBuffer room = Room();
  const size_t header =
      BatchView::Parse(room.span())->tensors()[0].data.data() - room.data();
  for (size_t at = 0; at < header; ++at) {
    for (const int change : {1, 0x80, 0xFF}) {
      room.data()[at] ^= change;
      const auto view = BatchView::Parse(room.span());
      if (view.ok()) {
        for (const TensorView& tensor : view->tensors()) {
          EXPECT_GE(tensor.data.data(), room.data());
          EXPECT_LE(tensor.data.data() + tensor.data.size(),
                    room.data() + room.size());
        }
      }
      room.data()[at] ^= change;
    }
  }
}

TEST(BatchView, NamesWhatIsWrong) {
  const auto message = [](const std::function<void(uint8_t*)>& damage) {
    AlignedBuffer room = Room();
    damage(room.data());
    const absl::Status status = BatchView::Parse(room.span()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    return std::string(status.message());
  };
  EXPECT_NE(message([](uint8_t* r) { r[0] = 'X'; }).find("magic"),
            std::string::npos);
  EXPECT_NE(message([](uint8_t* r) { r[8] = 7; }).find("version 7"),
            std::string::npos);
  // Behind the fixed header of 72 bytes: u32 1, "a", dtype, dims, 2 x u64,
  // offset.
  EXPECT_NE(message([](uint8_t* r) { r[77] = 99; }).find("dtype code 99"),
            std::string::npos);
  EXPECT_NE(message([](uint8_t* r) { r[78] = 200; }).find("200 dimensions"),
            std::string::npos);
  EXPECT_NE(message([](uint8_t* r) { r[79 + 7] = 0x70; }).find("dimension"),
            std::string::npos);
  // 2^61 x 0 elements of 4 bytes.
  EXPECT_NE(message([](uint8_t* r) {
              std::memset(r + 79, 0, 16);
              r[79 + 7] = 0x20;
            }).find("dimension 2305843009213693952"),
            std::string::npos);
  EXPECT_NE(message([](uint8_t* r) { r[95] = 1; }).find("tensor a of 20"),
            std::string::npos);
  EXPECT_NE(message([](uint8_t* r) { r[76] = 'z'; }).find("out of order"),
            std::string::npos);
}

}  // namespace
}  // namespace tributary
