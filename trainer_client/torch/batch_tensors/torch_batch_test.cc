#include "trainer_client/torch/batch_tensors/torch_batch.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstring>

#include "common/batch/batch_layout.h"
#include "common/io/buffer.h"

namespace tributary {
namespace {

TensorView View(DType dtype, Shape shape, const void* data, size_t bytes) {
  return {"t", dtype, std::move(shape),
          absl::MakeConstSpan(static_cast<const uint8_t*>(data), bytes)};
}

TEST(ToTorchTest, SharesBytesAndHoldsTheRoom) {
  const float values[] = {1, 2, 3, 4, 5, 6};
  auto room = std::make_shared<const int>(0);
  std::weak_ptr<const void> watch = room;
  auto tensor = ToTorch(View(DType::kFloat32, {3, 2}, values, 24), room);
  ASSERT_TRUE(tensor.ok());
  room.reset();
  EXPECT_EQ(tensor->const_data_ptr<float>(), values);
  at::Tensor row = (*tensor)[2];
  *tensor = at::Tensor();
  EXPECT_FALSE(watch.expired());  // a view is enough
  EXPECT_EQ(row[1].item<float>(), 6);
  row = at::Tensor();
  EXPECT_TRUE(watch.expired());
}

TEST(ToTorchTest, EveryDType) {
  const uint16_t half_one = 0x3c00, bfloat_one = 0x3f80;
  auto value = [](DType dtype, const void* data, size_t bytes) {
    auto t = ToTorch(View(dtype, {1}, data, bytes), nullptr);
    EXPECT_TRUE(t.ok()) << t.status();
    return t->to(at::kDouble).item<double>();
  };
  EXPECT_EQ(value(DType::kFloat16, &half_one, 2), 1);
  EXPECT_EQ(value(DType::kBFloat16, &bfloat_one, 2), 1);
  const uint8_t u8 = 200;
  EXPECT_EQ(value(DType::kUint8, &u8, 1), 200);
  EXPECT_EQ(value(DType::kInt8, &u8, 1), -56);
  const int16_t i16 = -3;
  EXPECT_EQ(value(DType::kInt16, &i16, 2), -3);
  const int32_t i32 = -70000;
  EXPECT_EQ(value(DType::kInt32, &i32, 4), -70000);
  const int64_t i64 = int64_t{1} << 40;
  EXPECT_EQ(value(DType::kInt64, &i64, 8), 1099511627776.0);
  const double f64 = 0.1;
  EXPECT_EQ(value(DType::kFloat64, &f64, 8), 0.1);
  const uint8_t yes = 1;
  EXPECT_EQ(value(DType::kBool, &yes, 1), 1);
}

TEST(ToTorchTest, EmptyTensorKeepsItsShape) {
  auto t = ToTorch(View(DType::kFloat32, {0, 7}, nullptr, 0), nullptr);
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_EQ(t->sizes(), (at::IntArrayRef{0, 7}));
}

TEST(ToTorchTest, RefusesWrongBytesAndDTypes) {
  const uint8_t bytes[8] = {};
  EXPECT_FALSE(ToTorch(View(DType::kInt64, {2}, bytes, 8), nullptr).ok());
  EXPECT_FALSE(
      ToTorch(View(static_cast<DType>(99), {8}, bytes, 8), nullptr).ok());
}

// A batch in a room of its own.
class BatchBuilder {
 public:
  template <typename T>
  BatchBuilder& Add(std::string name, DType dtype, Shape shape,
                    std::vector<T> values) {
    handles_.push_back(layout_.Add(std::move(name), dtype, std::move(shape)));
    const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
    data_.emplace_back(bytes, bytes + values.size() * sizeof(T));
    return *this;
  }
  BatchLease Build() {
    auto room = std::make_shared<AlignedBuffer>(layout_.Finish());
    layout_.WriteHeader(room->span());
    for (size_t i = 0; i < data_.size(); ++i) {
      absl::Span<uint8_t> to = layout_.Tensor(handles_[i], room->span());
      EXPECT_EQ(to.size(), data_[i].size());
      if (!to.empty()) std::memcpy(to.data(), data_[i].data(), to.size());
    }
    auto view = BatchView::Parse(room->span());
    EXPECT_TRUE(view.ok()) << view.status();
    return BatchLease(*std::move(view), room);
  }

 private:
  BatchLayout layout_{BatchKey{.epoch = 2, .index = 5}};
  std::vector<int> handles_;
  std::vector<std::vector<uint8_t>> data_;
};

// Inputs 7 7 9; 7 has the neighbour 3.
BatchBuilder SmallBatch(std::vector<int64_t> nodes = {2, 1},
                        std::vector<int32_t> seeds = {0, 0, 1},
                        std::vector<int64_t> edge_ids = {4}) {
  BatchBuilder b;
  b.Add<int64_t>("batch_size", DType::kInt64, {1}, {2});
  if (!edge_ids.empty()) {
    b.Add<int64_t>("e_id", DType::kInt64,
                   {static_cast<int64_t>(edge_ids.size())}, edge_ids);
  }
  b.Add<int32_t>("edge_index", DType::kInt32, {2, 1}, {2, 0});
  b.Add<int64_t>("input_id", DType::kInt64, {3}, {10, 11, 12});
  b.Add<int64_t>("n_id", DType::kInt64, {3}, {7, 9, 3});
  b.Add<int64_t>("num_sampled_edges", DType::kInt64, {1}, {1});
  b.Add<int64_t>("num_sampled_nodes", DType::kInt64,
                 {static_cast<int64_t>(nodes.size())}, nodes);
  b.Add<int32_t>("seed_index", DType::kInt32,
                 {static_cast<int64_t>(seeds.size())}, seeds);
  b.Add<float>("x", DType::kFloat32, {3, 1}, {.5f, 1.5f, 2.5f});
  return b;
}

TEST(ToTorchBatchTest, HasPyGsFields) {
  auto batch = ToTorchBatch(SmallBatch().Build());
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->index, 5);
  EXPECT_EQ(batch->batch_size, 2);
  EXPECT_EQ(batch->num_positions(), 3);
  EXPECT_EQ(batch->n_id[2].item<int64_t>(), 3);
  EXPECT_EQ(batch->x[1][0].item<float>(), 1.5f);
  EXPECT_EQ(batch->num_sampled_nodes, (std::vector<int64_t>{2, 1}));
  EXPECT_FALSE(batch->y.defined());
  EXPECT_EQ(batch->To(at::kCPU).x.const_data_ptr(), batch->x.const_data_ptr());
  const TorchBatch meta = batch->To(at::kMeta);
  EXPECT_TRUE(meta.e_id.is_meta() && meta.x.is_meta());
  EXPECT_EQ(meta.x.sizes(), (at::IntArrayRef{3, 1}));
  EXPECT_FALSE(meta.y.defined());
}

TEST(ToTorchBatchTest, EdgeIdsAreOptionalAndAsManyAsEdges) {
  auto batch = ToTorchBatch(SmallBatch({2, 1}, {0, 0, 1}, {}).Build());
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_FALSE(batch->e_id.defined());
  EXPECT_EQ(batch->edge_index.size(1), 1);
  EXPECT_FALSE(batch->To(at::kMeta).e_id.defined());
  EXPECT_FALSE(
      ToTorchBatch(SmallBatch({2, 1}, {0, 0, 1}, {4, 5}).Build()).ok());
}

// Rows -127 1 and 2 -3 with scales 0.5 and 10; without scales as they are.
TEST(DequantizedTest, RowsTimesTheirScales) {
  const at::Tensor rows =
      at::tensor({-127, 1, 2, -3}, at::kInt).to(at::kChar).view({2, 2});
  const at::Tensor scale = at::tensor({0.5, 10.0}, at::kFloat);
  EXPECT_TRUE(at::equal(
      Dequantized(rows, scale),
      at::tensor({-63.5, 0.5, 20.0, -30.0}, at::kFloat).view({2, 2})));
  EXPECT_TRUE(at::equal(Dequantized(rows, {}), rows.to(at::kFloat)));
  EXPECT_TRUE(at::equal(Dequantized(rows.select(1, 0), scale),
                        at::tensor({-63.5, 20.0}, at::kFloat)));
  const at::Tensor half = at::tensor({0.5, -2.0}, at::kFloat).to(at::kHalf);
  EXPECT_TRUE(at::equal(Dequantized(half, {}), half.to(at::kFloat)));
}

TEST(ToTorchBatchTest, HasScalesOfInt8) {
  BatchBuilder b = SmallBatch();
  b.Add<float>("x_scale", DType::kFloat32, {3}, {1, 2, 3});
  b.Add<float>("edge_attr_scale", DType::kFloat32, {1}, {4});
  const auto batch = ToTorchBatch(b.Build());
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->x_scale[2].item<float>(), 3);
  EXPECT_EQ(batch->edge_attr_scale[0].item<float>(), 4);
  EXPECT_FALSE(ToTorchBatch(SmallBatch().Build())->x_scale.defined());
  BatchBuilder few = SmallBatch();
  few.Add<float>("x_scale", DType::kFloat32, {2}, {1, 2});
  EXPECT_FALSE(ToTorchBatch(few.Build()).ok());
  BatchBuilder whole = SmallBatch();
  whole.Add<int32_t>("x_scale", DType::kInt32, {3}, {1, 2, 3});
  EXPECT_FALSE(ToTorchBatch(whole.Build()).ok());
}

TEST(ToTorchBatchTest, RefusesContradictions) {
  EXPECT_FALSE(ToTorchBatch(SmallBatch({2, 2}).Build()).ok());
  EXPECT_FALSE(ToTorchBatch(SmallBatch({1, 2}).Build()).ok());
  EXPECT_FALSE(ToTorchBatch(SmallBatch({4, -1}).Build()).ok());
  EXPECT_FALSE(ToTorchBatch(SmallBatch({2, 1, 0}).Build()).ok());
  EXPECT_FALSE(ToTorchBatch(SmallBatch({2, 1}, {0, 0, 2}).Build()).ok());
  EXPECT_FALSE(ToTorchBatch(SmallBatch({2, 1}, {0, 1}).Build()).ok());
}

TEST(ToTorchBatchTest, TypedBatchesByName) {
  BatchBuilder b;
  b.Add<int64_t>("n_id/person", DType::kInt64, {2}, {4, 6});
  const BatchLease lease = b.Build();
  EXPECT_EQ(ToTorchBatch(lease).status().code(),
            absl::StatusCode::kInvalidArgument);
  auto tensors = ToTorchTensors(lease);
  ASSERT_TRUE(tensors.ok());
  EXPECT_EQ(tensors->at("n_id/person")[1].item<int64_t>(), 6);
}

}  // namespace
}  // namespace tributary
