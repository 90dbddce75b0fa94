#include "sampler_server/engine/questions/payload_arrays.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(PayloadArrays, HasTheLowestByteFirst) {
  Bytes bytes = {9};
  AppendLittleEndian<uint32_t>({0x01020304, 5}, &bytes);
  EXPECT_EQ(bytes, (Bytes{9, 4, 3, 2, 1, 5, 0, 0, 0}));
  const auto behind = absl::MakeConstSpan(bytes).subspan(1);
  EXPECT_EQ(ReadLittleEndian<uint32_t>(behind, 0), 0x01020304u);
  EXPECT_EQ(ReadLittleEndian<uint32_t>(behind, 1), 5u);
  EXPECT_EQ(ReadLittleEndianArray<uint32_t>(behind, 2),
            (std::vector<uint32_t>{0x01020304, 5}));
}

TEST(PayloadArrays, CopiesToAPlaceAndSaysWhereItEnds) {
  Bytes room(5, 7);
  const std::vector<uint16_t> values = {0x0201, 0x0403};
  uint8_t* end = CopyLittleEndian(absl::MakeConstSpan(values), room.data());
  EXPECT_EQ(end, room.data() + 4);
  EXPECT_EQ(CopyLittleEndian(absl::Span<const uint16_t>(), end), end);
  EXPECT_EQ(room, (Bytes{1, 2, 3, 4, 7}));
}

TEST(PayloadArrays, AnIdTakesTheBytesOfTheLargest) {
  EXPECT_EQ(PackedIdBytes(0), 1u);
  EXPECT_EQ(PackedIdBytes(256), 1u);  // ids up to 255
  EXPECT_EQ(PackedIdBytes(257), 2u);
  EXPECT_EQ(PackedIdBytes(uint64_t{1} << 24), 3u);
  EXPECT_EQ(PackedIdBytes(UINT64_MAX), 8u);
}

TEST(PayloadArrays, PacksIdsWithoutTheirHighBytes) {
  Bytes bytes;
  AppendPackedIds({0x010203, 0x0A0B0C}, 3, &bytes);
  EXPECT_EQ(bytes, (Bytes{3, 2, 1, 0x0C, 0x0B, 0x0A}));
  EXPECT_EQ(ReadPackedId(bytes, 3, 0), 0x010203u);
  EXPECT_EQ(ReadPackedId(bytes, 3, 1), 0x0A0B0Cu);
}

}  // namespace
}  // namespace tributary
