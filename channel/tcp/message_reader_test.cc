#include "channel/tcp/message_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "channel/envelope.h"
#include "channel/testing/recording_stream.h"
#include "common/testing/held_memory.h"

namespace tributary {
namespace {

using conformance::AsHeard;
using conformance::BytesOf;
using conformance::Heard;
using conformance::MakeMessage;
using ::testing::HasSubstr;

// Records what it is given; `room` names the room of each payload.
class RecordingSink final : public MessageReader::Sink {
 public:
  PayloadRoom RoomFor(const IncomingMessage& message) override {
    asked_.emplace_back(message.header());
    return room ? room(message.payload_size()) : PayloadRoom();
  }
  absl::Status TakeMessage(IncomingMessage& message) override {
    Heard heard{message.kind(), message.call_id(),
                std::string(message.header()),
                std::string(message.payload_size(), '\0')};
    copied = message.CopyPayload(
        absl::MakeSpan(reinterpret_cast<uint8_t*>(heard.payload.data()),
                       heard.payload.size()));
    taken.push_back(std::move(heard));
    return on_taken ? on_taken(message) : absl::OkStatus();
  }

  std::function<PayloadRoom(size_t bytes)> room;
  std::function<absl::Status(IncomingMessage&)> on_taken;
  std::vector<Heard> taken;
  std::vector<std::string> asked_;
  absl::Status copied;
};

class MessageReaderTest : public ::testing::Test {
 protected:
  // Has the reader read all of `bytes`, at most `piece` at a time.
  absl::Status ReadAll(const std::string& bytes, size_t piece) {
    return ReadAll(bytes, piece, reader_);
  }
  absl::Status ReadAll(const std::string& bytes, size_t piece,
                       MessageReader& reader) {
    size_t at = 0;
    while (true) {
      const auto result = reader.ReadFrom(
          [&](absl::Span<iovec> to) -> ssize_t {
            if (at == bytes.size()) {
              errno = EAGAIN;
              return -1;
            }
            return Fill(to, bytes, std::min(piece, bytes.size() - at), &at);
          },
          sink_);
      if (!result.ok()) return result.status();
      if (*result == MessageReader::ReadResult::kNothing) {
        return absl::OkStatus();
      }
    }
  }

  MessageReader reader_;
  RecordingSink sink_;
  std::vector<const void*> read_to_;  // where pieces began

 private:
  ssize_t Fill(absl::Span<iovec> to, const std::string& bytes, size_t most,
               size_t* at) {
    size_t done = 0;
    for (const iovec& piece : to) {
      const size_t n = std::min(piece.iov_len, most - done);
      if (n == 0) break;
      read_to_.push_back(piece.iov_base);
      std::memcpy(piece.iov_base, bytes.data() + *at, n);
      *at += n;
      done += n;
    }
    return static_cast<ssize_t>(done);
  }
};

// Sent by each of a server's streams, it would be gigabytes.
TEST_F(MessageReaderTest, NothingIsHeldOfMessagesThatWereTaken) {
  for (const size_t payload : {0, 1 << 20}) {
    for (const size_t of_next : {0, 1, 40}) {
      const std::string next = BytesOf(MakeMessage(2, std::string(60, 'n'), 9));
      const std::string bytes =
          BytesOf(MakeMessage(1, std::string(kMaxHeaderBytes, 'h'), payload)) +
          next.substr(0, of_next);
      const int64_t before = HeldBytes();
      MessageReader reader;
      ASSERT_TRUE(ReadAll(bytes, 1 << 30, reader).ok());
      ASSERT_EQ(sink_.taken.size(), 1);
      sink_ = RecordingSink();
      read_to_ = {};
      EXPECT_LT(HeldBytes() - before, 2 * MessageReader::kBufferBytes)
          << payload << " " << of_next;
      ASSERT_TRUE(ReadAll(next.substr(of_next), 1 << 30, reader).ok());
      EXPECT_EQ(sink_.taken.size(), 1);
      sink_ = RecordingSink();
    }
  }
}

TEST_F(MessageReaderTest, MessagesArriveWholeWhateverThePieces) {
  std::string bytes;
  std::vector<Heard> sent;
  for (const size_t header : {0, 1, 500, 70000}) {
    for (const size_t payload : {0, 1, 16000, 16384, 300000, 1 << 20}) {
      const auto message = MakeMessage(payload, std::string(header, 'h'),
                                       payload, static_cast<uint32_t>(header));
      sent.push_back(AsHeard(message));
      bytes += BytesOf(message);
    }
  }
  for (const size_t piece : {17, 32, 33, 4095, 16384, 100000, 1 << 30}) {
    sink_.taken.clear();
    ASSERT_TRUE(ReadAll(bytes, piece).ok()) << piece;
    EXPECT_TRUE(sink_.taken == sent) << piece;
    EXPECT_TRUE(sink_.copied.ok()) << sink_.copied;
  }
}

TEST_F(MessageReaderTest, ALargePayloadIsReadIntoItsRoom) {
  constexpr size_t kBytes = 1 << 20;
  std::vector<uint8_t> room(kBytes);
  auto owner = std::make_shared<int>(0);
  sink_.room = [&](size_t bytes) {
    EXPECT_EQ(bytes, kBytes);
    return PayloadRoom{absl::MakeSpan(room), owner};
  };
  absl::Status same;
  long owners = 0;
  sink_.on_taken = [&](IncomingMessage& message) {
    same = message.CopyPayload(absl::MakeSpan(room));
    owners = owner.use_count();
    return absl::OkStatus();
  };
  const auto message = MakeMessage(7, "where", kBytes);
  ASSERT_TRUE(ReadAll(BytesOf(message), 1 << 30).ok());
  EXPECT_EQ(sink_.asked_, std::vector<std::string>{"where"});
  EXPECT_TRUE(same.ok()) << same;
  EXPECT_TRUE(std::equal(room.begin(), room.end(), message.payload.begin()));
  // All but what came with the header went straight there.
  size_t straight = 0;
  for (const void* at : read_to_) {
    straight += at >= room.data() && at < room.data() + kBytes;
  }
  EXPECT_EQ(straight, read_to_.size() - 1) << "but the head";
  EXPECT_EQ(owners, 2) << "held while the message is handled";
  EXPECT_EQ(owner.use_count(), 1) << "and no longer";
}

TEST_F(MessageReaderTest, ADamagedPayloadIsFoundWhereverItLies) {
  std::vector<uint8_t> room(300000);
  for (const size_t payload : {5, 300000}) {
    for (const bool named : {false, true}) {
      sink_.room = nullptr;
      if (named) {
        sink_.room = [&](size_t bytes) {
          return PayloadRoom{absl::MakeSpan(room.data(), bytes), nullptr};
        };
      }
      std::string bytes = BytesOf(MakeMessage(1, "h", payload));
      bytes.back() ^= 1;
      ASSERT_TRUE(ReadAll(bytes, 1 << 30).ok());
      EXPECT_EQ(sink_.copied.code(), absl::StatusCode::kDataLoss)
          << sink_.copied;
    }
  }
}

TEST_F(MessageReaderTest, WhatIsNoMessageIsRefused) {
  const std::string good = BytesOf(MakeMessage(1, "header", 10));
  const auto read = [&](size_t at, uint8_t flip) {
    std::string bytes = good;
    bytes[at] ^= static_cast<char>(flip);
    MessageReader fresh;
    std::swap(reader_, fresh);
    return ReadAll(bytes, 1 << 30);
  };
  for (const size_t at : {0, 4, 6, 8, 16, 20, 24, 28, 33}) {
    EXPECT_EQ(read(at, 1).code(), absl::StatusCode::kDataLoss) << at;
  }
  const absl::Status long_header = read(18, 0x20);  // 2 MiB more
  EXPECT_THAT(std::string(long_header.message()), HasSubstr("claims a header"));
  EXPECT_TRUE(sink_.taken.empty());
}

TEST_F(MessageReaderTest, AnErrorOfTheSinkEndsTheReading) {
  sink_.on_taken = [](IncomingMessage&) {
    return absl::AbortedError("enough");
  };
  const std::string bytes = BytesOf(MakeMessage(1, "h", 3));
  EXPECT_EQ(ReadAll(bytes + bytes, 1 << 30), absl::AbortedError("enough"));
  EXPECT_EQ(sink_.taken.size(), 1);
}

TEST_F(MessageReaderTest, ARoomOfAnotherSizeIsAnError) {
  std::vector<uint8_t> room(100);
  sink_.room = [&](size_t) {
    return PayloadRoom{absl::MakeSpan(room), nullptr};
  };
  EXPECT_EQ(ReadAll(BytesOf(MakeMessage(1, "h", 100000)), 1 << 30).code(),
            absl::StatusCode::kInternal);
}

TEST_F(MessageReaderTest, DropLetsGoOfTheRoomOfAnUnfinishedMessage) {
  std::vector<uint8_t> room(100000);
  auto owner = std::make_shared<int>(0);
  sink_.room = [&](size_t) { return PayloadRoom{absl::MakeSpan(room), owner}; };
  const std::string bytes = BytesOf(MakeMessage(1, "h", 100000));
  ASSERT_TRUE(ReadAll(bytes.substr(0, 50000), 1 << 30).ok());
  EXPECT_EQ(owner.use_count(), 2);
  reader_.Drop();
  EXPECT_EQ(owner.use_count(), 1);
}

TEST_F(MessageReaderTest, TheEndIsReported) {
  const auto ended =
      reader_.ReadFrom([](absl::Span<iovec>) { return 0; }, sink_);
  EXPECT_EQ(*ended, MessageReader::ReadResult::kEnded);
  EXPECT_EQ(errno, 0);
  const auto broken = reader_.ReadFrom(
      [](absl::Span<iovec>) {
        errno = ECONNRESET;
        return -1;
      },
      sink_);
  EXPECT_EQ(*broken, MessageReader::ReadResult::kEnded);
  EXPECT_EQ(errno, ECONNRESET);
}

}  // namespace
}  // namespace tributary
