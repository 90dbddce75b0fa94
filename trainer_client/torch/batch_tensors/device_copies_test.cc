#include "trainer_client/torch/batch_tensors/device_copies.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "trainer_client/cuda/page_lock.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A device that has copied when the test says so.
struct FakeDevice {
  int copies = 0;
  int events = 0;            // number of the last one, from 1
  std::set<int> done;        // events
  std::vector<int> waited;   // for events
  std::vector<int> ordered;  // events that later work comes after
  bool copy_fails = false;   // from the second tensor of a call on
  bool record_fails = false;
  bool fails = false;  // every event of it
};

class FakeEvent final : public CopyStream::Event {
 public:
  FakeEvent(FakeDevice* device, int number)
      : device_(device), number_(number) {}
  bool Done() override {
    if (device_->fails) throw std::runtime_error("the device is lost");
    return device_->done.contains(number_);
  }
  void Wait() override {
    device_->waited.push_back(number_);
    if (device_->fails) throw std::runtime_error("the device is lost");
    device_->done.insert(number_);
  }
  void Order() override { device_->ordered.push_back(number_); }

 private:
  FakeDevice* const device_;
  const int number_;
};

class FakeStream final : public CopyStream {
 public:
  explicit FakeStream(FakeDevice* device) : device_(device) {}
  at::Tensor Copy(const at::Tensor& host) override {
    if (device_->copy_fails && ++device_->copies % 2 == 0) {
      throw std::runtime_error("out of memory\nframes");
    }
    return host.clone();
  }
  std::unique_ptr<Event> Record() override {
    if (device_->record_fails) throw std::runtime_error("no events left");
    return std::make_unique<FakeEvent>(device_, ++device_->events);
  }

 private:
  FakeDevice* const device_;
};

// Slots, each held by a tensor over it.
class Slots {
 public:
  // Over slot `i`, numbered from 0 as they are made: {10 i, 10 i + 1}.
  at::Tensor New() {
    const int64_t i = static_cast<int64_t>(held_.size());
    auto slot = std::make_shared<std::vector<int64_t>>(
        std::vector<int64_t>{10 * i, 10 * i + 1});
    held_.push_back(slot);
    int64_t* const data = slot->data();
    return at::from_blob(
        data, {2}, [slot](void*) {}, at::kLong);
  }
  // Those that are not free.
  std::vector<int> Held() const {
    std::vector<int> held;
    for (size_t i = 0; i < held_.size(); ++i) {
      if (!held_[i].expired()) held.push_back(static_cast<int>(i));
    }
    return held;
  }

 private:
  std::vector<std::weak_ptr<const void>> held_;
};

class DeviceCopiesTest : public ::testing::Test {
 protected:
  // Starts the copy of a new slot that only the copies know then.
  absl::Status StartOne() { return copies_->Start({slots_.New()}).status(); }

  FakeDevice device_;
  Slots slots_;
  std::unique_ptr<DeviceCopies> copies_ =
      std::make_unique<DeviceCopies>(std::make_unique<FakeStream>(&device_));
};

TEST_F(DeviceCopiesTest, WorkBehindACopyComesAfterItsEventAndNothingWaits) {
  ASSERT_TRUE(StartOne().ok());
  EXPECT_THAT(device_.ordered, ElementsAre(1));
  ASSERT_TRUE(StartOne().ok());
  EXPECT_THAT(device_.ordered, ElementsAre(1, 2));
  EXPECT_THAT(device_.waited, IsEmpty());
}

TEST_F(DeviceCopiesTest, ASlotIsFreeWhenItsEventIsDoneInAnyOrder) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(StartOne().ok());
  EXPECT_TRUE(copies_->Poll().ok());
  EXPECT_THAT(slots_.Held(), ElementsAre(0, 1, 2));
  device_.done = {2};  // the slot 1's
  EXPECT_THAT(slots_.Held(), ElementsAre(0, 1, 2)) << "nobody has looked";
  EXPECT_TRUE(copies_->Poll().ok());
  EXPECT_THAT(slots_.Held(), ElementsAre(0, 2));
  device_.done.insert(3);
  ASSERT_TRUE(StartOne().ok());  // it looks, too
  EXPECT_THAT(slots_.Held(), ElementsAre(0, 3));
  device_.done.insert({1, 4});
  EXPECT_TRUE(copies_->Poll().ok());
  EXPECT_THAT(slots_.Held(), IsEmpty());
  EXPECT_EQ(copies_->in_flight(), 0u);
  EXPECT_THAT(device_.waited, IsEmpty());
}

TEST_F(DeviceCopiesTest, GivesTheCopiesInOrderAndLeavesUndefinedOnes) {
  at::Tensor first = slots_.New();
  const void* const at = first.const_data_ptr();
  auto moved = copies_->Start({first, at::Tensor(), slots_.New()});
  ASSERT_TRUE(moved.ok()) << moved.status();
  ASSERT_EQ(moved->size(), 3u);
  EXPECT_NE((*moved)[0].const_data_ptr(), at);
  EXPECT_EQ((*moved)[0][1].item<int64_t>(), 1);
  EXPECT_FALSE((*moved)[1].defined());
  EXPECT_EQ((*moved)[2][0].item<int64_t>(), 10);
  device_.done = {1};
  EXPECT_TRUE(copies_->Poll().ok());
  EXPECT_THAT(slots_.Held(), ElementsAre(0)) << "the caller's own";
}

TEST_F(DeviceCopiesTest, WaitsForTheOldestBeyondItsBound) {
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(StartOne().ok());
  EXPECT_THAT(device_.waited, ElementsAre(1, 2));
  EXPECT_THAT(slots_.Held(), ElementsAre(2, 3, 4, 5));
  EXPECT_EQ(copies_->in_flight(), DeviceCopies::kMost);
}

TEST_F(DeviceCopiesTest, ItsEndWaitsForAll) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(StartOne().ok());
  copies_.reset();
  EXPECT_THAT(device_.waited, ElementsAre(1, 2, 3));
  EXPECT_THAT(slots_.Held(), IsEmpty());
}

// Copies before the one that failed are under way.
TEST_F(DeviceCopiesTest, ACopyThatFailsHoldsItsSlotsAndOthersGoOn) {
  device_.copy_fails = true;
  EXPECT_EQ(copies_->Start({slots_.New(), slots_.New()}).status(),
            absl::InternalError("copy to the device: out of memory"));
  EXPECT_THAT(slots_.Held(), ElementsAre(0, 1));
  device_.copy_fails = false;
  EXPECT_TRUE(StartOne().ok());
  device_.done = {1};
  EXPECT_TRUE(copies_->Poll().ok());
  EXPECT_THAT(slots_.Held(), ElementsAre(2));
}

TEST_F(DeviceCopiesTest, AfterTheDevicesFailureSlotsAreHeldToTheEnd) {
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(StartOne().ok());
  device_.fails = true;
  const absl::Status lost = absl::InternalError("copies: the device is lost");
  EXPECT_EQ(copies_->Poll(), lost);
  device_.fails = false;
  device_.done = {1, 2};
  EXPECT_EQ(copies_->Poll(), lost) << "nothing is believed after that";
  EXPECT_EQ(StartOne(), lost);
  EXPECT_THAT(slots_.Held(), ElementsAre(0, 1));
  device_.fails = true;
  copies_.reset();
  EXPECT_THAT(device_.waited, ElementsAre(1, 2));
  EXPECT_THAT(slots_.Held(), IsEmpty());
}

TEST_F(DeviceCopiesTest, WithoutAnEventItsSlotsAreHeldToTheEnd) {
  device_.record_fails = true;
  const absl::Status failed =
      absl::InternalError("event behind copies: no events left");
  EXPECT_EQ(StartOne(), failed);
  device_.record_fails = false;
  EXPECT_EQ(StartOne(), failed);
  EXPECT_THAT(slots_.Held(), ElementsAre(0));
  copies_.reset();
  EXPECT_THAT(slots_.Held(), IsEmpty());
}

TEST_F(DeviceCopiesTest, ABatchGoesAsAWhole) {
  TorchBatch batch;
  batch.index = 7;
  for (at::Tensor* tensor : batch.tensors()) *tensor = slots_.New();
  batch.y = at::Tensor();  // slot 6
  auto moved = copies_->Start(std::move(batch));
  ASSERT_TRUE(moved.ok()) << moved.status();
  batch = TorchBatch();
  EXPECT_EQ(moved->index, 7u);
  EXPECT_EQ(moved->n_id[0].item<int64_t>(), 0);
  EXPECT_EQ(moved->edge_attr[0].item<int64_t>(), 70);
  EXPECT_FALSE(moved->y.defined());
  EXPECT_THAT(slots_.Held(), ElementsAre(0, 1, 2, 3, 4, 5, 7, 8, 9));
  device_.done = {1};
  EXPECT_TRUE(copies_->Poll().ok());
  EXPECT_THAT(slots_.Held(), IsEmpty());
}

TEST(DeviceCopiesOfACpu, NothingIsCopiedOrHeld) {
  DeviceCopies copies{at::Device(at::kCPU)};
  Slots slots;
  at::Tensor host = slots.New();
  const void* const at = host.const_data_ptr();
  auto same = copies.Start({host});
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_EQ((*same)[0].const_data_ptr(), at);
  EXPECT_EQ(copies.in_flight(), 0u);
  EXPECT_TRUE(copies.Poll().ok());
  host = at::Tensor();
  same->clear();
  EXPECT_THAT(slots.Held(), IsEmpty());
}

// LibTorch's own stream: of a device without events, in every build.
TEST(DeviceCopiesOfLibTorch, ADeviceWithoutEventsIsAnError) {
  DeviceCopies copies{at::Device(at::kMeta)};
  Slots slots;
  const absl::Status status = copies.Start({slots.New()}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("copy to the device: "));
  EXPECT_THAT(slots.Held(), ElementsAre(0));
}

// And of a GPU, where there is one: slots come back, bytes are right.
TEST(DeviceCopiesOfLibTorch, AGpu) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no GPU, or a build without CUDA";
  DeviceCopies copies{at::Device(at::kCUDA, 0)};
  Slots slots;
  for (int64_t i = 0; i < 20; ++i) {
    const auto moved = copies.Start({slots.New()});
    ASSERT_TRUE(moved.ok()) << moved.status();
    EXPECT_EQ((*moved)[0][1].item<int64_t>(), 10 * i + 1);
  }
  EXPECT_TRUE(copies.Poll().ok());
  EXPECT_THAT(slots.Held(), IsEmpty());
}

// What the driver has page-locked LibTorch takes for pinned.
TEST(DeviceCopiesOfLibTorch, LockedPagesArePinned) {
  if (!at::hasCUDA()) GTEST_SKIP() << "no GPU, or a build without CUDA";
  const at::Device gpu(at::kCUDA, 0);
  const at::Tensor opened = at::empty({1}, gpu);
  const auto driver = SystemCudaDriver();
  ASSERT_TRUE(driver.ok()) << driver.status();
  struct alignas(4096) Page {
    float values[1024];
  };
  auto page = std::make_shared<Page>();
  page->values[1023] = 5;
  auto lock = PageLock(
      absl::MakeSpan(reinterpret_cast<uint8_t*>(page->values), sizeof(Page)),
      page, **driver);
  ASSERT_TRUE(lock.ok()) << lock.status();
  const at::Tensor host = at::from_blob(
      page->values, {1024}, [lock = *lock](void*) {}, at::kFloat);
  EXPECT_TRUE(host.is_pinned());
  DeviceCopies copies(gpu);
  const auto moved = copies.Start({host});
  ASSERT_TRUE(moved.ok()) << moved.status();
  EXPECT_EQ((*moved)[0][1023].item<float>(), 5);
}

}  // namespace
}  // namespace tributary
