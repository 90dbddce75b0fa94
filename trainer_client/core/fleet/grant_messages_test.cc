#include "trainer_client/core/fleet/grant_messages.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/proto/wire.pb.h"

namespace tributary {
namespace {

class TestMessage final : public IncomingMessage {
 public:
  TestMessage(MessageKind kind, std::string header)
      : kind_(kind), header_(std::move(header)) {}
  MessageKind kind() const override { return kind_; }
  uint64_t call_id() const override { return 0; }
  std::string_view header() const override { return header_; }
  size_t payload_size() const override { return 0; }
  absl::Status CopyPayload(absl::Span<uint8_t>) override {
    return absl::OkStatus();
  }
  std::shared_ptr<SharedRoom> room() const override { return nullptr; }

 private:
  const MessageKind kind_;
  const std::string header_;
};

CreditRequest Request() {
  CreditRequest request;
  request.key.epoch = 2;
  request.key.index = 5;
  request.slot = ReceiveSlot::Allocate(SlotRing::Create(64 << 10), 8'192);
  return request;
}

TEST(GrantMessages, ACreditOfNodes) {
  CreditRequest request = Request();
  request.inputs.numbers = {3, 1};
  request.inputs.original_ids = {1003, 1001};
  request.inputs.times = {30, 10};
  const OutgoingMessage message =
      CreditMessage(9, request, absl::Microseconds(3));
  EXPECT_EQ(message.kind, MessageKind::kCredit);
  EXPECT_EQ(message.room, request.slot);
  EXPECT_TRUE(message.payload.empty());
  v1::Credit credit;
  ASSERT_TRUE(credit.ParseFromString(message.header));
  EXPECT_EQ(credit.grant(), 9);
  EXPECT_EQ(credit.epoch(), 2);
  EXPECT_EQ(credit.index(), 5);
  EXPECT_EQ(credit.max_bytes(), 8'192);
  EXPECT_EQ(credit.timeout_ms(), 1);  // at least
  ASSERT_EQ(credit.input_number_size(), 2);
  EXPECT_EQ(credit.input_number(1), 1);
  EXPECT_EQ(credit.original_id(1), 1001);
  EXPECT_EQ(credit.input_time(1), 10);
  EXPECT_EQ(credit.links(), 0);
  EXPECT_EQ(credit.trace_id(), "");
  EXPECT_TRUE(credit.compact());
  request.compact = false;
  ASSERT_TRUE(credit.ParseFromString(
      CreditMessage(9, request, absl::Seconds(1)).header));
  EXPECT_FALSE(credit.compact());
}

TEST(GrantMessages, ATracesIdAndWhatTheServerSaysOfIt) {
  CreditRequest request = Request();
  request.trace_id = "0123456789abcdef";
  v1::Credit credit;
  ASSERT_TRUE(credit.ParseFromString(
      CreditMessage(9, request, absl::Seconds(3)).header));
  EXPECT_EQ(credit.trace_id(), "0123456789abcdef");
  v1::Ready ready;
  ready.set_grant(9);
  ready.mutable_trace()->set_inputs(32);
  const auto end = ParseGrantEnd(
      TestMessage(MessageKind::kReady, ready.SerializeAsString()));
  ASSERT_TRUE(end.ok()) << end.status();
  ASSERT_NE(end->trace, nullptr);
  EXPECT_EQ(end->trace->inputs(), 32u);
  ready.mutable_trace()->set_error(std::string(kMaxTraceBytes, 'e'));
  const auto longer = ParseGrantEnd(
      TestMessage(MessageKind::kReady, ready.SerializeAsString()));
  ASSERT_TRUE(longer.ok()) << longer.status();
  EXPECT_EQ(longer->trace, nullptr) << "it takes memory for each batch";
}

TEST(GrantMessages, ACreditOfLinksHasThemAsPayload) {
  CreditRequest request = Request();
  request.inputs.num_links = 4;
  request.inputs.link_credit = std::make_shared<const std::vector<uint8_t>>(
      std::vector<uint8_t>{1, 2, 3});
  const OutgoingMessage message = CreditMessage(9, request, absl::Seconds(1));
  v1::Credit credit;
  ASSERT_TRUE(credit.ParseFromString(message.header));
  EXPECT_EQ(credit.links(), 4);
  EXPECT_EQ(credit.input_number_size(), 0);
  EXPECT_EQ(credit.timeout_ms(), 1000);
  EXPECT_EQ(message.payload, *request.inputs.link_credit);
  EXPECT_EQ(message.payload_owner, request.inputs.link_credit);
}

TEST(GrantMessages, ParsesEachAnswer) {
  v1::Ready ready;
  ready.set_grant(9);
  ready.set_total(700);
  auto end = ParseGrantEnd(
      TestMessage(MessageKind::kReady, ready.SerializeAsString()));
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_EQ(end->kind, GrantEnd::Kind::kFilled);
  EXPECT_EQ(end->grant, 9);
  EXPECT_EQ(end->bytes, 700);
  EXPECT_EQ(end->trace, nullptr);

  v1::BatchError error;
  error.set_grant(8);
  error.set_code(static_cast<int>(absl::StatusCode::kResourceExhausted));
  error.set_message("full");
  error.set_retryable(true);
  error.set_retry_after_ms(uint64_t{1} << 60);
  end = ParseGrantEnd(
      TestMessage(MessageKind::kBatchError, error.SerializeAsString()));
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_EQ(end->kind, GrantEnd::Kind::kError);
  EXPECT_EQ(end->grant, 8);
  EXPECT_EQ(end->error, absl::ResourceExhaustedError("full"));
  EXPECT_TRUE(end->retryable);
  EXPECT_EQ(end->retry_after, absl::Hours(24));  // at most

  v1::Needs needs;
  needs.set_grant(7);
  needs.set_bytes(10'001);
  end = ParseGrantEnd(
      TestMessage(MessageKind::kNeeds, needs.SerializeAsString()));
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_EQ(end->kind, GrantEnd::Kind::kNeeds);
  EXPECT_EQ(end->bytes, 10'001);
}

TEST(GrantMessages, RefusesWhatIsNoAnswer) {
  EXPECT_EQ(ParseGrantEnd(TestMessage(MessageKind::kCredit, "")).status(),
            absl::InternalError("Credit has no place on a batch stream"));
  EXPECT_FALSE(ParseGrantEnd(TestMessage(MessageKind::kReady, "\xff")).ok());
}

}  // namespace
}  // namespace tributary
