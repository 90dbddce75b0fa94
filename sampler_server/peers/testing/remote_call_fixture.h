// A fixture for tests of remote calls: two owners of one partition, whose
// replies a test lists.
#ifndef TRIBUTARY_SAMPLER_SERVER_PEERS_TESTING_REMOTE_CALL_FIXTURE_H_
#define TRIBUTARY_SAMPLER_SERVER_PEERS_TESTING_REMOTE_CALL_FIXTURE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "sampler_server/peers/peer_partitions.h"
#include "sampler_server/peers/testing/scripted_peer.h"

namespace tributary {

// Result is what PeerPartitions hands to `done`. Peers 0 and 1 own partition 1;
// each leaf call, whichever of them it comes to, takes the next of `replies_`;
// when they are used up it gets `then_`.
template <typename Result>
class RemoteCallFixture : public testing::Test {
 protected:
  RemoteCallFixture() {
    for (int i = 0; i < 2; ++i) {
      world_.Add({1}).answer = [this](const ArrivedCall& call) {
        return NextReply(call);
      };
    }
    world_.Introduce();
    limits_.deadline = world_.now() + absl::Seconds(60);
    limits_.max_reply_bytes = 4096;
  }

  void Reply(MessageKind kind, const google::protobuf::Message& header,
             std::string payload) {
    replies_.push_back(
        MakeAnswer(kind, header.SerializeAsString(), std::move(payload)));
  }
  // Returns a `done` whose argument Await returns.
  auto Done() {
    return [this](absl::StatusOr<Result> result) {
      EXPECT_FALSE(result_.has_value());
      result_.emplace(std::move(result));
    };
  }
  // A cancel of the pending call arrives where the call did, also if it is the
  // continuation of calls that were `answered`.
  void ExpectCancelReachesThePeer(size_t answered = 0) {
    ASSERT_TRUE(world_.RunUntil([&] { return calls_.size() == answered; }));
    std::array<size_t, 2> before;
    for (int i = 0; i < 2; ++i) {
      world_.peer(i).answer = nullptr;
      before[i] = world_.peer(i).calls.size();
    }
    ASSERT_TRUE(
        world_.RunUntil([&] { return world_.num_calls() == answered + 1; }));
    const size_t asked = world_.peer(0).calls.size() == before[0] ? 1 : 0;
    const CancelToken at_peer = world_.peer(asked).calls.back().cancel;
    EXPECT_FALSE(at_peer.cancelled());
    limits_.cancel.Cancel();
    world_.RunFor(absl::Milliseconds(5));
    EXPECT_TRUE(at_peer.cancelled());
    world_.RunFor(absl::Seconds(61));
    EXPECT_FALSE(result_.has_value());
  }
  absl::StatusOr<Result> Await() {
    EXPECT_FALSE(result_.has_value()) << "called inside the method";
    EXPECT_TRUE(world_.RunUntil([this] { return result_.has_value(); }));
    if (!result_.has_value()) return absl::UnknownError("no result");
    auto result = *std::move(result_);
    result_.reset();
    return result;
  }
  // The leaf calls to all peers, in the order of arrival.
  const std::vector<ArrivedCall>& calls() const { return calls_; }

  PeerWorld world_;
  PeerPartitions partitions_{world_.graph().schema(), world_.directory()};
  RemotePartitions::Limits limits_;
  std::deque<absl::StatusOr<CallAnswer>> replies_;
  ScriptedPeer::Answer then_;  // unset: INTERNAL
  std::optional<absl::StatusOr<Result>> result_;

 private:
  absl::StatusOr<CallAnswer> NextReply(const ArrivedCall& call) {
    calls_.push_back(call);
    if (replies_.empty()) return then_ ? then_(call) : NoReplyLeft();
    auto reply = std::move(replies_.front());
    replies_.pop_front();
    return reply;
  }

  static absl::Status NoReplyLeft() {
    return absl::InternalError("no reply is left");
  }

  std::vector<ArrivedCall> calls_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_PEERS_TESTING_REMOTE_CALL_FIXTURE_H_
