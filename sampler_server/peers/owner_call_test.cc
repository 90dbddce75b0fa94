// Which owners a leaf call goes to, and how it ends.
#include "sampler_server/peers/owner_call.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/engine/batch/peer_calls.h"
#include "sampler_server/peers/testing/scripted_peer.h"

namespace tributary {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Lt;

// Peers are described once, and again only after a failure.
PeerDirectoryOptions DescribedOnce() {
  PeerDirectoryOptions options;
  options.describe_interval = absl::Hours(1);
  return options;
}

ScriptedPeer::Answer Fails(absl::Status why) {
  return [why](const ArrivedCall&) { return why; };
}

absl::StatusOr<CallAnswer> Good(const ArrivedCall&) {
  return MakeAnswer(MessageKind::kGatherReply, "", "good");
}

class OwnerCallTest : public testing::Test {
 protected:
  // Peers 0 and 1 own partition 1.
  void AddTwoOwners() {
    world_.Add({1});
    world_.Add({1});
    world_.Introduce();
  }
  void AnswerAll(const ScriptedPeer::Answer& answer) {
    for (size_t i = 0; i < 2; ++i) world_.peer(i).answer = answer;
  }

  void Start(absl::Duration timeout = absl::Seconds(60)) {
    OwnerCallSpec spec;
    spec.partition = 1;
    spec.kind = MessageKind::kGatherRequest;
    spec.reply_kind = MessageKind::kGatherReply;
    spec.header = header_;
    auto payload = std::make_shared<const std::string>("request");
    payload_ = payload;
    spec.payload = {reinterpret_cast<const uint8_t*>(payload->data()),
                    payload->size()};
    spec.payload_owner = std::move(payload);
    spec.max_reply_bytes = 4;
    started_ = world_.now();
    spec.limits = {started_ + timeout, 0, cancel_, calls_};
    spec.strand = world_.strand();
    spec.accept = [this](CallReply reply) {
      accepted_.emplace_back(reply.payload.span().begin(),
                             reply.payload.span().end());
      return std::exchange(refusal_, absl::OkStatus());
    };
    spec.done = [this](absl::Status status) {
      EXPECT_FALSE(outcome_.has_value());
      outcome_ = std::move(status);
      took_ = world_.now() - started_;
    };
    world_.strand()->Post([this, spec = std::move(spec)]() mutable {
      StartOwnerCall(world_.directory(), std::move(spec));
      EXPECT_FALSE(outcome_.has_value()) << "called inside StartOwnerCall";
    });
  }
  absl::Status Await() {
    EXPECT_TRUE(world_.RunUntil([this] { return outcome_.has_value(); }));
    return outcome_.value_or(absl::UnknownError("the call did not end"));
  }
  std::vector<size_t> CallsByPeer() {
    return {world_.peer(0).calls.size(), world_.peer(1).calls.size()};
  }

  PeerWorld world_{DescribedOnce()};
  CancelToken cancel_;
  std::shared_ptr<PeerCalls> calls_;
  std::function<std::string(uint64_t)> header_ = [](uint64_t timeout_ms) {
    return absl::StrCat(timeout_ms);
  };
  std::weak_ptr<const std::string> payload_;
  absl::Status refusal_;  // what the next reply is refused with
  std::vector<std::string> accepted_;
  absl::Time started_;
  absl::Duration took_;
  std::optional<absl::Status> outcome_;
};

TEST_F(OwnerCallTest, AnOwnerAnswers) {
  AddTwoOwners();
  AnswerAll(Good);
  Start();
  EXPECT_EQ(Await(), absl::OkStatus());
  EXPECT_THAT(accepted_, ElementsAre("good"));
  ASSERT_EQ(world_.num_calls(), 1u);
  const size_t asked = world_.peer(0).calls.empty() ? 1 : 0;
  const ArrivedCall& call = world_.peer(asked).calls[0];
  EXPECT_EQ(call.kind, MessageKind::kGatherRequest);
  EXPECT_EQ(call.payload, "request");
  EXPECT_TRUE(payload_.expired());
}

TEST_F(OwnerCallTest, WhenOneFailsTheOtherIsAskedAndNobodyTwice) {
  AddTwoOwners();
  AnswerAll([this](const ArrivedCall& call) -> absl::StatusOr<CallAnswer> {
    if (world_.num_calls() == 1) return absl::InternalError("once");
    return Good(call);
  });
  Start();
  EXPECT_EQ(Await(), absl::OkStatus());
  EXPECT_THAT(CallsByPeer(), ElementsAre(1, 1));
  EXPECT_LT(took_, absl::Milliseconds(5)) << "no back-off between owners";
}

// The first back-off is 10 to 20 ms long.
TEST_F(OwnerCallTest, WhenAllFailTheyAreAskedAgainAfterABackOff) {
  AddTwoOwners();
  AnswerAll([this](const ArrivedCall& call) -> absl::StatusOr<CallAnswer> {
    if (world_.num_calls() <= 2) return absl::InternalError("twice");
    return Good(call);
  });
  Start();
  EXPECT_EQ(Await(), absl::OkStatus());
  EXPECT_EQ(world_.num_calls(), 3u);
  EXPECT_THAT(took_,
              AllOf(Ge(absl::Milliseconds(10)), Lt(absl::Milliseconds(25))));
}

TEST_F(OwnerCallTest, AtTheDeadlineAllErrorsAreNamed) {
  AddTwoOwners();
  world_.peer(0).answer = Fails(absl::InternalError("broken"));
  world_.peer(1).answer = Fails(absl::ResourceExhaustedError("full"));
  Start(absl::Seconds(1));
  const absl::Status status = Await();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("partition 1 could not be reached in time"),
                    HasSubstr("peer0:1 (INTERNAL: broken)"),
                    HasSubstr("peer1:1 (RESOURCE_EXHAUSTED: full)")));
  // A tenth of a second before the deadline.
  EXPECT_THAT(took_,
              AllOf(Ge(absl::Milliseconds(899)), Lt(absl::Milliseconds(950))));
}

TEST_F(OwnerCallTest, APartitionWithoutOwner) {
  world_.Add({0});
  world_.Introduce();
  Start(absl::Seconds(1));
  const absl::Status status = Await();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("no live server owns it"));
  EXPECT_EQ(world_.num_calls(), 0u);
}

TEST_F(OwnerCallTest, AnOwnerThatComesLaterIsAsked) {
  world_.Add({1}).answer = Good;
  Start();
  world_.RunFor(absl::Milliseconds(500));
  EXPECT_FALSE(outcome_.has_value());
  world_.Introduce();
  EXPECT_EQ(Await(), absl::OkStatus());
}

TEST_F(OwnerCallTest, ARequestThatAllOwnersRefuseEndsIt) {
  AddTwoOwners();
  for (const absl::Status& error :
       {absl::InvalidArgumentError("wrong"), absl::OutOfRangeError("wrong")}) {
    AnswerAll(Fails(error));
    const size_t before = world_.num_calls();
    Start();
    const absl::Status status = Await();
    EXPECT_EQ(status.code(), error.code());
    EXPECT_THAT(
        std::string(status.message()),
        AllOf(HasSubstr("partition 1, asked peer"), HasSubstr(":1: wrong")));
    EXPECT_EQ(world_.num_calls(), before + 2);
    outcome_.reset();
  }
  EXPECT_EQ(world_.Healthy().size(), 2u);
}

// One owner is wrong in whatever way; the other one is sound. From then on it
// is asked first.
class WrongOwnerTest : public OwnerCallTest,
                       public testing::WithParamInterface<absl::StatusCode> {};

TEST_P(WrongOwnerTest, IsLeftAloneAndFailsNoCall) {
  AddTwoOwners();
  world_.peer(0).answer = Fails(absl::Status(GetParam(), "wrong"));
  world_.peer(1).answer = Good;
  for (int call = 0; call < 4; ++call) {
    Start();
    EXPECT_EQ(Await(), absl::OkStatus());
    outcome_.reset();
  }
  EXPECT_EQ(CallsByPeer()[0], 1);
  EXPECT_EQ(world_.Healthy().size(), 2u);
  // It is asked again a second later.
  world_.RunFor(absl::Seconds(2));
  for (int call = 0; call < 2; ++call) {
    Start();
    EXPECT_EQ(Await(), absl::OkStatus());
    outcome_.reset();
  }
  EXPECT_EQ(CallsByPeer()[0], 2);
}

INSTANTIATE_TEST_SUITE_P(Codes, WrongOwnerTest,
                         testing::Values(absl::StatusCode::kDataLoss,
                                         absl::StatusCode::kAborted,
                                         absl::StatusCode::kInternal,
                                         absl::StatusCode::kUnknown,
                                         absl::StatusCode::kInvalidArgument,
                                         absl::StatusCode::kOutOfRange,
                                         absl::StatusCode::kPermissionDenied,
                                         absl::StatusCode::kUnauthenticated));
// A server of an older version does not know all questions, and is sound
// otherwise.
TEST_F(OwnerCallTest, AnotherOwnerAnswersWhatOneDoesNotKnow) {
  AddTwoOwners();
  world_.peer(0).answer = Fails(absl::UnimplementedError("no such question"));
  world_.peer(1).answer = Good;
  for (int call = 0; call < 4; ++call) {
    Start();
    EXPECT_EQ(Await(), absl::OkStatus());
    outcome_.reset();
  }
  EXPECT_EQ(CallsByPeer()[1], 4);
  world_.peer(1).answer = Fails(absl::UnimplementedError("no such question"));
  Start(absl::Seconds(1));
  const absl::Status status = Await();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("peer0:1 (UNIMPLEMENTED: no such question), peer1:1 "
                        "(UNIMPLEMENTED: no such question)"));
}

// Its leaf thread may be busy: it still answers Describe.
TEST_F(OwnerCallTest, CallsToASilentOwnerThatLivesGoOn) {
  world_.Add({1});
  world_.Introduce();
  Start();
  ASSERT_TRUE(world_.RunUntil([this] { return world_.num_calls() == 1; }));
  world_.RunFor(absl::Seconds(3));
  const std::shared_ptr<Peer> owner = world_.directory()->Owners(1)[0];
  const std::shared_ptr<CallClient> stream = owner->Leaf();
  absl::Status other = absl::UnknownError("not over");
  stream->Call({MessageKind::kGatherRequest, "", {}, nullptr},
               world_.now() + absl::Seconds(9), 4,
               [&other](absl::StatusOr<CallReply> r) { other = r.status(); });
  world_.RunFor(absl::Seconds(3));
  EXPECT_EQ(other.code(), absl::StatusCode::kUnknown);
  EXPECT_TRUE(stream->open());
  EXPECT_NE(owner->Leaf(), stream) << "later calls use another stream";
  EXPECT_TRUE(owner->healthy());
  cancel_.Cancel();
  world_.RunFor(absl::Seconds(10));
}

// A reported peer is unhealthy until it is described again, which fails here.
TEST_F(OwnerCallTest, ErrorsOfThePeerAreReportedAndThoseOfACallAreNot) {
  for (const absl::Status& error :
       {absl::UnavailableError("gone"), absl::FailedPreconditionError("gone"),
        absl::NotFoundError("gone"), absl::InternalError("call"),
        absl::ResourceExhaustedError("call"), absl::DataLossError("call"),
        absl::DeadlineExceededError("call")}) {
    PeerWorld world(DescribedOnce());
    ScriptedPeer& peer = world.Add({1});
    world.Introduce();
    peer.answer = Fails(error);
    peer.describe_error = absl::InternalError("not now");
    bool asked = false;
    OwnerCallSpec spec;
    spec.partition = 1;
    spec.kind = MessageKind::kGatherRequest;
    spec.reply_kind = MessageKind::kGatherReply;
    spec.header = [&asked](uint64_t) {
      asked = true;
      return std::string();
    };
    spec.limits.deadline = world.now() + absl::Seconds(20);
    spec.strand = world.strand();
    spec.accept = [](CallReply) { return absl::OkStatus(); };
    spec.done = [](absl::Status) {};
    world.strand()->Post([&world, &spec] {
      StartOwnerCall(world.directory(), std::move(spec));
    });
    world.RunFor(absl::Milliseconds(5));
    EXPECT_TRUE(asked);
    EXPECT_EQ(world.Healthy().empty(), error.message() == "gone") << error;
    world.RunFor(absl::Seconds(21));
  }
}

// An attempt takes 5 s at most.
TEST_F(OwnerCallTest, ASilentOwnerIsLeftAndReported) {
  AddTwoOwners();
  AnswerAll(nullptr);
  for (size_t i = 0; i < 2; ++i) {
    world_.peer(i).describe_error = absl::InternalError("not now");
  }
  Start();
  world_.RunFor(absl::Milliseconds(4990));
  ASSERT_EQ(world_.num_calls(), 1u);
  const size_t first = world_.peer(0).calls.empty() ? 1 : 0;
  EXPECT_EQ(world_.peer(first).calls[0].header, "5000");
  EXPECT_EQ(world_.Healthy().size(), 2u);
  world_.peer(1 - first).answer = Good;
  EXPECT_EQ(Await(), absl::OkStatus());
  EXPECT_EQ(world_.num_calls(), 2u);
  EXPECT_TRUE(world_.peer(first).calls[0].cancel.cancelled());
  EXPECT_THAT(world_.Healthy(),
              ElementsAre(world_.AddressOf(1 - first).ToString()));
}

// Where the deadline cut the attempt short, silence says nothing of the peer.
TEST_F(OwnerCallTest, AShortAttemptSaysNothingOfThePeer) {
  AddTwoOwners();
  world_.peer(0).describe_error = absl::InternalError("not now");
  world_.peer(1).describe_error = absl::InternalError("not now");
  Start(absl::Seconds(2));
  EXPECT_EQ(Await().code(), absl::StatusCode::kUnavailable);
  ASSERT_EQ(world_.num_calls(), 1u);
  const size_t asked = world_.peer(0).calls.empty() ? 1 : 0;
  // A tenth of a second before the deadline, and a moment after the start.
  EXPECT_THAT(world_.peer(asked).calls[0].header, AnyOf("1900", "1899"));
  EXPECT_EQ(world_.Healthy().size(), 2u);
}

TEST_F(OwnerCallTest, ACancelReachesThePeer) {
  AddTwoOwners();
  Start();
  ASSERT_TRUE(world_.RunUntil([this] { return world_.num_calls() == 1; }));
  const size_t asked = world_.peer(0).calls.empty() ? 1 : 0;
  const CancelToken at_peer = world_.peer(asked).calls[0].cancel;
  EXPECT_FALSE(at_peer.cancelled());
  cancel_.Cancel();
  world_.RunFor(absl::Milliseconds(5));
  EXPECT_TRUE(at_peer.cancelled());
  EXPECT_TRUE(payload_.expired());
  world_.RunFor(absl::Seconds(61));
  EXPECT_FALSE(outcome_.has_value());
  EXPECT_EQ(world_.num_calls(), 1u);
  EXPECT_EQ(world_.Healthy().size(), 2u);
}

// An earlier call to one of the owners makes the numbers of the calls on their
// streams differ.
TEST_F(OwnerCallTest, ACancelReachesTheOwnerThatWasAskedLast) {
  AddTwoOwners();
  AnswerAll(Good);
  Start();
  EXPECT_EQ(Await(), absl::OkStatus());
  outcome_.reset();
  const std::vector<size_t> before = CallsByPeer();
  AnswerAll(Fails(absl::InternalError("broken")));
  Start();
  ASSERT_TRUE(world_.RunUntil([this] { return world_.num_calls() == 2; }));
  AnswerAll(nullptr);
  const size_t last = CallsByPeer()[0] == before[0] ? 0 : 1;
  ASSERT_TRUE(world_.RunUntil([this] { return world_.num_calls() == 3; }));
  ASSERT_EQ(CallsByPeer()[last], before[last] + 1);
  const CancelToken at_peer = world_.peer(last).calls.back().cancel;
  EXPECT_FALSE(at_peer.cancelled());
  cancel_.Cancel();
  world_.RunFor(absl::Milliseconds(5));
  EXPECT_TRUE(at_peer.cancelled());
}

TEST_F(OwnerCallTest, ACancelEndsTheBackOff) {
  AddTwoOwners();
  AnswerAll(Fails(absl::InternalError("broken")));
  Start();
  ASSERT_TRUE(world_.RunUntil([this] { return world_.num_calls() == 2; }));
  world_.RunFor(absl::Milliseconds(2));
  cancel_.Cancel();
  world_.RunFor(absl::Seconds(61));
  EXPECT_EQ(world_.num_calls(), 2u);
  EXPECT_FALSE(outcome_.has_value());
  EXPECT_TRUE(payload_.expired());
}

TEST_F(OwnerCallTest, WhatWasCancelledBeforeAsksNobody) {
  AddTwoOwners();
  cancel_.Cancel();
  Start();
  world_.RunFor(absl::Seconds(1));
  EXPECT_EQ(world_.num_calls(), 0u);
  EXPECT_FALSE(outcome_.has_value());
  EXPECT_TRUE(payload_.expired());
}

// Whatever the code: another owner may answer well.
TEST_F(OwnerCallTest, AMalformedReplyIsAFailedAttempt) {
  AddTwoOwners();
  AnswerAll(Good);
  refusal_ = absl::InvalidArgumentError("no such header");
  Start();
  EXPECT_EQ(Await(), absl::OkStatus());
  EXPECT_THAT(accepted_, ElementsAre("good", "good"));
  EXPECT_THAT(CallsByPeer(), ElementsAre(1, 1));
  EXPECT_EQ(world_.Healthy().size(), 2u);
}

TEST_F(OwnerCallTest, AReplyOfAnotherKindIsNotTaken) {
  AddTwoOwners();
  AnswerAll([](const ArrivedCall&) {
    return MakeAnswer(MessageKind::kQuestionReply, "", "good");
  });
  Start(absl::Seconds(1));
  const absl::Status status = Await();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("DATA_LOSS: answered by QuestionReply instead of "
                        "GatherReply"));
  EXPECT_TRUE(accepted_.empty());
}

TEST_F(OwnerCallTest, AReplyLongerThanAskedForIsNotTaken) {
  AddTwoOwners();
  AnswerAll([this](const ArrivedCall& call) -> absl::StatusOr<CallAnswer> {
    if (world_.num_calls() > 1) return Good(call);
    return MakeAnswer(MessageKind::kGatherReply, "", "12345");
  });
  Start();
  EXPECT_EQ(Await(), absl::OkStatus());
  EXPECT_THAT(accepted_, ElementsAre("good"));
  EXPECT_THAT(CallsByPeer(), ElementsAre(1, 1));
}

TEST_F(OwnerCallTest, EachAttemptIsLoggedWithWhatThePeerTells) {
  AddTwoOwners();
  AnswerAll([this](const ArrivedCall&) -> absl::StatusOr<CallAnswer> {
    if (world_.num_calls() == 1) return absl::InternalError("once");
    v1::LeafReplyTrace trace;
    trace.mutable_times()->set_queue_us(77);
    return MakeAnswer(MessageKind::kGatherReply, trace.SerializeAsString(),
                      "good");
  });
  calls_ = std::make_shared<PeerCalls>("", world_.now());
  Start();
  ASSERT_TRUE(Await().ok());
  v1::BatchTrace trace;
  calls_->FillTrace(&trace);
  ASSERT_EQ(trace.calls_size(), 2);
  EXPECT_EQ(trace.calls(0).code(),
            static_cast<int>(absl::StatusCode::kInternal));
  EXPECT_EQ(trace.calls(0).reply_bytes(), 0u);
  const v1::PeerCallSpan& good = trace.calls(1);
  EXPECT_EQ(good.code(), 0);
  EXPECT_EQ(good.call(), v1::PeerCallSpan::CALL_GATHER);
  EXPECT_EQ(good.partition(), 1u);
  EXPECT_EQ(good.reply_bytes(), 4u);
  EXPECT_EQ(good.times().queue_us(), 77u);
  EXPECT_GT(good.duration_us(), 0u);
  EXPECT_GE(good.start_us(), trace.calls(0).duration_us());
  EXPECT_NE(good.peer(), trace.calls(0).peer());
  const std::string last =
      world_.peer(0).calls.back().header + world_.peer(1).calls.back().header;
  EXPECT_THAT(last, testing::Not(HasSubstr("0123456789abcdef")));
}

TEST_F(OwnerCallTest, TheTracesIdTravelsWithTheRequest) {
  AddTwoOwners();
  AnswerAll(Good);
  calls_ = std::make_shared<PeerCalls>("0123456789abcdef", world_.now());
  header_ = [](uint64_t timeout_ms) {
    v1::GatherRequest request;
    request.set_timeout_ms(timeout_ms);
    request.set_num_rows(3);
    return request.SerializeAsString();
  };
  Start();
  ASSERT_TRUE(Await().ok());
  const size_t asked = world_.peer(0).calls.empty() ? 1 : 0;
  const auto request = world_.peer(asked).calls[0].Parse<v1::GatherRequest>();
  EXPECT_EQ(request.trace_id(), "0123456789abcdef");
  EXPECT_EQ(request.num_rows(), 3u);
}

TEST_F(OwnerCallTest, AHeaderThatCannotBeReadIsLoggedWithoutTimes) {
  AddTwoOwners();
  AnswerAll([](const ArrivedCall&) {
    return MakeAnswer(MessageKind::kGatherReply, "\xff\xff\xff", "good");
  });
  calls_ = std::make_shared<PeerCalls>("", world_.now());
  Start();
  ASSERT_TRUE(Await().ok());
  v1::BatchTrace trace;
  calls_->FillTrace(&trace);
  ASSERT_EQ(trace.calls_size(), 1);
  EXPECT_EQ(trace.calls(0).times().queue_us(), 0u);
}

}  // namespace
}  // namespace tributary
