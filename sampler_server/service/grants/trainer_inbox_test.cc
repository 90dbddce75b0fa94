#include "sampler_server/service/grants/trainer_inbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FakeMessage final : public IncomingMessage {
 public:
  FakeMessage(MessageKind kind, std::string header,
              std::vector<uint8_t> payload = {})
      : kind_(kind), header_(std::move(header)), payload_(std::move(payload)) {}

  MessageKind kind() const override { return kind_; }
  uint64_t call_id() const override { return 0; }
  std::string_view header() const override { return header_; }
  size_t payload_size() const override { return payload_.size(); }
  absl::Status CopyPayload(absl::Span<uint8_t> to) override {
    std::copy(payload_.begin(), payload_.end(), to.begin());
    return copied;
  }
  std::shared_ptr<SharedRoom> room() const override { return lent; }

  absl::Status copied;
  std::shared_ptr<SharedRoom> lent;

 private:
  const MessageKind kind_;
  const std::string header_;
  const std::vector<uint8_t> payload_;
};

class Slot final : public SharedRoom {
 public:
  absl::Span<uint8_t> bytes() override { return {}; }
};

std::string CancelOf(uint64_t grant) {
  v1::Cancel cancel;
  cancel.set_grant(grant);
  return cancel.SerializeAsString();
}

TEST(TrainerInboxTest, ACreditComesWithItsPayloadAndRoom) {
  TrainerInbox inbox;
  v1::Credit credit;
  credit.set_grant(7);
  FakeMessage message(MessageKind::kCredit, credit.SerializeAsString(),
                      {1, 2, 3});
  message.lent = std::make_shared<Slot>();
  auto received = inbox.Take(message);
  ASSERT_TRUE(received.ok()) << received.status();
  auto parsed = received->Parse();
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const auto* taken = std::get_if<CreditMessage>(&*parsed);
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->credit.grant(), 7u);
  EXPECT_THAT(taken->payload, ElementsAre(1, 2, 3));
  EXPECT_EQ(taken->room, message.lent);
}

TEST(TrainerInboxTest, OtherMessagesAreParsedByTheirKind) {
  TrainerInbox inbox;
  v1::OpenSession open;
  open.set_client("train");
  FakeMessage session(MessageKind::kOpenSession, open.SerializeAsString());
  auto parsed = inbox.Take(session)->Parse();
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(std::get<v1::OpenSession>(*parsed).client(), "train");

  FakeMessage cancel(MessageKind::kCancel, CancelOf(9));
  parsed = inbox.Take(cancel)->Parse();
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(std::get<v1::Cancel>(*parsed).grant(), 9u);

  v1::WaitReport waits;
  waits.set_wait_permille(250);
  FakeMessage report(MessageKind::kWaitReport, waits.SerializeAsString());
  parsed = inbox.Take(report)->Parse();
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(std::get<v1::WaitReport>(*parsed).wait_permille(), 250u);
}

TEST(TrainerInboxTest, RefusesWhatIsNotForABatchStream) {
  TrainerInbox inbox;
  FakeMessage ready(MessageKind::kReady, "");
  EXPECT_THAT(std::string(inbox.Take(ready)->Parse().status().message()),
              HasSubstr("Ready is not, or not in this form"));
  FakeMessage garbled(MessageKind::kCancel, "\xff\xff");
  EXPECT_EQ(inbox.Take(garbled)->Parse().status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(TrainerInboxTest, OnlyCreditsHaveAPayload) {
  TrainerInbox inbox;
  FakeMessage cancel(MessageKind::kCancel, CancelOf(1), {1});
  const absl::Status refused = inbox.Take(cancel).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("Cancel with a payload of 1 bytes"));
}

TEST(TrainerInboxTest, AWrongPayloadIsPassedOn) {
  TrainerInbox inbox;
  FakeMessage credit(MessageKind::kCredit, "", {1});
  credit.copied = absl::DataLossError("crc");
  EXPECT_EQ(inbox.Take(credit).status().code(), absl::StatusCode::kDataLoss);
}

TEST(TrainerInboxTest, HoldsSoManyMessagesUntilTheyAreHandled) {
  TrainerInbox inbox;
  FakeMessage cancel(MessageKind::kCancel, CancelOf(1));
  std::vector<QueuedMessage> unhandled;
  for (size_t i = 0; i < TrainerInbox::kMaxMessages; ++i) {
    auto received = inbox.Take(cancel);
    ASSERT_TRUE(received.ok()) << i << ": " << received.status();
    unhandled.push_back(*std::move(received));
  }
  EXPECT_EQ(inbox.Take(cancel).status().code(),
            absl::StatusCode::kResourceExhausted);
  unhandled.pop_back();
  EXPECT_TRUE(inbox.Take(cancel).ok());
}

TEST(TrainerInboxTest, HoldsSoManyBytesOfHeadersAndPayloads) {
  TrainerInbox inbox;
  FakeMessage half(MessageKind::kCredit, "",
                   std::vector<uint8_t>(TrainerInbox::kMaxBytes / 2));
  const auto first = inbox.Take(half);
  auto second = inbox.Take(half);
  ASSERT_TRUE(first.ok() && second.ok());
  FakeMessage one(MessageKind::kCredit, "", {1});
  EXPECT_EQ(inbox.Take(one).status().code(),
            absl::StatusCode::kResourceExhausted);
  second = absl::CancelledError("handled");
  EXPECT_TRUE(inbox.Take(one).ok());
}

TEST(TrainerInboxTest, MessagesMayOutliveIt) {
  auto inbox = std::make_unique<TrainerInbox>();
  FakeMessage cancel(MessageKind::kCancel, CancelOf(4));
  auto received = inbox->Take(cancel);
  inbox.reset();
  EXPECT_EQ(std::get<v1::Cancel>(*received->Parse()).grant(), 4u);
}

}  // namespace
}  // namespace tributary
