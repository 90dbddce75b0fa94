#include "channel/shm/peer_memories.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>

namespace tributary {
namespace {

using ::testing::HasSubstr;

constexpr size_t kMemory = size_t{1} << 16;

class PeerMemoriesTest : public ::testing::Test {
 protected:
  UniqueFd Descriptor() const {
    return UniqueFd(fcntl(sent_->fd(), F_DUPFD_CLOEXEC, 0));
  }
  // The error of a room in a memory that has been sent.
  std::string Refusal(uint64_t offset, uint64_t bytes) {
    const absl::Status status =
        memories_.Map({.room = 2, .offset = offset, .bytes = bytes}, UniqueFd())
            .status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    return std::string(status.message());
  }

  const std::shared_ptr<SharedMemory> sent_ =
      SharedMemory::Create(kMemory).value();
  PeerMemories memories_{kMemory};
};

TEST_F(PeerMemoriesTest, MapsTheSendersBytes) {
  const auto first = memories_.Map(
      {.room = 1, .offset = 4096, .bytes = 128, .has_fd = 1}, Descriptor());
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_EQ(first->bytes.size(), 128u);
  EXPECT_NE(first->bytes.data(), sent_->bytes().data() + 4096)
      << "another mapping";
  std::memcpy(first->bytes.data(), "abc", 4);
  EXPECT_STREQ(reinterpret_cast<const char*>(sent_->bytes().data()) + 4096,
               "abc");

  const auto second =
      memories_.Map({.room = 2, .offset = 4160, .bytes = 64}, UniqueFd());
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->bytes.data(), first->bytes.data() + 64) << "mapped once";
  EXPECT_EQ(second->memory, first->memory);
}

TEST_F(PeerMemoriesTest, TheRangeKeepsTheMapping) {
  MappedBytes mapped;
  {
    PeerMemories memories(kMemory);
    mapped =
        *memories.Map({.room = 1, .bytes = kMemory, .has_fd = 1}, Descriptor());
  }
  mapped.bytes.back() = 7;
  EXPECT_EQ(sent_->bytes().back(), 7);
}

TEST_F(PeerMemoriesTest, RefusesRangesThatAreNotInTheMemory) {
  ASSERT_TRUE(
      memories_.Map({.room = 1, .bytes = 64, .has_fd = 1}, Descriptor()).ok());
  EXPECT_THAT(Refusal(kMemory, 1), HasSubstr("a room at 65536 of 1 bytes"));
  EXPECT_THAT(Refusal(0, kMemory + 1), HasSubstr("in a memory of 65536"));
  EXPECT_THAT(Refusal(64, UINT64_MAX), HasSubstr("in a memory of 65536"));
  EXPECT_THAT(Refusal(UINT64_MAX - 63, 64), HasSubstr("in a memory of 65536"));
  EXPECT_THAT(Refusal(8, 64), HasSubstr("a room at 8")) << "not aligned";
  EXPECT_TRUE(memories_.Map({.room = 2, .bytes = kMemory}, UniqueFd()).ok());
  EXPECT_TRUE(memories_.Map({.room = 3, .offset = kMemory}, UniqueFd()).ok())
      << "an empty room at the end";
}

TEST_F(PeerMemoriesTest, RefusesMemoriesThatWereNotSentOrSentTwice) {
  EXPECT_THAT(Refusal(0, 64), HasSubstr("was not sent"));
  const Record with_fd{.room = 1, .bytes = 64, .has_fd = 1};
  EXPECT_EQ(memories_.Map(with_fd, UniqueFd()).status().code(),
            absl::StatusCode::kDataLoss);
  EXPECT_TRUE(memories_.Map(with_fd, Descriptor()).ok());
  EXPECT_EQ(memories_.Map(with_fd, Descriptor()).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST_F(PeerMemoriesTest, RefusesMemoriesBeyondTheLimit) {
  PeerMemories small(kMemory - 1);
  EXPECT_EQ(small.Map({.room = 1, .bytes = 64, .has_fd = 1}, Descriptor())
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(small.Map({.room = 1, .bytes = 64}, UniqueFd()).status().code(),
            absl::StatusCode::kDataLoss)
      << "it was not kept";
}

}  // namespace
}  // namespace tributary
