#include "trainer_client/modes/ring_maker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "channel/shm/shared_memory.h"
#include "trainer_client/cuda/testing/fake_cuda_driver.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

class RingMakerTest : public ::testing::Test {
 protected:
  // Of the only region that is locked; else 0.
  size_t LockedBytes() const {
    return fake_.registered.size() == 1 ? fake_.registered.begin()->second.bytes
                                        : 0;
  }

  FakeCudaDriver fake_;
  const CudaDriver driver_ = fake_.driver();
};

TEST_F(RingMakerTest, ARingOfItsOwnIsLockedUntilItsLastLeaseIsGone) {
  auto ring = RingMaker(&driver_).Make(100000, "buffer_size");
  ASSERT_TRUE(ring.ok()) << ring.status();
  EXPECT_EQ((*ring)->capacity(), 25u * 4096);
  EXPECT_EQ(LockedBytes(), 25u * 4096);
  const auto slot = (*ring)->Allocate((*ring)->capacity());
  ASSERT_TRUE(slot.has_value()) << "all of it is of use";
  const absl::Span<uint8_t> bytes = *(*ring)->Bytes(*slot);
  EXPECT_EQ(bytes.data(), fake_.registered.begin()->first);
  bytes.front() = bytes.back() = 7;  // it is there
  ASSERT_TRUE((*ring)->MarkReady(*slot, 1).ok());
  auto lease = *(*ring)->Lease(*slot);
  ring->reset();
  EXPECT_EQ(LockedBytes(), 25u * 4096) << "the lease may be copied from";
  lease.reset();
  EXPECT_TRUE(fake_.registered.empty());
  EXPECT_EQ(fake_.wrong_calls, 0);
}

TEST_F(RingMakerTest, SharedMemoryIsLockedWhereItIs) {
  auto shared = SharedMemory::Create(3 * 4096);
  ASSERT_TRUE(shared.ok()) << shared.status();
  const std::weak_ptr<SharedMemory> memory = *shared;
  const absl::Span<uint8_t> span = (*shared)->bytes();
  auto ring =
      RingMaker(&driver_).Over(span, *std::move(shared), "channel_size");
  ASSERT_TRUE(ring.ok()) << ring.status();
  EXPECT_EQ(LockedBytes(), 3u * 4096);
  EXPECT_EQ(fake_.registered.begin()->first, span.data());
  EXPECT_EQ((*ring)->capacity(), 3u * 4096);
  ring->reset();
  EXPECT_TRUE(fake_.registered.empty());
  EXPECT_TRUE(memory.expired());
}

TEST_F(RingMakerTest, WithoutCudaTheMemoryIsPlain) {
  const RingMaker plain(nullptr);
  auto ring = plain.Make(100000, "buffer_size");
  ASSERT_TRUE(ring.ok()) << ring.status();
  EXPECT_EQ((*ring)->capacity(), 25u * 4096);
  EXPECT_TRUE((*ring)->Allocate(100000).has_value());
  auto shared = SharedMemory::Create(4096);
  ASSERT_TRUE(shared.ok());
  const absl::Span<uint8_t> span = (*shared)->bytes();
  EXPECT_TRUE(plain.Over(span, *std::move(shared), "channel_size").ok());
  EXPECT_TRUE(RingMaker::For(false).Make(4096, "buffer_size").ok());
  EXPECT_TRUE(fake_.chosen.empty()) << "no context was taken";
}

TEST_F(RingMakerTest, WhatTheDriverRefusesNamesTheOptions) {
  fake_.register_result = CudaDriver::kOutOfMemory;
  const absl::Status status =
      RingMaker(&driver_).Make(8192, "channel_size").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(std::string(status.message()),
            "pin_memory: 8192 bytes of channel_size cannot be page-locked: "
            "cuMemHostRegister: CUDA_ERROR_OUT_OF_MEMORY (2); allowed: a "
            "smaller channel_size, or no pin_memory");
}

// Whatever this machine has: without a GPU it warns, once, and goes on.
TEST(RingMaker, PinMemoryMakesARingOnEveryMachine) {
  const bool has_gpu = SystemCudaDriver().ok();
  ::testing::internal::CaptureStderr();
  const RingMaker maker = RingMaker::For(true);
  for (int i = 0; i < 2; ++i) {
    const auto ring = maker.Make(8192, "buffer_size");
    EXPECT_TRUE(ring.ok()) << ring.status();
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  const size_t first = said.find("pin_memory: ");
  EXPECT_EQ(first == std::string::npos, has_gpu) << said;
  EXPECT_EQ(first, said.rfind("pin_memory: ")) << said;
}

}  // namespace
}  // namespace tributary
