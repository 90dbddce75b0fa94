#include "trainer_client/tensors/member_link.h"

#include <memory>
#include <optional>
#include <utility>

#include "common/proto/tensors.pb.h"
#include "gtest/gtest.h"
#include "trainer_client/tensors/attempt_opener.h"
#include "trainer_client/tensors/testing/tensor_world.h"

namespace tributary {
namespace {

// Rank 0 of two, which opens attempts on the world's only server.
class TwoRanks : public testing::Test {
 protected:
  OpenedAttempt OpenAsRankZero(uint64_t number) {
    SimFleet& fleet = world_.fleet();
    AttemptOpenerOptions options;
    options.transport = fleet.network.TransportOf(rank0_);
    options.strand = std::make_shared<Strand>(rank0_);
    options.resolver = &resolver_;
    options.source.addresses.push_back(world_.server(0).address);
    options.world = 2;
    options.attempt = number;
    options.client = 5;
    options.timeout = absl::Seconds(30);
    auto opener = std::make_shared<AttemptOpener>(options);
    std::optional<absl::StatusOr<OpenedAttempt>> opened;
    opener->Open([&](absl::StatusOr<OpenedAttempt> result) {
      opened = std::move(result);
    });
    EXPECT_TRUE(fleet.world.RunUntil([&] { return opened.has_value(); },
                                     absl::Minutes(1)));
    EXPECT_TRUE(opened->ok()) << opened->status();
    return **std::move(opened);
  }

  TensorWorld world_{{.num_servers = 1}};
  SimExecutor* const rank0_ = world_.fleet().world.AddNode("rank0");
  SimExecutor* const rank1_ = world_.fleet().world.AddNode("rank1");
  SystemHostResolver resolver_;
};

// Rank 1 may have found the attempt on another member.
TEST_F(TwoRanks, JoinsOnceRankZeroHasOpenedTheAttemptOnTheMember) {
  const OpenedAttempt earlier = OpenAsRankZero(1);
  MemberLinkOptions options;
  options.transport = world_.fleet().network.TransportOf(rank1_);
  options.strand = std::make_shared<Strand>(rank1_);
  options.member = earlier.members[0];
  options.address = world_.server(0).address;
  options.graph.content = earlier.schema.content_digest;
  const auto link = std::make_shared<MemberLink>(options);
  v1::JoinAttemptRequest request;
  *request.mutable_attempt() = earlier.ref;
  request.mutable_attempt()->set_attempt(2);
  request.mutable_attempt()->set_rank(1);
  request.mutable_attempt()->set_client(6);
  std::optional<absl::Status> joined;
  options.strand->Post([&] {
    link->KeepJoined(request.SerializeAsString(), absl::Seconds(30),
                     [&](const absl::StatusOr<CallReply>& reply) {
                       joined = reply.status();
                     });
  });
  world_.RunFor(absl::Seconds(2));
  EXPECT_FALSE(joined.has_value()) << *joined;

  OpenAsRankZero(2);
  world_.RunFor(absl::Seconds(5));
  ASSERT_TRUE(joined.has_value());
  EXPECT_TRUE(joined->ok()) << *joined;
  options.strand->Post([&] { link->Close(absl::CancelledError("the end")); });
  world_.RunFor(absl::Seconds(1));
}

}  // namespace
}  // namespace tributary
