// Joining an attempt beside servers that lie, or are broken.
#include "trainer_client/tensors/attempt_opener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "channel/call_server.h"
#include "channel/testing/sim_network.h"
#include "common/testing/sim_scheduler.h"
#include "partition/format/testing/graph_builder.h"
#include "trainer_client/core/testing/fake_sampler.h"

namespace tributary {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr absl::Duration kTimeout = absl::Seconds(30);
// Long before the timeout: nobody waits for what has been decided.
constexpr absl::Duration kSoon = absl::Seconds(2);

std::string GraphJson(int64_t num_nodes = 40) {
  GraphSpec spec;
  spec.num_nodes = num_nodes;
  spec.edges = {{1, 0}, {2, 1}};
  return BuildGraph(spec)->schema().ToJson();
}

// A server that says of an attempt what a test wants.
class FakeMember final : public StreamAcceptor {
 public:
  explicit FakeMember(FakeSampler::Settings settings)
      : sampler(std::move(settings)) {}

  std::shared_ptr<StreamHandler> Accept(StreamMethod method, CallerPtr caller,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override {
    if (method != StreamMethod::kData) {
      return sampler.Accept(method, std::move(caller), std::move(stream), why);
    }
    return ServeCalls(std::move(stream), std::move(caller),
                      [this](IncomingCall, CallResponder respond) {
                        ++asked;
                        const auto reply = join();
                        if (!reply.ok()) return respond(reply.status());
                        CallAnswer answer;
                        answer.kind = MessageKind::kJoinAttemptReply;
                        answer.header = reply->SerializeAsString();
                        respond(std::move(answer));
                      });
  }

  FakeSampler sampler;
  std::function<absl::StatusOr<v1::JoinAttemptReply>()> join;
  int asked = 0;
};

// Rank 1 of two. Rank 0 has opened attempt 7 on all servers.
class AttemptOpenerTest : public testing::Test {
 protected:
  void Serve(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      FakeSampler::Settings settings;
      settings.node = world_.AddNode("server" + std::to_string(i));
      settings.executor = settings.node;
      settings.incarnation = i + 1;
      settings.graph_json = GraphJson();
      members_.push_back(std::make_unique<FakeMember>(std::move(settings)));
      members_[i]->join = [this] { return Right(); };
      network_.Listen(members_[i]->sampler.settings().node, AddressOf(i),
                      members_[i].get());
    }
  }
  static Address AddressOf(size_t i) {
    return {"server" + std::to_string(i), 1};
  }
  FakeMember& member(size_t i) { return *members_[i]; }
  v1::JoinAttemptReply Right() const {
    v1::JoinAttemptReply reply;
    reply.set_attempt(7);
    reply.set_world(2);
    for (size_t i = 0; i < members_.size(); ++i) {
      v1::TensorMember* added = reply.add_members();
      added->set_address(AddressOf(i).ToString());
      added->set_incarnation(i + 1);
    }
    return reply;
  }

  absl::StatusOr<OpenedAttempt> Open() {
    AttemptOpenerOptions options;
    options.transport = network_.TransportOf(trainer_);
    options.strand = std::make_shared<Strand>(trainer_);
    options.resolver = &resolver_;
    for (size_t i = 0; i < members_.size(); ++i) {
      options.source.addresses.push_back(AddressOf(i));
    }
    options.rank = 1;
    options.world = 2;
    options.client = 5;
    options.timeout = kTimeout;
    auto opener = std::make_shared<AttemptOpener>(options);
    std::optional<absl::StatusOr<OpenedAttempt>> opened;
    const absl::Time began = world_.now();
    options.strand->Post([&] {
      opener->Open([&opened](auto result) { opened = std::move(result); });
    });
    EXPECT_TRUE(world_.RunUntil([&] { return opened.has_value(); },
                                kTimeout + absl::Seconds(1)));
    took_ = world_.now() - began;
    opener.reset();
    world_.Drain(10'000);
    return opened.has_value() ? *std::move(opened)
                              : absl::InternalError("no end");
  }
  void ExpectAttemptSeven() {
    const auto opened = Open();
    ASSERT_TRUE(opened.ok()) << opened.status();
    EXPECT_EQ(opened->ref.attempt(), 7u);
    EXPECT_EQ(opened->members.size(), members_.size());
    EXPECT_EQ(opened->schema.node_types[0].num_nodes, 40);
    EXPECT_LT(took_, kSoon);
  }

  SimScheduler world_{1};
  SimNetwork network_{&world_};
  SimExecutor* const trainer_ = world_.AddNode("trainer");
  SystemHostResolver resolver_;
  std::vector<std::unique_ptr<FakeMember>> members_;
  absl::Duration took_;
};

TEST_F(AttemptOpenerTest, JoinsWhatRankZeroHasOpened) {
  Serve(2);
  ExpectAttemptSeven();
}

TEST_F(AttemptOpenerTest, OneServerThatRefusesOrAnswersWronglyEndsNothing) {
  const std::vector<std::function<absl::StatusOr<v1::JoinAttemptReply>()>>
      lies = {
          [] { return absl::PermissionDeniedError("you may not"); },
          [] { return absl::InvalidArgumentError("no"); },
          [] { return absl::UnimplementedError("no rows here"); },
          [] { return absl::UnauthenticatedError("who?"); },
          [] { return absl::InternalError("broken"); },
          [this] {  // another number of ranks
            v1::JoinAttemptReply reply = Right();
            reply.set_world(3);
            return reply;
          },
          [this] {  // no address
            v1::JoinAttemptReply reply = Right();
            reply.mutable_members(0)->set_address("nowhere");
            return reply;
          },
          [this] {  // a member twice
            v1::JoinAttemptReply reply = Right();
            *reply.mutable_members(1) = reply.members(0);
            return reply;
          },
          [] { return v1::JoinAttemptReply(); },
      };
  Serve(2);
  for (size_t lie = 0; lie < lies.size(); ++lie) {
    // The honest one does not know of the attempt yet.
    int asked = 0;
    member(0).join = lies[lie];
    member(1).join = [&]() -> absl::StatusOr<v1::JoinAttemptReply> {
      if (++asked < 3) return absl::NotFoundError("no attempt is open");
      return Right();
    };
    SCOPED_TRACE(lie);
    ExpectAttemptSeven();
    EXPECT_EQ(asked, 3);
  }
}

TEST_F(AttemptOpenerTest, WhatAllServersRefuseIsFinal) {
  Serve(2);
  for (size_t i : {0, 1}) {
    member(i).join = [] {
      return absl::PermissionDeniedError("job a may not read cora");
    };
  }
  const absl::Status status = Open().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << status;
  EXPECT_THAT(
      std::string(status.message()),
      AllOf(HasSubstr("job a may not read cora"), Not(HasSubstr("alone"))));
  EXPECT_LT(took_, kSoon);
}

TEST_F(AttemptOpenerTest, WhatTheOnlyServerRefusesIsSaidToBeItsWord) {
  Serve(1);
  member(0).join = [] { return absl::PermissionDeniedError("you may not"); };
  const absl::Status status = Open().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("server server0:1, which alone says so: you may not"));
  EXPECT_LT(took_, kSoon);
}

// The first description says which version it is, the next one has the text.
TEST_F(AttemptOpenerTest, AGraphThatCannotBeIsReadFromAnotherServer) {
  Serve(2);
  const std::vector<std::string> lies = {
      "{", GraphJson().substr(0, GraphJson().size() / 2), GraphJson(39)};
  for (const std::string& lie : lies) {
    int described = 0;
    member(0).sampler.settings().change_description =
        [&](v1::DescribeReply* reply) {
          if (++described > 1) reply->set_graph_json(lie);
        };
    ExpectAttemptSeven();
    EXPECT_GT(described, 1);
  }
}

TEST_F(AttemptOpenerTest, MostServersDecideWhichVersionItIs) {
  Serve(3);
  member(0).sampler.settings().graph_json = GraphJson(39);
  const auto opened = Open();
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->schema.node_types[0].num_nodes, 40);
  EXPECT_LT(took_, kSoon);
  EXPECT_EQ(member(0).asked, 0);
}

TEST_F(AttemptOpenerTest, ServersThatAllDifferDecideNothing) {
  Serve(2);
  member(1).sampler.settings().graph_json = GraphJson(39);
  const absl::Status status = Open().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("server0:1"), HasSubstr("server1:1")));
}

TEST_F(AttemptOpenerTest, WithoutAnAttemptItEndsAtTheTimeout) {
  Serve(2);
  for (size_t i : {0, 1}) {
    member(i).join = [] { return absl::NotFoundError("no attempt is open"); };
  }
  const absl::Status status = Open().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("rank 0 has not opened the run"));
  EXPECT_GE(took_, kTimeout);
  EXPECT_LT(took_, kTimeout + absl::Milliseconds(1));
}

}  // namespace
}  // namespace tributary
