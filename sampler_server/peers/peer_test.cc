#include "sampler_server/peers/peer.h"

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "common/runtime/thread_pool.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

// A stream that never delivers a message.
class SilentStream final : public Stream {
 public:
  explicit SilentStream(std::shared_ptr<StreamHandler> handler)
      : handler_(std::move(handler)) {}
  absl::Status Send(OutgoingMessage) override { return absl::OkStatus(); }
  size_t queued_bytes() const override { return 0; }
  void Close(absl::Status why) override {
    if (const auto handler = std::exchange(handler_, nullptr)) {
      handler->OnClosed(why);
    }
  }

 private:
  std::shared_ptr<StreamHandler> handler_;
};

// Runs `connecting` inside each Connect.
class SlowTransport final : public Transport {
 public:
  std::shared_ptr<Stream> Connect(
      const Address&, StreamMethod,
      std::shared_ptr<StreamHandler> handler) override {
    ++connects;
    if (const auto run = std::exchange(connecting, nullptr)) run();
    streams.push_back(std::make_shared<SilentStream>(std::move(handler)));
    return streams.back();
  }

  int connects = 0;
  std::function<void()> connecting;
  std::vector<std::shared_ptr<SilentStream>> streams;
};

class PeerTest : public ::testing::Test {
 protected:
  ~PeerTest() override { peer_.SetProblem(absl::CancelledError("end")); }

  ThreadPool pool_{"peer", 1};
  SlowTransport transport_;
  Peer peer_{Address{"peer", 1}, &transport_, &pool_};
};

TEST_F(PeerTest, OneLeafStreamUntilItBreaks) {
  const auto first = peer_.Leaf();
  EXPECT_EQ(peer_.Leaf(), first);
  EXPECT_EQ(transport_.connects, 1);
  transport_.streams[0]->Close(absl::UnavailableError("broken"));
  EXPECT_NE(peer_.Leaf(), first);
  EXPECT_EQ(transport_.connects, 2);
}

TEST_F(PeerTest, IsAskedWhileItConnects) {
  std::future<bool> healthy;
  auto answered = std::future_status::deferred;
  transport_.connecting = [&] {
    healthy =
        std::async(std::launch::async, [this] { return peer_.healthy(); });
    answered = healthy.wait_for(std::chrono::seconds(5));
  };
  peer_.Leaf();
  EXPECT_EQ(answered, std::future_status::ready);
  EXPECT_FALSE(healthy.get());
}

TEST_F(PeerTest, TwoThatConnectAtOnceShareOneStream) {
  std::shared_ptr<CallClient> other;
  transport_.connecting = [&] { other = peer_.Leaf(); };
  const auto mine = peer_.Leaf();
  EXPECT_EQ(mine, other);
  EXPECT_TRUE(mine->open());
  EXPECT_EQ(transport_.connects, 2);
}

}  // namespace
}  // namespace tributary
