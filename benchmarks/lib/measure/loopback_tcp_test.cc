#include "benchmarks/lib/measure/loopback_tcp.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

namespace tributary {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

TEST(LoopbackTcpTest, EveryStreamBringsTheBytesInOrder) {
  std::vector<uint8_t> from(kMiB + 77);
  for (size_t i = 0; i < from.size(); ++i) {
    from[i] = static_cast<uint8_t>(i * 7 + (i >> 8));
  }
  // The 77 are too few for another frame, so it begins again.
  std::vector<uint8_t> one(from.begin(), from.begin() + kMiB);
  one.insert(one.end(), from.begin(), from.begin() + 100);
  one.resize(2 * kMiB);  // room for two frames, the second not filled
  const auto source = LoopbackSource::Listen(from);
  ASSERT_TRUE(source.ok()) << source.status();
  absl::Status sent;
  std::thread sender([&] { sent = (*source)->Send(2, kMiB + 100); });
  std::vector<uint8_t> to(2 * one.size());
  const auto seconds =
      ReceiveSeconds((*source)->port(), 2, kMiB + 100, absl::MakeSpan(to));
  sender.join();
  ASSERT_TRUE(sent.ok()) << sent;
  ASSERT_TRUE(seconds.ok()) << seconds.status();
  EXPECT_GT(*seconds, 0);
  std::vector<uint8_t> both = one;
  both.insert(both.end(), one.begin(), one.end());
  EXPECT_TRUE(to == both);  // too long to print
}

TEST(LoopbackTcpTest, TooLittleMemory) {
  std::vector<uint8_t> bytes(kMiB - 1);
  EXPECT_EQ(LoopbackSource::Listen(bytes).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReceiveSeconds(1, 1, 1, absl::MakeSpan(bytes)).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(LoopbackTcpTest, NobodyListens) {
  uint16_t port = 0;
  std::vector<uint8_t> bytes(kMiB);
  {
    const auto source = LoopbackSource::Listen(bytes);
    ASSERT_TRUE(source.ok()) << source.status();
    port = (*source)->port();
  }
  const auto seconds = ReceiveSeconds(port, 1, 1, absl::MakeSpan(bytes));
  EXPECT_EQ(seconds.status().code(), absl::StatusCode::kUnavailable);
}

TEST(LoopbackTcpTest, OneByteInOneProcess) {
  const auto rate = LoopbackTcpBytesPerSecond(1, 1);
  ASSERT_TRUE(rate.ok()) << rate.status();
  EXPECT_GT(*rate, 0);
}

}  // namespace
}  // namespace tributary
