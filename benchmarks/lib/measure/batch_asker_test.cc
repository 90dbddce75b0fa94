// Batches that a filler fills and an asker receives, over shared memory's
// streams, both ends in one process.
#include "benchmarks/lib/measure/batch_asker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "benchmarks/lib/measure/batch_filler.h"
#include "channel/shm/shared_memory.h"
#include "channel/shm/shm_server.h"
#include "channel/shm/shm_transport.h"
#include "common/io/buffer.h"
#include "common/runtime/thread_pool.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

const Address kFiller{"filler", 1};
constexpr size_t kBytes = 8192;  // of either end
constexpr size_t kBatch = 4096;  // so two parts

class BatchAskerTest : public ::testing::Test {
 protected:
  BatchAskerTest() {
    for (size_t i = 0; i < kBytes; ++i) {
      from_.data()[i] = i < kBatch ? 'a' : 'b';
    }
    WorkerDoor door = MakeWorkerDoor().value();
    server_ = ShmServer::Start(&filler_, std::move(door.worker), {}).value();
    transport_->AddWorker(kFiller, std::move(door.trainer));
    transport_->AddMemory(memory_);
    asker_->Start(transport_->Connect(kFiller, StreamMethod::kBatches, asker_));
  }
  ~BatchAskerTest() override { transport_.reset(); }

  // What is in a part: whose stamp, and the bytes behind it.
  struct Part {
    uint64_t grant;
    char first, last;
  };
  Part PartAt(size_t part) const {
    const uint8_t* const at = memory_->bytes().data() + part * kBatch;
    BatchStamp stamp;
    std::memcpy(&stamp, at, sizeof(stamp));
    return {stamp.grant, static_cast<char>(at[sizeof(stamp)]),
            static_cast<char>(at[kBatch - 1])};
  }
  void ExpectThreeBatches(bool lend);

  AlignedBuffer from_{kBytes};
  ThreadPool pool_{"filler", 1};
  BatchFiller filler_{from_.span(), &pool_};
  std::shared_ptr<SharedMemory> memory_ = SharedMemory::Create(kBytes).value();
  std::unique_ptr<ShmServer> server_;
  std::unique_ptr<ShmTransport> transport_ = ShmTransport::Create().value();
  std::shared_ptr<BatchAsker> asker_ =
      std::make_shared<BatchAsker>(memory_->bytes(), /*lend=*/true);
};

void BatchAskerTest::ExpectThreeBatches(bool lend) {
  const auto asker = std::make_shared<BatchAsker>(memory_->bytes(), lend);
  asker->Start(transport_->Connect(kFiller, StreamMethod::kBatches, asker));
  const auto arrived =
      asker->Receive({.batches = 3, .bytes = kBatch, .ahead = 2});
  ASSERT_TRUE(arrived.ok()) << arrived.status();
  EXPECT_EQ(arrived->handover_ns.size(), 3u);
  for (const int64_t ns : arrived->handover_ns) EXPECT_GT(ns, 0);
  EXPECT_GT(arrived->seconds, 0);
  // Grants 1, 2, 3 are in parts 1, 0, 1, out of the same parts of `from_`.
  EXPECT_EQ(PartAt(0).grant, 2u);
  EXPECT_EQ(PartAt(0).first, 'a');
  EXPECT_EQ(PartAt(0).last, 'a');
  EXPECT_EQ(PartAt(1).grant, 3u);
  EXPECT_EQ(PartAt(1).first, 'b');
  EXPECT_EQ(PartAt(1).last, 'b');
}

TEST_F(BatchAskerTest, RoomsAreFilledInSharedMemory) {
  ExpectThreeBatches(/*lend=*/true);
}

TEST_F(BatchAskerTest, WithoutRoomsBatchesComeInFrames) {
  ExpectThreeBatches(/*lend=*/false);
}

TEST_F(BatchAskerTest, GrantsGoOnFromTimeToTime) {
  ASSERT_TRUE(asker_->Receive({.batches = 2, .bytes = kBatch}).ok());
  ASSERT_TRUE(asker_->Receive({.batches = 2, .bytes = kBatch}).ok());
  EXPECT_EQ(PartAt(0).grant, 4u);
  EXPECT_EQ(PartAt(1).grant, 3u);
}

TEST_F(BatchAskerTest, WhatCannotBeAskedForIsRefused) {
  for (const BatchesAsked asked :
       {BatchesAsked{.batches = 0, .bytes = kBatch},
        BatchesAsked{.batches = 1, .bytes = sizeof(BatchStamp) - 1},
        BatchesAsked{.batches = 1, .bytes = kBytes + 1},
        BatchesAsked{.batches = 3, .bytes = kBatch, .ahead = 3},
        BatchesAsked{.batches = 3, .bytes = kBatch, .ahead = 0}}) {
    EXPECT_EQ(asker_->Receive(asked).status().code(),
              absl::StatusCode::kInvalidArgument)
        << asked.batches << " " << asked.bytes << " " << asked.ahead;
  }
}

TEST_F(BatchAskerTest, TheFillerRefusesMoreThanItHas) {
  const auto large = SharedMemory::Create(2 * kBytes).value();
  transport_->AddMemory(large);
  const auto asker = std::make_shared<BatchAsker>(large->bytes(), true);
  asker->Start(transport_->Connect(kFiller, StreamMethod::kBatches, asker));
  const auto arrived = asker->Receive({.batches = 1, .bytes = 2 * kBytes});
  EXPECT_EQ(arrived.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(arrived.status().ToString(),
              HasSubstr("a credit of 16384 bytes; allowed: 16 to 8192"));
}

TEST_F(BatchAskerTest, TheEndOfTheFillerIsAnError) {
  ASSERT_TRUE(asker_->Receive({.batches = 1, .bytes = kBatch}).ok());
  server_.reset();
  EXPECT_EQ(asker_->Receive({.batches = 1, .bytes = kBatch}).status().code(),
            absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tributary
