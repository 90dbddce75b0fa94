#include "common/buffer.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tributary {
namespace {

TEST(AlignedBuffer, IsAlignedAndWritable) {
  for (size_t size : {size_t{1}, size_t{64}, size_t{4096}, size_t{5} << 20}) {
    AlignedBuffer buffer(size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % kCacheLine, 0u);
    EXPECT_EQ(buffer.size(), size);
    std::memset(buffer.data(), 7, size);
    EXPECT_EQ(buffer.span().back(), 7);
  }
}

// A huge page at its end would hold 2 MiB for the last byte. Large enough to be
// a mapping of its own, which nobody has written to before.
TEST(AlignedBuffer, HoldsNoHugePageBeyondItsEnd) {
  constexpr size_t kPage = 4096, kWhole = size_t{40} << 20;
  AlignedBuffer buffer(kWhole + 1);
  std::memset(buffer.data(), 7, buffer.size());
  std::vector<unsigned char> resident((size_t{2} << 20) / kPage - 1);
  ASSERT_EQ(mincore(buffer.data() + kWhole + kPage, resident.size() * kPage,
                    resident.data()),
            0);
  EXPECT_EQ(std::count(resident.begin(), resident.end(), 0),
            static_cast<ptrdiff_t>(resident.size()));
}

TEST(AlignedBuffer, MovesItsMemory) {
  AlignedBuffer a(100);
  uint8_t* const where = a.data();
  AlignedBuffer b = std::move(a);
  EXPECT_EQ(b.data(), where);
  AlignedBuffer c(5);
  c = std::move(b);
  EXPECT_EQ(c.data(), where);
  EXPECT_EQ(c.size(), 100u);
  EXPECT_EQ(AlignedBuffer().data(), nullptr);
}

TEST(AlignUp, RoundsToTheNextMultiple) {
  EXPECT_EQ(AlignUp(0, 64), 0u);
  EXPECT_EQ(AlignUp(1, 64), 64u);
  EXPECT_EQ(AlignUp(64, 64), 64u);
  EXPECT_EQ(AlignUp(65, 64), 128u);
}

}  // namespace
}  // namespace tributary
