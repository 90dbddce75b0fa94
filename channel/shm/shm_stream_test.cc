// What one end writes to its socket, and in which pieces.
#include "channel/shm/shm_stream.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "channel/net/fd_message.h"
#include "channel/testing/recording_stream.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;

constexpr auto kMessage = RecordKind::kMessage;
constexpr auto kReleased = RecordKind::kReleased;

// Keeps the rooms that come.
class RoomHolder final : public StreamHandler {
 public:
  explicit RoomHolder(conformance::Log* log) : log_(log) {}
  void OnMessage(IncomingMessage& message) override {
    {
      MutexLock lock(mutex_);
      rooms_.push_back(message.room());
    }
    log_->Changed();
  }
  void OnClosed(const absl::Status&) override {}
  // The next of them, once it is there.
  std::shared_ptr<SharedRoom> Take() {
    EXPECT_TRUE(log_->WaitUntil([this] {
      MutexLock lock(mutex_);
      return !rooms_.empty();
    }));
    MutexLock lock(mutex_);
    std::shared_ptr<SharedRoom> room = std::move(rooms_.front());
    rooms_.erase(rooms_.begin());
    return room;
  }

 private:
  conformance::Log* const log_;
  Mutex mutex_;
  std::vector<std::shared_ptr<SharedRoom>> rooms_ ABSL_GUARDED_BY(mutex_);
};

class ShmStreamTest : public ::testing::Test {
 protected:
  ~ShmStreamTest() override {
    loop_->Post([ends = std::move(ends_)] {
      for (const auto& end : ends) end->Break(absl::CancelledError("over"));
    });
    loop_.reset();
  }

  // A pair; with SOCK_SEQPACKET what is written by one call is read by one.
  void MakePair(int type) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends), 0);
    near_ = UniqueFd(ends[0]);
    far_ = UniqueFd(ends[1]);
  }
  std::shared_ptr<ShmStream> Start(ShmStream::Side side, UniqueFd socket,
                                   std::shared_ptr<StreamHandler> handler) {
    ends_.push_back(std::make_shared<ShmStream>(side, std::move(socket),
                                                "the other end", loop_.get(),
                                                nullptr, ShmStreamOptions{}));
    ends_.back()->Start(std::move(handler));
    return ends_.back();
  }

  // Room `number` as the server gets it, which nobody but the caller holds.
  std::shared_ptr<SharedRoom> Lend(uint64_t number) {
    SendMessage(
        {.room = number, .bytes = 4096, .has_fd = number == 1 ? 1u : 0u});
    SendMessage({});  // when this has come the first is over
    std::shared_ptr<SharedRoom> room = holder_->Take();
    EXPECT_EQ(holder_->Take(), nullptr);
    return room;
  }
  void SendMessage(Record record) {
    const OutgoingMessage message{.kind = MessageKind::kCredit};
    const EnvelopePrefix envelope = EncodePrefix(message);
    record.kind = kMessage;
    record.length = kEnvelopePrefixBytes;
    iovec pieces[] = {{&record, sizeof(record)},
                      {const_cast<uint8_t*>(envelope.data()), envelope.size()}};
    EXPECT_EQ(SendWithFd(far_.get(), absl::MakeSpan(pieces),
                         record.has_fd == 1 ? memory_->fd() : -1),
              static_cast<ssize_t>(sizeof(record) + envelope.size()));
  }
  // The records of what one call has written.
  std::vector<RecordKind> TakePiece() {
    std::vector<RecordKind> kinds;
    char piece[4096];
    const ssize_t size = recv(far_.get(), piece, sizeof(piece), 0);
    for (ssize_t at = 0; at < size;) {
      Record record;
      std::memcpy(&record, piece + at, sizeof(record));
      kinds.push_back(record.kind);
      at += static_cast<ssize_t>(sizeof(record)) + record.length;
    }
    return kinds;
  }

  conformance::Log log_;
  std::shared_ptr<SharedMemory> memory_ = SharedMemory::Create(4096).value();
  std::shared_ptr<RoomHolder> holder_ = std::make_shared<RoomHolder>(&log_);
  UniqueFd near_, far_;
  std::unique_ptr<SocketLoop> loop_ = SocketLoop::Start("test").value();
  std::vector<std::shared_ptr<ShmStream>> ends_;
};

OutgoingMessage Ready(std::shared_ptr<SharedRoom> room) {
  OutgoingMessage ready;
  ready.kind = MessageKind::kReady;
  ready.room = std::move(room);
  return ready;
}

TEST_F(ShmStreamTest, ARoomThatIsGivenBackFollowsItsAnswerInOnePiece) {
  MakePair(SOCK_SEQPACKET);
  const auto server =
      Start(ShmStream::Side::kServer, std::move(near_), holder_);
  ASSERT_TRUE(server->Send(Ready(Lend(1))).ok());
  EXPECT_THAT(TakePiece(), ElementsAre(kMessage, kReleased));
}

TEST_F(ShmStreamTest, ARoomIsNotReleasedWhileSomebodyElseHoldsIt) {
  MakePair(SOCK_SEQPACKET);
  const auto server =
      Start(ShmStream::Side::kServer, std::move(near_), holder_);
  std::shared_ptr<SharedRoom> held = Lend(1);
  ASSERT_TRUE(server->Send(Ready(held)).ok());
  ASSERT_TRUE(server->Send(Ready(Lend(2))).ok());
  EXPECT_THAT(TakePiece(), ElementsAre(kMessage));
  EXPECT_THAT(TakePiece(), ElementsAre(kMessage, kReleased)) << "the second";
  held.reset();
  EXPECT_THAT(TakePiece(), ElementsAre(kReleased));
}

TEST_F(ShmStreamTest, ARoomIsLetGoOfWhereItsAnswerCannotBeSent) {
  MakePair(SOCK_SEQPACKET);
  const auto server =
      Start(ShmStream::Side::kServer, std::move(near_), holder_);
  std::shared_ptr<SharedRoom> room = Lend(1);
  const std::weak_ptr<SharedRoom> watched = room;
  server->Close(absl::CancelledError("closed"));
  EXPECT_EQ(server->Send(Ready(std::move(room))).code(),
            absl::StatusCode::kUnavailable);
  EXPECT_TRUE(watched.expired());
  EXPECT_THAT(TakePiece(), ElementsAre(RecordKind::kClose));
  EXPECT_THAT(TakePiece(), ElementsAre()) << "the end, which returns the room";
}

// More than the socket takes, so that calls end in the midst of records.
TEST_F(ShmStreamTest, WhatPilesUpArrivesWholeAndInOrder) {
  MakePair(SOCK_STREAM);
  const auto server =
      Start(ShmStream::Side::kServer, std::move(near_), nullptr);
  std::vector<conformance::Heard> sent;
  for (uint32_t i = 0; i < 300; ++i) {
    auto message = conformance::MakeMessage(i, absl::StrCat("number ", i),
                                            i % 7 == 0 ? 0 : i * 97, i);
    sent.push_back(conformance::AsHeard(message));
    ASSERT_TRUE(server->Send(std::move(message)).ok());
  }
  EXPECT_GT(server->queued_bytes(), size_t{1} << 20);
  const auto trainer = std::make_shared<conformance::Recorder>(&log_);
  Start(ShmStream::Side::kTrainer, std::move(far_), trainer);
  ASSERT_TRUE(log_.WaitUntil([&] { return trainer->num_heard() == 300; }));
  EXPECT_EQ(trainer->heard(), sent);
  EXPECT_TRUE(log_.WaitUntil([&] { return server->queued_bytes() == 0; }));
}

}  // namespace
}  // namespace tributary
