// Batches under load: rooms cut into frames on one end, put together in slots
// on the other, over real sockets.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "channel/frame_assembler.h"
#include "channel/frame_sender.h"
#include "channel/grpc/grpc_server.h"
#include "channel/grpc/grpc_transport.h"
#include "channel/parse_header.h"
#include "channel/slot_ring.h"
#include "channel/testing/recording_stream.h"
#include "common/io/buffer.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/thread_pool.h"

namespace tributary {
namespace {

using conformance::Log;
constexpr size_t kMiB = size_t{1} << 20;

uint8_t ByteAt(uint64_t index, size_t i) {
  return static_cast<uint8_t>(index * 131 + i * 7 + (i >> 12));
}

// Answers each credit with a room of index-dependent size and bytes.
class BatchServer final : public StreamAcceptor {
 public:
  explicit BatchServer(Executor* executor) : executor_(executor) {}

  static size_t RoomBytes(uint64_t index) { return kMiB + index * 300001; }

  std::shared_ptr<StreamHandler> Accept(StreamMethod, CallerPtr,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status*) override {
    return std::make_shared<Handler>(
        FrameSender::Create(std::move(stream), executor_));
  }

 private:
  class Handler final : public StreamHandler {
   public:
    explicit Handler(std::shared_ptr<FrameSender> sender)
        : sender_(std::move(sender)) {}
    void OnMessage(IncomingMessage& message) override {
      const auto credit = *ParseHeader<v1::Credit>(message);
      auto room = std::make_shared<AlignedBuffer>(RoomBytes(credit.index()));
      for (size_t i = 0; i < room->size(); ++i) {
        room->data()[i] = ByteAt(credit.index(), i);
      }
      sender_->Send(credit.grant(), room->span(), room);
    }
    void OnClosed(const absl::Status&) override { sender_->Stop(); }

   private:
    const std::shared_ptr<FrameSender> sender_;
  };

  Executor* const executor_;
};

// Asks for batches 0..n-1, `window` at a time, into a ring.
class BatchClient final : public StreamHandler {
 public:
  BatchClient(Log* log, uint64_t batches) : log_(log), batches_(batches) {}

  void Start(std::shared_ptr<Stream> stream) {
    {
      MutexLock lock(mutex_);
      stream_ = std::move(stream);
    }
    // All are granted before the first is asked for: the answers come on
    // another thread.
    for (int i = 0; i < 3; ++i) Grant(i);
    asked_ = 3;
    for (int i = 0; i < 3; ++i) Ask(i);
  }
  void OnMessage(IncomingMessage& message) override {
    const auto frame = *ParseHeader<v1::Frame>(message);
    Batch& batch = pending_.at(frame.grant());
    const absl::Status added =
        batch.assembler.Add(frame.offset(), frame.total(), message);
    ASSERT_TRUE(added.ok()) << added;
    if (batch.assembler.complete()) Finish(frame.grant(), batch);
  }
  void OnClosed(const absl::Status& why) override {
    MutexLock lock(mutex_);
    stream_.reset();
    closed_ = true;
    why_ = why;
    log_->Changed();
  }
  bool finished() {
    MutexLock lock(mutex_);
    return done_ == batches_;
  }
  bool closed() {
    MutexLock lock(mutex_);
    return closed_;
  }
  std::shared_ptr<Stream> stream() {
    MutexLock lock(mutex_);
    return stream_;
  }
  SlotRingStats ring_stats() { return ring_->stats(); }

 private:
  struct Batch {
    SlotId slot;
    FrameAssembler assembler;
  };

  void Grant(uint64_t index) {
    const auto slot = ring_->Allocate(BatchServer::RoomBytes(index) + 5000);
    ASSERT_TRUE(slot.has_value());
    pending_.emplace(index, Batch{*slot, FrameAssembler(*ring_->Bytes(*slot))});
  }
  void Ask(uint64_t index) {
    v1::Credit credit;
    credit.set_grant(index);
    credit.set_index(index);
    OutgoingMessage message;
    message.kind = MessageKind::kCredit;
    message.header = credit.SerializeAsString();
    ASSERT_TRUE(stream()->Send(std::move(message)).ok());
  }
  void Finish(uint64_t index, Batch& batch) {
    const size_t total = batch.assembler.total();
    ASSERT_EQ(total, BatchServer::RoomBytes(index));
    ASSERT_TRUE(ring_->MarkReady(batch.slot, total).ok());
    {
      const auto lease = *ring_->Lease(batch.slot);
      const auto* const bytes = static_cast<const uint8_t*>(lease.get());
      size_t wrong = 0;
      for (size_t i = 0; i < total; ++i) wrong += bytes[i] != ByteAt(index, i);
      EXPECT_EQ(wrong, 0) << "batch " << index;
    }
    pending_.erase(index);
    if (asked_ < batches_) {
      Grant(asked_);
      Ask(asked_++);
    }
    MutexLock lock(mutex_);
    ++done_;
    log_->Changed();
  }

  Log* const log_;
  const uint64_t batches_;
  const std::shared_ptr<SlotRing> ring_ = SlotRing::Create(32 * kMiB);
  std::map<uint64_t, Batch> pending_;  // Start, then the stream's calls
  uint64_t asked_ = 0;
  Mutex mutex_;
  std::shared_ptr<Stream> stream_ ABSL_GUARDED_BY(mutex_);
  uint64_t done_ ABSL_GUARDED_BY(mutex_) = 0;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status why_ ABSL_GUARDED_BY(mutex_);
};

TEST(GrpcBatchesTest, BatchesArriveWholeOnSeveralStreams) {
  Log log;
  ThreadPool pool("frames", 2);
  BatchServer acceptor(&pool);
  auto server = GrpcServer::Start({}, &acceptor);
  ASSERT_TRUE(server.ok()) << server.status();
  GrpcTransport transport;
  std::vector<std::shared_ptr<BatchClient>> clients;
  for (int i = 0; i < 3; ++i) {
    auto client = std::make_shared<BatchClient>(&log, 12);
    client->Start(transport.Connect((*server)->address(),
                                    StreamMethod::kBatches, client));
    clients.push_back(std::move(client));
  }
  EXPECT_TRUE(log.WaitUntil([&] {
    for (auto& client : clients) {
      if (!client->finished() && !client->closed()) return false;
    }
    return true;
  }));
  for (auto& client : clients) {
    EXPECT_TRUE(client->finished());
    EXPECT_EQ(client->ring_stats().used_bytes, 0);
    if (auto stream = client->stream()) stream->Close(absl::OkStatus());
  }
  EXPECT_TRUE(log.WaitUntil([&] {
    for (auto& client : clients) {
      if (!client->closed()) return false;
    }
    return true;
  }));
  (*server)->Shutdown(absl::Seconds(5));  // before the pool of its senders
}

}  // namespace
}  // namespace tributary
