// CRC32C and SHA-256 against published check values.
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "common/hash/crc32c.h"
#include "common/hash/sha256.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

absl::Span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// RFC 3720, B.4.
TEST(Crc32c, MeetsPublishedVectors) {
  EXPECT_EQ(Crc32c(Bytes("123456789")), 0xe3069283u);
  EXPECT_EQ(Crc32c(std::vector<uint8_t>(32, 0)), 0x8a9136aau);
  EXPECT_EQ(Crc32c(std::vector<uint8_t>(32, 0xff)), 0x62a8ab43u);
  std::vector<uint8_t> ascending(32);
  std::iota(ascending.begin(), ascending.end(), uint8_t{0});
  EXPECT_EQ(Crc32c(ascending), 0x46dd794eu);
  EXPECT_EQ(Crc32c({}), 0u);
}

TEST(Crc32c, ExtendsOverAnyCutsAndWhileCopying) {
  std::vector<uint8_t> bytes(100'003);
  uint32_t state = 1;
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(state = state * 69069 + 1);
  const absl::Span<const uint8_t> all(bytes);
  const uint32_t whole = Crc32c(all);
  for (size_t cut : {size_t{0}, size_t{1}, size_t{16 << 10}, size_t{99'999}}) {
    EXPECT_EQ(ExtendCrc32c(Crc32c(all.first(cut)), all.subspan(cut)), whole);
  }
  std::vector<uint8_t> copy(bytes.size());
  EXPECT_EQ(CopyWithCrc32c(0, all, copy.data()), whole);
  EXPECT_EQ(copy, bytes);
}

// FIPS 180-4 examples.
TEST(Sha256, MeetsPublishedVectors) {
  EXPECT_EQ(ToHex(Sha256Of("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(ToHex(Sha256Of("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, IntegersAreLittleEndianAndFinishStartsAnew) {
  Sha256 sha;
  sha.UpdateU8(0x01);
  sha.UpdateU32(0x05040302);
  sha.UpdateU64(0x0d0c0b0a09080706);
  const Sha256Digest fed = sha.Finish();
  EXPECT_EQ(ToHex(fed), ToHex(Sha256Of(std::string(
                            "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c"
                            "\x0d"))));
  sha.Update("abc");
  EXPECT_EQ(ToHex(sha.Finish()), ToHex(Sha256Of("abc")));
}

}  // namespace
}  // namespace tributary
