#include "trainer_client/cuda/page_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "trainer_client/cuda/testing/fake_cuda_driver.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct alignas(4096) Pages {
  uint8_t bytes[3 * 4096];
};

class PageLockTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::shared_ptr<const void>> Lock() {
    return PageLock(absl::MakeSpan(memory_->bytes), owner_, driver_);
  }

  FakeCudaDriver fake_;
  const CudaDriver driver_ = fake_.driver();
  const std::unique_ptr<Pages> memory_ = std::make_unique<Pages>();
  std::shared_ptr<const int> owner_ = std::make_shared<const int>(1);
};

TEST_F(PageLockTest, LocksAllOfItForAllContextsUntilTheLastCopyIsGone) {
  auto lock = Lock();
  ASSERT_TRUE(lock.ok()) << lock.status();
  ASSERT_EQ(fake_.registered.size(), 1u);
  EXPECT_EQ(fake_.registered.begin()->first, memory_->bytes);
  EXPECT_EQ(fake_.registered.begin()->second.bytes, 3u * 4096);
  EXPECT_EQ(fake_.registered.begin()->second.flags, 1u)
      << "CU_MEMHOSTREGISTER_PORTABLE";
  EXPECT_TRUE(fake_.pushed.empty()) << "the thread has its context again";
  std::shared_ptr<const void> copy = *std::move(lock);
  auto second = copy;
  copy.reset();
  EXPECT_EQ(fake_.registered.size(), 1u);
  EXPECT_EQ(fake_.retained[0], 1) << "the context is kept as long";
  second.reset();
  EXPECT_TRUE(fake_.registered.empty());
  EXPECT_EQ(fake_.retained[0], 0);
  EXPECT_TRUE(fake_.pushed.empty());
  EXPECT_EQ(fake_.wrong_calls, 0);
}

// Memory that is given back while it is locked would stay locked.
TEST_F(PageLockTest, TheOwnerGoesAfterTheLock) {
  bool locked_then = true;
  const std::shared_ptr<const void> nothing;
  auto lock = PageLock(
      absl::MakeSpan(memory_->bytes),
      std::shared_ptr<const int>(new int,
                                 [&](const int* p) {
                                   locked_then = !fake_.registered.empty();
                                   delete p;
                                 }),
      driver_);
  ASSERT_TRUE(lock.ok()) << lock.status();
  *lock = nothing;
  EXPECT_FALSE(locked_then);
}

TEST_F(PageLockTest, TakesTheContextThatTheTrainerHas) {
  fake_.num_devices = 4;
  EXPECT_TRUE(Lock().ok());
  fake_.active = {3, 2};
  EXPECT_TRUE(Lock().ok());
  fake_.thread_device = 1;
  EXPECT_TRUE(Lock().ok());
  EXPECT_THAT(fake_.chosen, ElementsAre(0, 2, 1));
}

TEST_F(PageLockTest, WhatTheDriverRefusesIsAnErrorAndNothingIsLocked) {
  fake_.register_result = CudaDriver::kOutOfMemory;
  EXPECT_EQ(Lock().status(),
            absl::ResourceExhaustedError(
                "cuMemHostRegister: CUDA_ERROR_OUT_OF_MEMORY (2)"));
  fake_.register_result = 801;
  EXPECT_EQ(
      Lock().status(),
      absl::InternalError("cuMemHostRegister: an error without a name (801)"));
  fake_.register_result = 0;
  fake_.push_result = FakeCudaDriver::kInvalidValue;
  EXPECT_EQ(Lock().status(),
            absl::InternalError("cuCtxPushCurrent: CUDA_ERROR_INVALID_VALUE "
                                "(1)"));
  EXPECT_TRUE(fake_.registered.empty());
  EXPECT_EQ(fake_.retained[0], 0);
  EXPECT_EQ(fake_.wrong_calls, 0);
  EXPECT_EQ(owner_.use_count(), 1);
}

// At the end of the process the driver may be gone before the ring.
TEST_F(PageLockTest, ADriverThatIsGoneHarmsNobody) {
  {
    auto lock = Lock();
    ASSERT_TRUE(lock.ok());
    fake_.unregister_result = 4;  // CUDA_ERROR_DEINITIALIZED
  }
  EXPECT_EQ(owner_.use_count(), 1);
  EXPECT_EQ(fake_.retained[0], 0);
}

TEST_F(PageLockTest, OnlyWholePages) {
  const absl::Span<uint8_t> all = absl::MakeSpan(memory_->bytes);
  for (const auto& part : {all.first(0), all.first(4095), all.subspan(64, 4096),
                           all.subspan(4096, 4160)}) {
    EXPECT_EQ(PageLock(part, owner_, driver_).status().code(),
              absl::StatusCode::kInvalidArgument)
        << part.size();
  }
  EXPECT_TRUE(fake_.registered.empty());
}

TEST_F(PageLockTest, AMachineWithoutAGpuIsUnavailable) {
  EXPECT_TRUE(StartCuda(driver_).ok());
  fake_.num_devices = 0;
  EXPECT_EQ(StartCuda(driver_), absl::UnavailableError("no GPU is visible"));
  fake_.init_result = 100;  // CUDA_ERROR_NO_DEVICE
  EXPECT_EQ(
      StartCuda(driver_),
      absl::UnavailableError("no GPU: cuInit: an error without a name (100)"));
}

TEST(CudaDriverTest, AFunctionThatTheDriverHasNotIsNamed) {
  for (const std::string_view without :
       {"cuInit", "cuMemHostRegister_v2", "cuGetErrorName"}) {
    const auto driver = FindCudaDriver([&](const char* name) -> void* {
      return name == without ? nullptr : FakeCudaDriver::Symbol(name);
    });
    EXPECT_EQ(driver.status().code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(driver.status().message()),
                HasSubstr(std::string(without)));
  }
}

// Whatever this machine has: a driver that works, or an error that says why.
TEST(CudaDriverTest, TheSystemsDriverIsThereOrSaysWhyNot) {
  const auto driver = SystemCudaDriver();
  if (driver.ok()) {
    Pages pages;
    EXPECT_TRUE(PageLock(absl::MakeSpan(pages.bytes), nullptr, **driver).ok());
  } else {
    EXPECT_EQ(driver.status().code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(driver.status().message()),
                ::testing::AnyOf(HasSubstr("CUDA driver"), HasSubstr("GPU")));
  }
}

}  // namespace
}  // namespace tributary
