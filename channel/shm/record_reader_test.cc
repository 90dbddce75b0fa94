#include "channel/shm/record_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <string>
#include <vector>

#include "channel/envelope.h"
#include "channel/net/fd_message.h"
#include "channel/net/socket_pair.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Result = RecordReader::ReadResult;

std::string Bytes(const Record& record, const std::string& after = "") {
  const auto bytes = RecordBytes(record);
  return std::string(bytes.begin(), bytes.end()) + after;
}

// A close record with `text`, which either end may send.
std::string Close(const std::string& text) {
  return Bytes({.kind = RecordKind::kClose,
                .length = static_cast<uint32_t>(text.size())},
               text);
}

class RecordReaderTest : public ::testing::Test {
 protected:
  void Write(const std::string& bytes, int fd = -1) {
    iovec piece = {const_cast<char*>(bytes.data()), bytes.size()};
    ASSERT_EQ(SendWithFd(pair_.second.get(), {&piece, 1}, fd),
              static_cast<ssize_t>(bytes.size()));
  }
  Result Read() { return reader_.ReadFrom(pair_.first.get()); }
  // The texts of the records that are complete.
  std::vector<std::string> Take() {
    std::vector<std::string> texts;
    while (true) {
      const auto next = reader_.Next();
      EXPECT_TRUE(next.ok()) << next.status();
      if (!next.ok() || !next->has_value()) return texts;
      texts.emplace_back((*next)->bytes.begin(), (*next)->bytes.end());
    }
  }

  SocketPair pair_ = MakeSocketPair(SOCK_STREAM).value();
  RecordReader reader_{/*from_trainer=*/true};
};

TEST_F(RecordReaderTest, ReportsWhatTheSocketHas) {
  EXPECT_EQ(Read(), Result::kNothing);
  EXPECT_THAT(Take(), ElementsAre());
  Write(Close("a"));
  EXPECT_EQ(Read(), Result::kDrained);
  pair_.second.Reset();
  EXPECT_EQ(Read(), Result::kEnded);
  EXPECT_THAT(Take(), ElementsAre("a")) << "what came before the end";
}

TEST_F(RecordReaderTest, ParsesSeveralRecordsOfOneRead) {
  Write(Close("one") + Close("") + Close("three"));
  EXPECT_EQ(Read(), Result::kDrained);
  EXPECT_THAT(Take(), ElementsAre("one", "", "three"));
}

TEST_F(RecordReaderTest, PutsRecordsTogetherFromPiecesOfAnySize) {
  const std::string all = Close("first") + Close("second") + Close("third");
  for (size_t piece = 1; piece < all.size(); ++piece) {
    std::vector<std::string> texts;
    for (size_t at = 0; at < all.size(); at += piece) {
      Write(all.substr(at, piece));
      ASSERT_EQ(Read(), Result::kDrained);
      for (std::string& text : Take()) texts.push_back(std::move(text));
    }
    EXPECT_THAT(texts, ElementsAre("first", "second", "third"))
        << "pieces of " << piece;
  }
}

// A message of 1 MiB, far more than one read brings, in the midst of others.
TEST_F(RecordReaderTest, ReadsARecordLargerThanItsBuffer) {
  std::string large(size_t{1} << 20, '\0');
  for (size_t i = 0; i < large.size(); ++i) {
    large[i] = static_cast<char>(i * 31 >> 3);
  }
  const std::string all = Close("before") +
                          Bytes({.kind = RecordKind::kMessage,
                                 .length = static_cast<uint32_t>(large.size())},
                                large) +
                          Close("after");
  std::vector<std::string> texts;
  for (size_t at = 0; at < all.size(); at += 50000) {
    Write(all.substr(at, 50000));
    while (Read() == Result::kPart) {
    }
    for (std::string& text : Take()) texts.push_back(std::move(text));
  }
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_EQ(texts[0], "before");
  EXPECT_TRUE(texts[1] == large);  // too long to print
  EXPECT_EQ(texts[2], "after");
}

TEST_F(RecordReaderTest, ReportsThatMoreMayHaveArrived) {
  const std::string bytes(size_t{64} << 10, '\0');
  Write(bytes);
  EXPECT_EQ(Read(), Result::kPart) << "the buffer is full";
  EXPECT_EQ(Read(), Result::kNothing);
}

TEST_F(RecordReaderTest, RefusesWhatIsNoRecord) {
  Write(Bytes({.kind = static_cast<RecordKind>(9)}));
  Read();
  const auto next = reader_.Next();
  EXPECT_EQ(next.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(next.status().message()),
              HasSubstr("kind 9: no such kind"));
}

TEST_F(RecordReaderTest, AcceptsRoomsFromTrainersOnly) {
  const std::string lends = Bytes(
      {.kind = RecordKind::kMessage, .length = kEnvelopePrefixBytes, .room = 1},
      std::string(kEnvelopePrefixBytes, '\0'));
  const std::string releases =
      Bytes({.kind = RecordKind::kReleased, .room = 1});
  const auto status = [&](bool from_trainer, const std::string& bytes) {
    const SocketPair pair = MakeSocketPair(SOCK_STREAM).value();
    EXPECT_EQ(send(pair.second.get(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
    RecordReader reader(from_trainer);
    EXPECT_EQ(reader.ReadFrom(pair.first.get()), Result::kDrained);
    return reader.Next().status().code();
  };
  EXPECT_EQ(status(true, lends), absl::StatusCode::kOk);
  EXPECT_EQ(status(false, lends), absl::StatusCode::kDataLoss);
  EXPECT_EQ(status(true, releases), absl::StatusCode::kDataLoss);
  EXPECT_EQ(status(false, releases), absl::StatusCode::kOk);
}

TEST_F(RecordReaderTest, ReturnsDescriptorsInTheirOrder) {
  const SocketPair a = MakeSocketPair(SOCK_STREAM).value();
  const SocketPair b = MakeSocketPair(SOCK_STREAM).value();
  EXPECT_FALSE(reader_.TakeFd().valid());
  Write(Close("a"), a.first.get());
  Write(Close("b"), b.first.get());
  while (Read() != Result::kNothing) {
  }
  EXPECT_THAT(Take(), ElementsAre("a", "b"));
  const UniqueFd first = reader_.TakeFd(), second = reader_.TakeFd();
  ASSERT_TRUE(first.valid() && second.valid());
  EXPECT_FALSE(reader_.TakeFd().valid());
  EXPECT_EQ(send(first.get(), "1", 1, 0), 1);
  EXPECT_EQ(send(second.get(), "2", 1, 0), 1);
  char byte = 0;
  EXPECT_EQ(recv(a.second.get(), &byte, 1, MSG_DONTWAIT), 1);
  EXPECT_EQ(byte, '1');
  EXPECT_EQ(recv(b.second.get(), &byte, 1, MSG_DONTWAIT), 1);
  EXPECT_EQ(byte, '2');
}

TEST_F(RecordReaderTest, RefusesDescriptorsThatNoRecordTakes) {
  for (uint32_t i = 0; i <= kMaxMemories; ++i) {
    EXPECT_TRUE(reader_.Next().ok()) << i << " descriptors";
    Write("x", pair_.first.get());
    ASSERT_EQ(Read(), Result::kDrained);
  }
  EXPECT_EQ(reader_.Next().status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(RecordReaderTest, DiscardsEverythingOnceItIsTold) {
  Write(Close("a") + "the beginning of another", pair_.first.get());
  EXPECT_EQ(Read(), Result::kDrained);
  reader_.DiscardAll();
  EXPECT_THAT(Take(), ElementsAre());
  EXPECT_FALSE(reader_.TakeFd().valid());
  Write(Close("b"), pair_.first.get());
  EXPECT_EQ(Read(), Result::kDrained);
  EXPECT_THAT(Take(), ElementsAre());
  EXPECT_FALSE(reader_.TakeFd().valid());
  pair_.second.Reset();
  EXPECT_EQ(Read(), Result::kEnded);
}

}  // namespace
}  // namespace tributary
