#include "sampler_server/tensors/table_steps.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

constexpr InitialValueOptions kZeros{};
constexpr InitialValueOptions kOnes{InitialKind::kOnes};
constexpr InitialValueOptions kUniform{InitialKind::kUniform, 0, 1, 3};
constexpr InitialValueOptions kNormal{InitialKind::kNormal, 0, 1, 3};

std::shared_ptr<TensorTable> Make(const std::string& name, uint64_t rows,
                                  uint32_t dim,
                                  const InitialValueOptions& initial) {
  const TensorShape shape{name, rows, dim, DType::kFloat32};
  const std::vector<RowMember> members = {{"a:1", 1}};
  TensorTable::Place place{
      std::make_shared<const RowPlacement>(*RowPlacement::Create(members)), 0};
  return *TensorTable::Create(
      shape, place,
      *RowInitializer::Create(initial, name, rows, dim, shape.dtype),
      Reservation());
}

template <typename T>
const uint8_t* Bytes(const std::vector<T>& values) {
  return reinterpret_cast<const uint8_t*>(values.data());
}

std::vector<uint64_t> AllRows(const TensorTable& table) {
  std::vector<uint64_t> rows(table.shape().num_rows);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

std::vector<float> ValuesOf(const TensorTable& table) {
  const auto rows = AllRows(table);
  std::vector<float> values(rows.size() * table.shape().width());
  table.Read(rows, reinterpret_cast<uint8_t*>(values.data()));
  return values;
}

// Takes the steps of `work`, each of `limit`; calls `between` after each.
struct Steps {
  int count = 0;
  uint64_t most = 0;  // work of one
};
template <typename Work, typename Between>
Steps TakeSteps(Work& work, uint64_t limit, Between between) {
  Steps steps;
  for (bool is_over = false; !is_over;) {
    WorkSlice slice(limit);
    is_over = work.Step(slice);
    ++steps.count;
    steps.most = std::max(steps.most, slice.spent());
    between();
  }
  return steps;
}
template <typename Work>
Steps TakeSteps(Work& work, uint64_t limit) {
  return TakeSteps(work, limit, [] {});
}

// Slices down to a single row, or a value of one.
class TableStepsTest : public ::testing::TestWithParam<uint64_t> {};

INSTANTIATE_TEST_SUITE_P(Slices, TableStepsTest,
                         ::testing::Values(1, 100, 700, 5'000,
                                           WorkSlice::kLimit));

TEST_P(TableStepsTest, AReadIsTheSameHoweverItIsCut) {
  for (const auto& initial : {kZeros, kOnes, kUniform, kNormal}) {
    const auto table = Make("t", 200, 5, initial);
    table->Set(std::vector<uint64_t>{3, 64, 199},
               Bytes(std::vector<float>(15, 7)), 1);
    std::vector<uint64_t> rows = {199, 3, 3, 100, 0};
    for (uint64_t i = 0; i < 90; ++i) rows.push_back(i * 37 % 200);
    std::vector<float> whole(rows.size() * 5), cut(whole.size(), -1);
    table->Read(rows, reinterpret_cast<uint8_t*>(whole.data()));
    TableRead read(table, rows, reinterpret_cast<uint8_t*>(cut.data()));
    TakeSteps(read, GetParam());
    EXPECT_EQ(read.num_copied(), rows.size());
    EXPECT_EQ(cut, whole);
  }
}

TEST_P(TableStepsTest, OnlyRowsThatHaveChangedAreRead) {
  const auto table = Make("t", 300, 2, kNormal);
  ASSERT_TRUE(table->AttachOptimizer(OptimizerKind::kSgd, {}).ok());
  std::vector<uint64_t> rows(299);
  std::iota(rows.rbegin(), rows.rend(), 1);
  std::vector<float> expected;
  for (uint64_t row = 1; row < 300; row += 3) {
    table->Set(std::vector<uint64_t>{row},
               Bytes<float>({static_cast<float>(row), 1}),
               row % 2 == 0 ? 5 : 4);
  }
  for (const uint64_t row : rows) {
    if (row % 3 == 1 && row % 2 == 0) {
      expected.insert(expected.end(), {static_cast<float>(row), 1});
    }
  }
  std::vector<uint8_t> bits(40, 0xff);
  std::vector<float> values(600);
  TableRead read(table, rows, 4, absl::MakeSpan(bits).first(38),
                 reinterpret_cast<uint8_t*>(values.data()));
  TakeSteps(read, GetParam());
  values.resize(read.num_copied() * 2);
  EXPECT_EQ(values, expected);
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(bits[i / 8] >> i % 8 & 1,
              rows[i] % 3 == 1 && rows[i] % 2 == 0 ? 1 : 0)
        << i;
  }
}

TEST_P(TableStepsTest, AWriteIsTheSameHoweverItIsCut) {
  for (const auto& initial : {kZeros, kOnes, kUniform, kNormal}) {
    for (const bool adds : {false, true}) {
      const auto whole = Make("t", 150, 3, initial);
      const auto cut = Make("t", 150, 3, initial);
      std::vector<uint64_t> rows;
      std::vector<float> values;
      for (uint64_t i = 0; i < 120; ++i) {
        rows.push_back(i * 53 % 97);  // some come twice
        for (uint64_t c = 0; c < 3; ++c) {
          values.push_back(static_cast<float>(i * 3 + c) / 8);
        }
      }
      if (adds) {
        whole->Add(rows, Bytes(values), 1);
      } else {
        whole->Set(rows, Bytes(values), 1);
      }
      TableWrite write(cut, rows, Bytes(values), adds, 1);
      TakeSteps(write, GetParam());
      EXPECT_EQ(ValuesOf(*cut), ValuesOf(*whole)) << adds;
      EXPECT_EQ(cut->written_rows(), 97u);
    }
  }
}

// Rows that others write between two steps are added to as they are then.
TEST_P(TableStepsTest, AnAdditionLosesNoOtherWrite) {
  const auto table = Make("t", 64, 2, kNormal);
  const auto rows = AllRows(*table);
  const std::vector<float> ones(128, 1), hundreds(128, 100);
  TableWrite write(table, rows, Bytes(ones), /*adds=*/true, 1);
  bool others = false;
  TakeSteps(write, GetParam(), [&] {
    if (std::exchange(others, true)) return;
    table->Set(rows, Bytes(hundreds), 1);
  });
  for (const float value : ValuesOf(*table)) {
    // Before it or after it: nothing of the initial value is left.
    EXPECT_TRUE(value == 100 || value == 101) << value;
  }
}

TEST_P(TableStepsTest, ACopyHoldsTheSameRows) {
  for (const auto& from_initial : {kZeros, kOnes, kUniform, kNormal}) {
    for (const auto& to_initial : {kZeros, kOnes, kUniform}) {
      const auto from = Make("a", 130, 2, from_initial);
      const auto to = Make("b", 130, 2, to_initial);
      from->Set(std::vector<uint64_t>{3}, Bytes<float>({5, 6}), 1);
      to->Set(std::vector<uint64_t>{70}, Bytes<float>({7, 8}), 1);
      TableCopy copy(from, to, 1);
      TakeSteps(copy, GetParam());
      EXPECT_EQ(ValuesOf(*to), ValuesOf(*from));
      // Rows that held the same without being written still do.
      const bool same = from_initial.kind == to_initial.kind &&
                        from_initial.kind != InitialKind::kUniform;
      EXPECT_EQ(to->written_rows(), same ? 2u : 130u);
      // Exports have no row beyond the tensor.
      uint64_t cursor = 0;
      for (uint64_t row : to->WrittenFrom(&cursor, 1000, 1000)) {
        EXPECT_LT(row, 130u);
      }
      TableCopy self(to, to, 1);
      EXPECT_EQ(TakeSteps(self, GetParam()).count, 1);
    }
  }
}

// A row of 1 MiB of normal values, and 64 of them under one lock.
TEST(TableStepsBoundTest, NoStepTakesLongHoweverWideRowsAre) {
  const auto from = Make("a", 3, 1 << 18, kNormal);
  const auto to = Make("b", 3, 1 << 18, kNormal);
  TableCopy copy(from, to, 1);
  const Steps copied = TakeSteps(copy, WorkSlice::kLimit);
  EXPECT_GE(copied.count, 3 * (1 << 18) * 60 / 200'000);
  EXPECT_LE(copied.most, 2 * WorkSlice::kLimit);

  std::vector<uint8_t> out(size_t{3} << 20);
  TableRead read(Make("c", 3, 1 << 18, kNormal), {0, 1, 2}, out.data());
  const Steps steps = TakeSteps(read, WorkSlice::kLimit);
  EXPECT_GE(steps.count, 3 * (1 << 18) * 60 / 200'000);
  EXPECT_LE(steps.most, WorkSlice::kLimit + WorkSlice::kLimit / 10);

  const std::vector<float> ones(3 << 18, 1);
  TableWrite write(to, {0, 1, 2}, Bytes(ones), /*adds=*/true, 1);
  // A row is added whole.
  EXPECT_LE(TakeSteps(write, WorkSlice::kLimit).most,
            WorkSlice::kLimit + (1 << 18));
}

}  // namespace
}  // namespace tributary
