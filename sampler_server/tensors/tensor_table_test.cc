#include "sampler_server/tensors/tensor_table.h"

#include <atomic>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/tensors/values/row_values.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TensorTable::Place PlaceOf(uint32_t members, uint32_t member) {
  std::vector<RowMember> list;
  for (uint32_t i = 0; i < members; ++i) {
    list.push_back({"server" + std::to_string(i) + ":1", i});
  }
  return {std::make_shared<const RowPlacement>(*RowPlacement::Create(list)),
          member};
}

std::shared_ptr<TensorTable> Make(TensorShape shape,
                                  const InitialValueOptions& initial = {},
                                  TensorTable::Place place = PlaceOf(1, 0)) {
  const auto values = RowInitializer::Create(
      initial, shape.name, shape.num_rows, shape.dim, shape.dtype);
  EXPECT_TRUE(values.ok()) << values.status();
  auto table = TensorTable::Create(shape, place, *values, Reservation());
  EXPECT_TRUE(table.ok()) << table.status();
  return *table;
}

template <typename T>
std::vector<T> Read(const TensorTable& table,
                    const std::vector<uint64_t>& rows) {
  std::vector<T> out(rows.size() * table.shape().width());
  table.Read(rows, reinterpret_cast<uint8_t*>(out.data()));
  return out;
}

template <typename T>
const uint8_t* Bytes(const std::vector<T>& values) {
  return reinterpret_cast<const uint8_t*>(values.data());
}

TEST(TensorTableTest, OfARowThatComesTwiceTheLastValueIsSetAndAllAreAdded) {
  const auto table = Make({"t", 100, 2, DType::kInt32});
  const std::vector<int32_t> set = {1, 2, 3, 4, 5, 6};
  table->Set(std::vector<uint64_t>{7, 8, 7}, Bytes(set), 1);
  EXPECT_THAT(Read<int32_t>(*table, {7, 8, 9}), ElementsAre(5, 6, 3, 4, 0, 0));
  table->Add(std::vector<uint64_t>{7, 9, 7}, Bytes(set), 1);
  EXPECT_THAT(Read<int32_t>(*table, {7, 9}), ElementsAre(11, 14, 3, 4));
  EXPECT_EQ(table->written_rows(), 3u);
}

TEST(TensorTableTest, IntegersWrapAroundAndHalvesRoundOnce) {
  const auto bytes = Make({"b", 8, 0, DType::kInt8});
  bytes->Add(std::vector<uint64_t>{1, 1}, Bytes<int8_t>({127, 2}), 1);
  EXPECT_THAT(Read<int8_t>(*bytes, {1}), ElementsAre(-127));
  const auto wide = Make({"w", 8, 0, DType::kInt64});
  const int64_t most = std::numeric_limits<int64_t>::max();
  wide->Add(std::vector<uint64_t>{1, 1}, Bytes<int64_t>({most, 1}), 1);
  EXPECT_THAT(Read<int64_t>(*wide, {1}),
              ElementsAre(std::numeric_limits<int64_t>::min()));
  // 2048 + 1 lies between two float16: to even, 2048; 2050 + 1 to 2052.
  const auto half = Make({"h", 8, 0, DType::kFloat16});
  half->Add(std::vector<uint64_t>{1, 1, 2, 2},
            Bytes<uint16_t>({0x6800, 0x3c00, 0x6801, 0x3c00}), 1);
  EXPECT_THAT(Read<uint16_t>(*half, {1, 2}), ElementsAre(0x6800, 0x6802));
  // 256 + 1 is a tie of bfloat16, which rounds to even.
  const auto brain = Make({"g", 8, 0, DType::kBFloat16});
  brain->Add(std::vector<uint64_t>{1, 1}, Bytes<uint16_t>({0x4380, 0x3f80}), 1);
  EXPECT_THAT(Read<uint16_t>(*brain, {1}), ElementsAre(0x4380));
  EXPECT_FALSE(CheckAddable(DType::kBool).ok());
}

TEST(TensorTableTest, RowsHoldTheirInitialValueUntilTheyAreWritten) {
  const InitialValueOptions uniform{InitialKind::kUniform, 1, 2, 3};
  const auto table = Make({"t", 300, 3, DType::kFloat32}, uniform);
  std::vector<float> expected(3);
  (*RowInitializer::Create(uniform, "t", 300, 3, DType::kFloat32))
      .Fill(200, reinterpret_cast<uint8_t*>(expected.data()));
  EXPECT_EQ(Read<float>(*table, {200}), expected);
  table->Add(std::vector<uint64_t>{200}, Bytes<float>({1, 1, 1}), 1);
  for (float& value : expected) value += 1;
  EXPECT_EQ(Read<float>(*table, {200}), expected);
  EXPECT_EQ(table->written_rows(), 1u);
}

TEST(TensorTableTest, RowsAreTheSameWhateverTheNumberOfServers) {
  const InitialValueOptions normal{InitialKind::kNormal, 0, 1, 3};
  const TensorShape shape{"t", 5000, 2, DType::kFloat32};
  const auto one = Make(shape, normal);
  for (uint32_t member = 0; member < 3; ++member) {
    const auto place = PlaceOf(3, member);
    const auto table = Make(shape, normal, place);
    for (uint64_t row = 0; row < shape.num_rows; row += 7) {
      if (place.placement->MemberOf(row) != member) continue;
      EXPECT_EQ(Read<float>(*table, {place.placement->LocalRow(row)}),
                Read<float>(*one, {one->placement().LocalRow(row)}));
    }
  }
}

TEST(TensorTableTest, AStepCountsItsRowAloneAndMarksTheRound) {
  const auto table = Make({"t", 1000, 2, DType::kFloat32});
  ASSERT_TRUE(table->AttachOptimizer(OptimizerKind::kAdam, {}).ok());
  const OptimizerStep step{0.1, 1e-8, 0.9, 0.999, 1};
  const std::vector<float> g = {1, -2};
  table->Step(5, g.data(), step, 1);
  table->Step(5, g.data(), step, 2);
  table->Step(900, g.data(), step, 2);
  std::vector<float> w(4), m(4), v(4);
  StepAdam(step, 1, 2, g.data(), w.data(), m.data(), v.data());
  StepAdam(step, 2, 2, g.data(), w.data(), m.data(), v.data());
  StepAdam(step, 1, 2, g.data(), w.data() + 2, m.data() + 2, v.data() + 2);
  EXPECT_EQ(Read<float>(*table, {5, 900}), w);
  std::vector<uint8_t> changed(1);
  const std::vector<uint64_t> rows = {5, 6, 900};
  table->FindChanged(rows, 1, absl::MakeSpan(changed));
  EXPECT_EQ(changed[0], 0b101);
  table->ForgetRounds();
  table->FindChanged(rows, 1, absl::MakeSpan(changed));
  EXPECT_EQ(changed[0], 0);
}

TEST(TensorTableTest, OptimizersAreForFloat32AndOneForATensor) {
  const auto table = Make({"t", 10, 2, DType::kFloat32});
  EXPECT_TRUE(table->AttachOptimizer(OptimizerKind::kSgd, {}).ok());
  EXPECT_TRUE(table->AttachOptimizer(OptimizerKind::kSgd, {}).ok());
  EXPECT_THAT(table->AttachOptimizer(OptimizerKind::kAdam, {}).message(),
              HasSubstr("has the optimizer SGD, not Adam"));
  const auto ints = Make({"i", 10, 2, DType::kInt32});
  EXPECT_THAT(ints->AttachOptimizer(OptimizerKind::kSgd, {}).message(),
              HasSubstr("int32"));
}

// Exports rows page by page, and imports them into tables elsewhere.
TEST(TensorTableTest, AnExportBringsRowsAndStateToOtherServers) {
  const TensorShape shape{"t", 3000, 3, DType::kFloat32};
  const InitialValueOptions ones{InitialKind::kOnes};
  const OptimizerStep step{0.1, 1e-8, 0.9, 0.999, 1};
  for (OptimizerKind kind :
       {OptimizerKind::kSgd, OptimizerKind::kAdagrad, OptimizerKind::kAdam}) {
    const auto from = Make(shape, ones);
    const auto to = Make(shape, ones, PlaceOf(2, 1));
    ASSERT_TRUE(from->AttachOptimizer(kind, {}).ok());
    ASSERT_TRUE(to->AttachOptimizer(kind, {}).ok());
    std::set<uint64_t> written;
    const std::vector<float> g = {1, 2, 3};
    for (uint64_t row = 1; row < shape.num_rows; row = row * 2 + row / 3) {
      from->Step(from->placement().LocalRow(row), g.data(), step, 1);
      written.insert(row);
    }
    uint64_t cursor = 0;
    std::vector<uint64_t> exported;
    while (cursor < from->local_rows()) {
      const auto rows = from->WrittenFrom(&cursor, 4, 1000);
      const size_t each = from->ExportRowBytes(kind);
      std::vector<uint8_t> page(rows.size() * each);
      // In two pieces.
      from->Export(rows, 0, rows.size() / 2, kind, page.data());
      from->Export(rows, rows.size() / 2, rows.size(), kind, page.data());
      for (size_t i = 0; i < rows.size(); ++i) {
        uint64_t row;
        std::memcpy(&row, page.data() + 8 * i, 8);
        exported.push_back(row);
        if (to->placement().MemberOf(row) != 1) continue;
        // One row at a time, from the page's columns.
        std::vector<uint8_t> one(each - 8);
        size_t at = 8 * rows.size(), done = 0;
        for (size_t bytes :
             {size_t{12}, kind == OptimizerKind::kSgd ? size_t{0} : size_t{12},
              kind == OptimizerKind::kAdam ? size_t{12} : size_t{0},
              kind == OptimizerKind::kAdam ? size_t{8} : size_t{0}}) {
          std::memcpy(one.data() + done, page.data() + at + i * bytes, bytes);
          at += rows.size() * bytes;
          done += bytes;
        }
        const std::vector<uint64_t> there = {to->placement().LocalRow(row)};
        ASSERT_TRUE(to->CheckImport(there, kind, one.data()).ok());
        to->Import(there, 0, 1, kind, one.data(), 1);
      }
    }
    EXPECT_TRUE(std::is_sorted(exported.begin(), exported.end()));
    EXPECT_EQ(std::set<uint64_t>(exported.begin(), exported.end()), written);
    // The next step shows that the state came along.
    size_t compared = 0;
    for (uint64_t row = 0; row < shape.num_rows; ++row) {
      if (to->placement().MemberOf(row) != 1) continue;
      const uint64_t there = to->placement().LocalRow(row);
      const uint64_t here = from->placement().LocalRow(row);
      if (written.contains(row)) {
        from->Step(here, g.data(), step, 2);
        to->Step(there, g.data(), step, 2);
        ++compared;
      }
      ASSERT_EQ(Read<float>(*to, {there}), Read<float>(*from, {here})) << row;
    }
    EXPECT_GT(compared, 2u);
  }
}

TEST(TensorTableTest, AnImportOfImpossibleStepsIsRefused) {
  const auto table = Make({"t", 10, 1, DType::kFloat32});
  ASSERT_TRUE(table->AttachOptimizer(OptimizerKind::kAdam, {}).ok());
  std::vector<uint8_t> data(table->ExportRowBytes(OptimizerKind::kAdam) - 8,
                            0xff);
  EXPECT_THAT(table
                  ->CheckImport(std::vector<uint64_t>{3}, OptimizerKind::kAdam,
                                data.data())
                  .message(),
              HasSubstr("steps of Adam"));
}

// Writers fill whole rows with one number; no reader sees two in a row.
TEST(TensorTableTest, RowsAreReadAndWrittenWhole) {
  constexpr uint32_t kDim = 512;
  const auto table = Make({"t", 128, kDim, DType::kInt32});
  std::vector<uint64_t> rows = {0, 1, 64, 65, 127};
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (int w = 0; w < 2; ++w) {
    writers.emplace_back([&, w] {
      for (int32_t n = w; !stop; n += 2) {
        const std::vector<int32_t> values(rows.size() * kDim, n);
        table->Set(rows, Bytes(values), 1);
      }
    });
  }
  for (int i = 0; i < 300; ++i) {
    const auto values = Read<int32_t>(*table, rows);
    for (size_t r = 0; r < rows.size(); ++r) {
      const auto begin = values.begin() + static_cast<long>(r * kDim);
      ASSERT_EQ(std::count(begin, begin + kDim, *begin), kDim);
    }
  }
  stop = true;
  for (std::thread& writer : writers) writer.join();
}

TEST(TensorTableTest, MemoryIsReservedWhole) {
  // 1024 rows at one server: 16 blocks of 64.
  const TensorShape shape{"t", 1000, 4, DType::kFloat32};
  // Whole pages, and what a server keeps beside them.
  EXPECT_EQ(TensorTable::BytesOf(shape, PlaceOf(1, 0)),
            1024 * 16u + 4096 + 4096);
  EXPECT_EQ(
      TensorTable::OptimizerBytes(shape, PlaceOf(1, 0), OptimizerKind::kSgd),
      1024 * 4u);
  EXPECT_EQ(TensorTable::OptimizerBytes(shape, PlaceOf(1, 0),
                                        OptimizerKind::kAdagrad),
            1024 * (16u + 4));
  EXPECT_EQ(
      TensorTable::OptimizerBytes(shape, PlaceOf(1, 0), OptimizerKind::kAdam),
      1024 * (32u + 4 + 4));
}

}  // namespace
}  // namespace tributary
