// Rooms in shared memory: who holds them, and what is refused.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "channel/envelope.h"
#include "channel/net/fd_message.h"
#include "channel/shm/record.h"
#include "channel/shm/shm_server.h"
#include "channel/shm/shm_transport.h"
#include "channel/testing/recording_stream.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

const Address kWorker{"worker", 1};
constexpr size_t kMemory = size_t{1} << 16;

// A range of a memory; reports its destruction to the log.
class Room final : public SharedRoom {
 public:
  Room(conformance::Log* log, absl::Span<uint8_t> bytes)
      : log_(log), bytes_(bytes) {}
  ~Room() override { log_->Changed(); }
  absl::Span<uint8_t> bytes() override { return bytes_; }

 private:
  conformance::Log* const log_;
  const absl::Span<uint8_t> bytes_;
};

// Keeps the rooms that come, and says why the stream closed.
class Holder final : public StreamHandler {
 public:
  explicit Holder(conformance::Log* log) : log_(log) {}
  void OnEachMessage(std::function<void()> callback) {
    MutexLock lock(mutex_);
    on_message_ = std::move(callback);
  }
  void OnMessage(IncomingMessage& message) override {
    std::function<void()> on_message;
    {
      MutexLock lock(mutex_);
      ++heard_;
      rooms_.push_back(message.room());
      on_message = on_message_;
    }
    if (on_message) on_message();
    log_->Changed();
  }
  void OnClosed(const absl::Status& why) override {
    {
      MutexLock lock(mutex_);
      why_ = why;
      closed_ = true;
    }
    log_->Changed();
  }
  size_t heard() {
    MutexLock lock(mutex_);
    return heard_;
  }
  bool closed() {
    MutexLock lock(mutex_);
    return closed_;
  }
  absl::Status why() {
    MutexLock lock(mutex_);
    return why_;
  }
  std::shared_ptr<SharedRoom> room(size_t i) {
    MutexLock lock(mutex_);
    return rooms_.at(i);
  }
  void DropRooms() {
    std::vector<std::shared_ptr<SharedRoom>> rooms;
    MutexLock lock(mutex_);
    rooms.swap(rooms_);
  }

 private:
  conformance::Log* const log_;
  Mutex mutex_;
  std::function<void()> on_message_ ABSL_GUARDED_BY(mutex_);
  size_t heard_ ABSL_GUARDED_BY(mutex_) = 0;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status why_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<SharedRoom>> rooms_ ABSL_GUARDED_BY(mutex_);
};

// Uses one holder as the handler of every stream.
class Acceptor final : public StreamAcceptor {
 public:
  explicit Acceptor(std::shared_ptr<Holder> holder)
      : holder_(std::move(holder)) {}
  std::shared_ptr<StreamHandler> Accept(StreamMethod, CallerPtr,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status*) override {
    MutexLock lock(mutex_);
    streams_.push_back(std::move(stream));
    return holder_;
  }
  std::shared_ptr<Stream> last_stream() {
    MutexLock lock(mutex_);
    return streams_.back();
  }

 private:
  const std::shared_ptr<Holder> holder_;
  Mutex mutex_;
  std::vector<std::shared_ptr<Stream>> streams_ ABSL_GUARDED_BY(mutex_);
};

class ShmRoomTest : public ::testing::Test {
 protected:
  ShmRoomTest() {
    WorkerDoor door = MakeWorkerDoor().value();
    raw_door_ = UniqueFd(fcntl(door.trainer.get(), F_DUPFD_CLOEXEC, 0));
    transport_->AddWorker(kWorker, std::move(door.trainer));
    transport_->AddMemory(memory_);
    ShmServerOptions options;
    options.trainer_gone = [this] {
      gone_.store(true);
      log_.Changed();
    };
    server_ =
        ShmServer::Start(&acceptor_, std::move(door.worker), options).value();
    stream_ = transport_->Connect(kWorker, StreamMethod::kBatches, trainer_);
  }
  ~ShmRoomTest() override {
    holder_->DropRooms();
    stream_.reset();
  }

  // A credit with bytes [offset, offset + 4096) as its room, which the test
  // only watches.
  std::weak_ptr<SharedRoom> SendRoom(size_t offset) {
    return Send(memory_->bytes().subspan(offset, 4096));
  }
  std::weak_ptr<SharedRoom> Send(absl::Span<uint8_t> bytes) {
    OutgoingMessage message;
    message.kind = MessageKind::kCredit;
    message.room = std::make_shared<Room>(&log_, bytes);
    std::weak_ptr<SharedRoom> room = message.room;
    EXPECT_TRUE(stream_->Send(std::move(message)).ok());
    return room;
  }
  bool Until(const std::function<bool()>& done) { return log_.WaitUntil(done); }

  conformance::Log log_;
  std::atomic<bool> gone_{false};
  std::shared_ptr<SharedMemory> memory_ = SharedMemory::Create(kMemory).value();
  std::shared_ptr<Holder> holder_ = std::make_shared<Holder>(&log_);
  std::shared_ptr<Holder> trainer_ = std::make_shared<Holder>(&log_);
  Acceptor acceptor_{holder_};
  UniqueFd raw_door_;
  std::unique_ptr<ShmTransport> transport_ = ShmTransport::Create().value();
  std::unique_ptr<ShmServer> server_;
  std::shared_ptr<Stream> stream_;
};

TEST_F(ShmRoomTest, AServerWritesIntoTheTrainersOwnMemory) {
  const auto first = SendRoom(4096), second = SendRoom(8192);
  ASSERT_TRUE(Until([&] { return holder_->heard() == 2; }));
  const absl::Span<uint8_t> bytes = holder_->room(1)->bytes();
  EXPECT_EQ(bytes.size(), 4096u);
  EXPECT_NE(bytes.data(), memory_->bytes().data() + 8192) << "another mapping";
  std::memcpy(bytes.data(), "abc", 4);
  EXPECT_STREQ(reinterpret_cast<const char*>(memory_->bytes().data()) + 8192,
               "abc");
  EXPECT_FALSE(first.expired());
  holder_->DropRooms();
  EXPECT_TRUE(Until([&] { return first.expired() && second.expired(); }));
}

TEST_F(ShmRoomTest, WhatIsNoSharedMemoryStaysAtHome) {
  uint8_t own[64] = {};
  const auto room = Send(absl::MakeSpan(own));
  ASSERT_TRUE(Until([&] { return holder_->heard() == 1; }));
  EXPECT_EQ(holder_->room(0), nullptr) << "the batch comes in frames";
  EXPECT_TRUE(Until([&] { return room.expired(); }));
}

TEST_F(ShmRoomTest, ARoomIsHeldBeyondTheTrainersCloseUntilTheServerLetsGo) {
  const auto room = SendRoom(0);
  ASSERT_TRUE(Until([&] { return holder_->heard() == 1; }));
  const std::shared_ptr<SharedRoom> held = holder_->room(0);
  holder_->DropRooms();
  stream_->Close(absl::CancelledError("silent"));
  ASSERT_TRUE(Until([&] { return holder_->closed() && trainer_->closed(); }));
  EXPECT_EQ(holder_->why().message(), "silent");
  EXPECT_FALSE(room.expired()) << "somebody may still write into it";
  std::memset(held->bytes().data(), 7, 4096);
  const_cast<std::shared_ptr<SharedRoom>&>(held).reset();
  EXPECT_TRUE(Until([&] { return room.expired(); }));
}

TEST_F(ShmRoomTest, ARoomIsHeldBeyondTheServersEndUntilItIsLetGoOf) {
  const auto room = SendRoom(0);
  ASSERT_TRUE(Until([&] { return holder_->heard() == 1; }));
  server_.reset();
  EXPECT_FALSE(room.expired());
  EXPECT_FALSE(trainer_->closed()) << "its socket is open";
  holder_->DropRooms();
  EXPECT_TRUE(Until([&] { return room.expired() && trainer_->closed(); }));
  EXPECT_EQ(trainer_->why().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ShmRoomTest, TheDoorTellsThatTheTrainerIsGone) {
  raw_door_.Reset();
  transport_->RemoveWorker(kWorker);
  EXPECT_TRUE(Until([&] { return gone_.load(); }));
  const auto refused = std::make_shared<Holder>(&log_);
  const auto stream =
      transport_->Connect(kWorker, StreamMethod::kBatches, refused);
  ASSERT_TRUE(Until([&] { return refused->closed(); }));
  EXPECT_EQ(refused->why().message(), "worker:1: no such worker");
}

// What only a foreign or damaged trainer sends.
class RawTrainer {
 public:
  RawTrainer(int door, Hello hello, size_t hello_bytes = sizeof(Hello)) {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    own_ = UniqueFd(ends[0]);
    const UniqueFd other(ends[1]);
    SendAll(door, &hello, hello_bytes, other.get());
  }
  void SendRecord(const Record& record, const std::string& bytes, int fd = -1) {
    std::string all(reinterpret_cast<const char*>(&record), sizeof(record));
    all += bytes;
    SendAll(own_.get(), all.data(), all.size(), fd);
  }
  // Why the server closes the stream.
  std::string AwaitClose() {
    std::string all;
    char piece[4096];
    while (true) {
      const ssize_t n = recv(own_.get(), piece, sizeof(piece), 0);
      if (n <= 0) break;
      all.append(piece, static_cast<size_t>(n));
    }
    return all.size() <= sizeof(Record) ? "" : all.substr(sizeof(Record));
  }

 private:
  static void SendAll(int socket, const void* bytes, size_t size, int fd) {
    iovec piece = {const_cast<void*>(bytes), size};
    EXPECT_EQ(SendWithFd(socket, {&piece, 1}, fd), static_cast<ssize_t>(size));
  }

  UniqueFd own_;
};

std::string Envelope() {
  OutgoingMessage message;
  message.kind = MessageKind::kCredit;
  const EnvelopePrefix prefix = EncodePrefix(message);
  return std::string(prefix.begin(), prefix.end());
}

Record MessageRecord() {
  return {.kind = RecordKind::kMessage,
          .length = static_cast<uint32_t>(Envelope().size())};
}

TEST_F(ShmRoomTest, RefusesForeignTrainers) {
  EXPECT_THAT(RawTrainer(raw_door_.get(), {.magic = 1}).AwaitClose(),
              HasSubstr("not a Tributary trainer"));
  EXPECT_THAT(RawTrainer(raw_door_.get(), {}, 3).AwaitClose(),
              HasSubstr("not a Tributary trainer"));
  EXPECT_THAT(RawTrainer(raw_door_.get(), {.version = 2}).AwaitClose(),
              HasSubstr("version 2; this worker speaks 1"));
  EXPECT_THAT(RawTrainer(raw_door_.get(), {.method = 4}).AwaitClose(),
              HasSubstr("no method 4"));
}

// Its socket may have ended already, and then the room is somebody else's.
TEST_F(ShmRoomTest, TakesNoRoomOnceItsEndHasClosed) {
  holder_->OnEachMessage([this] {
    OutgoingMessage too_long;
    too_long.header.resize(kMaxHeaderBytes + 1);
    EXPECT_FALSE(acceptor_.last_stream()->Send(std::move(too_long)).ok());
  });
  RawTrainer trainer(raw_door_.get(), {});
  Record credit = MessageRecord();
  credit.room = 1;
  credit.bytes = 4096;
  credit.has_fd = 1;
  const std::string credit_bytes(reinterpret_cast<const char*>(&credit),
                                 sizeof(credit));
  // In one piece, so that both are read before anybody is told of the close.
  trainer.SendRecord(MessageRecord(), Envelope() + credit_bytes + Envelope(),
                     memory_->fd());
  EXPECT_THAT(trainer.AwaitClose(), HasSubstr("header"));
  ASSERT_TRUE(Until([&] { return holder_->closed(); }));
  EXPECT_EQ(holder_->heard(), 1u) << "the credit came after the close";
}

TEST_F(ShmRoomTest, RefusesRoomsThatAreNotInTheMemory) {
  const auto why = [&](auto change, bool with_memory = true) {
    RawTrainer trainer(raw_door_.get(), {});
    Record record = MessageRecord();
    record.room = 1;
    record.bytes = 4096;
    record.has_fd = with_memory ? 1 : 0;
    change(record);
    trainer.SendRecord(record, Envelope(), with_memory ? memory_->fd() : -1);
    return trainer.AwaitClose();
  };
  EXPECT_THAT(why([](Record& r) { r.offset = kMemory; }),
              HasSubstr("a room at 65536 of 4096 bytes in a memory of 65536"));
  EXPECT_THAT(why([](Record& r) { r.bytes = UINT64_MAX; }),
              HasSubstr("bytes in a memory of 65536"));
  EXPECT_THAT(why([](Record& r) { r.offset = UINT64_MAX - 63; }),
              HasSubstr("bytes in a memory of 65536"));
  EXPECT_THAT(why([](Record& r) { r.offset = 8; }), HasSubstr("a room at 8"));
  EXPECT_THAT(why([](Record& r) { r.memory = kMaxMemories; }),
              HasSubstr("too many memories"));
  EXPECT_THAT(why([](Record&) {}, false),
              HasSubstr("a room in a memory that was not sent"));
  EXPECT_THAT(why([](Record& r) { r.has_fd = 1; }, false),
              HasSubstr("a memory without a descriptor"));
  EXPECT_THAT(why([](Record& r) { r.room = 0; }),
              HasSubstr("memory without a room"));
}

TEST_F(ShmRoomTest, RefusesRecordsThatAreNone) {
  const auto why = [&](const Record& record) {
    RawTrainer trainer(raw_door_.get(), {});
    trainer.SendRecord(record, "");
    return trainer.AwaitClose();
  };
  EXPECT_THAT(why({.kind = static_cast<RecordKind>(9)}),
              HasSubstr("kind 9: no such kind"));
  EXPECT_THAT(why({.kind = RecordKind::kMessage, .length = 31}),
              HasSubstr("no such length"));
  EXPECT_THAT(why({.kind = RecordKind::kMessage, .length = UINT32_MAX}),
              HasSubstr("no such length"));
  EXPECT_THAT(why({.kind = RecordKind::kReleased, .room = 1}),
              HasSubstr("released by a server"));
  EXPECT_THAT(why({.kind = RecordKind::kClose, .length = 5000}),
              HasSubstr("too long an end"));
}

}  // namespace
}  // namespace tributary
