// A question to the owners of a partition, and its answer.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/peers/testing/remote_call_fixture.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Only its name travels; peers that are scripted do not answer by it.
class TypeOfATest final : public QuestionType {
 public:
  absl::string_view name() const override { return "of_a_test"; }
  absl::Status Answer(const Graph&, uint32_t, absl::string_view,
                      absl::Span<const uint8_t>, absl::Span<uint8_t>,
                      StopCheck*) const override {
    return absl::UnimplementedError("never called");
  }
};

class RemoteQuestionCallTest : public RemoteCallFixture<AlignedBuffer> {
 protected:
  RemoteQuestionCallTest() {
    question_.type = &type_;
    question_.partition = 1;
    question_.message = "the type's own message";
    question_.payload = {1, 2, 3};
    question_.answer_bytes = 4;
  }
  void Start() { partitions_.Ask(question_, limits_, world_.strand(), Done()); }
  // The answer as text.
  absl::StatusOr<std::string> Run() {
    Start();
    const auto answer = Await();
    if (!answer.ok()) return answer.status();
    return std::string(answer->span().begin(), answer->span().end());
  }
  void ReplyWith(std::string answer) {
    Reply(MessageKind::kQuestionReply, v1::QuestionReply(), std::move(answer));
  }

  const TypeOfATest type_;
  PartitionQuestion question_;
};

TEST_F(RemoteQuestionCallTest, IsAskedAndAnswered) {
  ReplyWith("four");
  EXPECT_EQ(Run().value(), "four");
  ASSERT_THAT(calls(), SizeIs(1));
  EXPECT_EQ(calls()[0].kind, MessageKind::kQuestionRequest);
  EXPECT_EQ(calls()[0].payload, "\1\2\3");
  const auto request = calls()[0].Parse<v1::QuestionRequest>();
  const Sha256Digest& layout = world_.graph().schema().layout_digest;
  EXPECT_EQ(request.layout_digest(), std::string(layout.begin(), layout.end()));
  EXPECT_EQ(request.question_type(), "of_a_test");
  EXPECT_EQ(request.partition(), 1u);
  EXPECT_EQ(request.question(), "the type's own message");
  EXPECT_EQ(request.answer_bytes(), 4u);
  EXPECT_EQ(request.timeout_ms(), 5000u);
}

TEST_F(RemoteQuestionCallTest, AnAnswerOfAnotherSizeIsRefused) {
  for (const std::string answer : {"", "thr", "five!"}) {
    SCOPED_TRACE(answer);
    ReplyWith(answer);
    ReplyWith("four");
    const size_t before = calls().size();
    EXPECT_EQ(Run().value(), "four");
    EXPECT_EQ(calls().size(), before + 2);
  }
}

TEST_F(RemoteQuestionCallTest, AnAnswerThatItsCheckRefusesIsAskedForElsewhere) {
  question_.check = [](absl::Span<const uint8_t> answer) -> absl::Status {
    if (answer[0] == 'f') return absl::OkStatus();
    return absl::DataLossError("no f");
  };
  ReplyWith("more");
  ReplyWith("four");
  EXPECT_EQ(Run().value(), "four");
  EXPECT_THAT(calls(), SizeIs(2));
}

TEST_F(RemoteQuestionCallTest, TheSizeOfAWrongAnswerIsSaid) {
  limits_.deadline = world_.now() + absl::Seconds(1);
  for (int i = 0; i < 2; ++i) {
    world_.peer(i).answer = [](const ArrivedCall&) {
      return MakeAnswer(MessageKind::kQuestionReply, "", "thr");
    };
  }
  const auto answer = Run();
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(answer.status().message()),
              HasSubstr("DATA_LOSS: an answer of 3 bytes to a question for 4"));
}

TEST_F(RemoteQuestionCallTest, AHeaderThatIsNoneIsRefused) {
  replies_.push_back(
      MakeAnswer(MessageKind::kQuestionReply, "\xff\xff\xff", "four"));
  ReplyWith("more");
  EXPECT_EQ(Run().value(), "more");
  EXPECT_THAT(calls(), SizeIs(2));
}

TEST_F(RemoteQuestionCallTest, WhatIsLargerThanAMessageIsNotAsked) {
  question_.answer_bytes = (4u << 20) + 1;
  EXPECT_EQ(Run().status(),
            absl::InternalError(
                "a question of 3 bytes for 4194305; at most 4194304"));
  question_.answer_bytes = 4;
  question_.payload.assign((4u << 20) + 1, 0);
  EXPECT_EQ(Run().status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(calls(), IsEmpty());
}

TEST_F(RemoteQuestionCallTest, ACancelReachesThePeer) {
  Start();
  ExpectCancelReachesThePeer();
}

}  // namespace
}  // namespace tributary
