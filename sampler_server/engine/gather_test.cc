#include "sampler_server/engine/gather.h"

#include <gtest/gtest.h>

#include <vector>

namespace tributary {
namespace {

// Rows of every size that takes another way, each byte telling where it is of.
TEST(Gather, CopiesAndScattersRows) {
  for (const size_t row_bytes : {1, 4, 8, 12, 64, 100, 400, 5000}) {
    std::vector<uint8_t> bytes(50 * row_bytes);
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<uint8_t>(i / row_bytes * 7 + i % row_bytes * 3);
    }
    const RowTable table{bytes, row_bytes};
    ASSERT_EQ(table.num_rows(), 50u);
    std::vector<uint64_t> rows;
    std::vector<uint32_t> to;
    for (uint32_t i = 0; i < 100; ++i) {
      rows.push_back(i * 37 % 50);
      to.push_back(99 - i);
    }
    const auto row = [&](const std::vector<uint8_t>& from, size_t i) {
      return std::vector<uint8_t>(from.begin() + i * row_bytes,
                                  from.begin() + (i + 1) * row_bytes);
    };
    std::vector<uint8_t> in_order(100 * row_bytes), turned(100 * row_bytes);
    GatherRows(table, rows, {}, in_order.data());
    GatherRows(table, rows, to, turned.data());
    std::vector<uint8_t> scattered(100 * row_bytes);
    ScatterRows({in_order, row_bytes}, to, scattered.data());
    for (size_t i = 0; i < 100; ++i) {
      ASSERT_EQ(row(in_order, i), row(bytes, rows[i])) << row_bytes;
      ASSERT_EQ(row(turned, 99 - i), row(bytes, rows[i]));
    }
    EXPECT_EQ(scattered, turned);
  }
}

}  // namespace
}  // namespace tributary
