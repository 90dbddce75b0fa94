#include "channel/net/send_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "channel/net/fd_message.h"
#include "channel/net/socket_pair.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;

constexpr size_t kHead = 40;

OutgoingRecord MakeOutgoing(uint64_t number, size_t counted = 0) {
  uint8_t head[kHead] = {};
  std::memcpy(head, &number, sizeof(number));
  OutgoingRecord out(head);
  out.counted_bytes = counted;
  return out;
}

// A record with `bytes` of payload, all `fill`.
OutgoingRecord WithPayload(uint64_t number, size_t bytes, char fill) {
  auto owner = std::make_shared<std::string>(bytes, fill);
  OutgoingRecord out = MakeOutgoing(number, bytes);
  out.payload = absl::MakeConstSpan(
      reinterpret_cast<const uint8_t*>(owner->data()), owner->size());
  out.payload_owner = std::move(owner);
  return out;
}

std::vector<uint64_t> Numbers(const SendQueue::Records& records) {
  std::vector<uint64_t> numbers(records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    std::memcpy(&numbers[i], records[i].head.data(), sizeof(uint64_t));
  }
  return numbers;
}

class SendQueueTest : public ::testing::Test {
 protected:
  void Connect(int type) {
    pair_ = MakeSocketPair(type).value();
    // No smaller than this whatever is asked for: a few KiB.
    const int small = 1;
    setsockopt(near(), SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
  }
  int near() const { return pair_.first.get(); }
  int far() const { return pair_.second.get(); }
  // What one read returns, with SOCK_SEQPACKET what one write has written;
  // empty if there is nothing.
  std::string Read(UniqueFd* fd = nullptr) {
    std::string bytes(1 << 16, '\0');
    UniqueFd ignored;
    const ssize_t n = ReceiveWithFd(far(), bytes.data(), bytes.size(),
                                    fd == nullptr ? &ignored : fd);
    bytes.resize(n < 0 ? 0 : static_cast<size_t>(n));
    return bytes;
  }

  SocketPair pair_;
  SendQueue queue_;
  SendQueue::Records removed_;
};

TEST_F(SendQueueTest, WritesHeadsAndPayloadsInOrder) {
  Connect(SOCK_SEQPACKET);
  OutgoingRecord first = WithPayload(1, 3, 'a');
  const uint8_t more[] = {'x', 'y'};
  first.AppendToHead(more);
  EXPECT_EQ(first.size(), kHead + 2 + 3);
  queue_.Push(std::move(first));
  queue_.Push(WithPayload(2, 1, 'b'));
  EXPECT_EQ(queue_.bytes(), 4u);
  queue_.WriteTo(near(), &removed_);
  const std::string piece = Read();
  ASSERT_EQ(piece.size(), 2 * kHead + 2 + 3 + 1);
  EXPECT_EQ(piece.substr(kHead, 5), "xyaaa");
  EXPECT_EQ(piece.substr(2 * kHead + 5), "b");
  EXPECT_THAT(Numbers(removed_), ElementsAre(1, 2));
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(queue_.bytes(), 0u);
}

TEST_F(SendQueueTest, WritesSixteenRecordsAtOnce) {
  Connect(SOCK_SEQPACKET);
  for (uint64_t i = 1; i <= 18; ++i) queue_.Push(MakeOutgoing(i));
  queue_.WriteTo(near(), &removed_);
  EXPECT_EQ(Read().size(), 16 * kHead);
  EXPECT_EQ(Read().size(), 2 * kHead);
}

TEST_F(SendQueueTest, ADescriptorGoesWithTheFirstByteOfItsRecord) {
  Connect(SOCK_SEQPACKET);
  const SocketPair sent = MakeSocketPair(SOCK_STREAM).value();
  queue_.Push(MakeOutgoing(1));
  OutgoingRecord with_fd = MakeOutgoing(2);
  with_fd.fd = sent.first.get();
  queue_.Push(std::move(with_fd));
  queue_.Push(MakeOutgoing(3));
  queue_.WriteTo(near(), &removed_);
  UniqueFd none, received;
  EXPECT_EQ(Read(&none).size(), kHead) << "ends before the descriptor's record";
  EXPECT_FALSE(none.valid());
  EXPECT_EQ(Read(&received).size(), 2 * kHead);
  ASSERT_TRUE(received.valid());
  ASSERT_EQ(write(received.get(), "!", 1), 1);
  char byte = 0;
  ASSERT_EQ(read(sent.second.get(), &byte, 1), 1);
  EXPECT_EQ(byte, '!') << "another descriptor of the same socket";
}

TEST_F(SendQueueTest, KeepsWhatTheSocketDoesNotTake) {
  Connect(SOCK_STREAM);
  constexpr size_t kPayload = 1 << 20;
  const char fill[] = {'a', 'b', 'c'};
  for (uint64_t i = 1; i <= 3; ++i) {
    queue_.Push(WithPayload(i, kPayload, fill[i - 1]));
  }
  queue_.WriteTo(near(), &removed_);
  EXPECT_TRUE(removed_.empty());
  EXPECT_EQ(queue_.bytes(), 3 * kPayload) << "the first counts in full";
  std::string all;
  while (all.size() < 3 * (kHead + kPayload)) {
    const std::string piece = Read();
    ASSERT_FALSE(piece.empty());
    all += piece;
    queue_.WriteTo(near(), &removed_);
  }
  EXPECT_TRUE(queue_.empty());
  EXPECT_THAT(Numbers(removed_), ElementsAre(1, 2, 3));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(all.substr(i * (kHead + kPayload) + kHead, kPayload),
              std::string(kPayload, fill[i]));
  }
}

TEST_F(SendQueueTest, DropUnstartedKeepsARecordWrittenInPart) {
  Connect(SOCK_STREAM);
  queue_.Push(WithPayload(1, 1 << 20, 'a'));
  queue_.Push(WithPayload(2, 7, 'b'));
  queue_.WriteTo(near(), &removed_);
  ASSERT_TRUE(removed_.empty());
  queue_.DropUnstarted(&removed_);
  EXPECT_THAT(Numbers(removed_), ElementsAre(2));
  EXPECT_EQ(queue_.bytes(), size_t{1} << 20);
  queue_.DropAll(&removed_);
  EXPECT_THAT(Numbers(removed_), ElementsAre(2, 1));
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(queue_.bytes(), 0u);
}

TEST_F(SendQueueTest, DropsTheRecordsWhenTheOtherEndIsGone) {
  Connect(SOCK_STREAM);
  pair_.second.Reset();
  queue_.Push(WithPayload(1, 10, 'a'));
  queue_.Push(WithPayload(2, 10, 'b'));
  queue_.WriteTo(near(), &removed_);
  EXPECT_THAT(Numbers(removed_), ElementsAre(2, 1));
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(queue_.bytes(), 0u);
}

TEST_F(SendQueueTest, WritesNothingToAClosedSocket) {
  queue_.Push(MakeOutgoing(1, 5));
  queue_.WriteTo(-1, &removed_);
  EXPECT_TRUE(removed_.empty());
  EXPECT_EQ(queue_.bytes(), 5u);
}

}  // namespace
}  // namespace tributary
