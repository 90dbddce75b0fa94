// Frames from a room to a slot: sender and assembler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <vector>

#include "channel/frame_assembler.h"
#include "channel/frame_sender.h"
#include "channel/parse_header.h"
#include "common/proto/wire.pb.h"
#include "common/testing/sim_scheduler.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Keeps what is sent until the test takes it.
class HeldStream final : public Stream {
 public:
  absl::Status Send(OutgoingMessage message) override {
    if (!open) return absl::UnavailableError("closed");
    sent.push_back(std::move(message));
    return absl::OkStatus();
  }
  size_t queued_bytes() const override { return 0; }
  void Close(absl::Status) override { open = false; }

  bool open = true;
  std::deque<OutgoingMessage> sent;
};

class FrameSenderTest : public ::testing::Test {
 protected:
  FrameSenderTest() {
    FrameSenderOptions options;
    options.frame_bytes = 10;
    options.window_bytes = 20;
    sender_ = FrameSender::Create(stream_, node_, options);
  }

  static std::shared_ptr<std::vector<uint8_t>> MakeRoom(size_t bytes) {
    auto room = std::make_shared<std::vector<uint8_t>>(bytes);
    for (size_t i = 0; i < bytes; ++i) (*room)[i] = static_cast<uint8_t>(i);
    return room;
  }

  // (grant, offset, length) of each frame that the stream holds.
  std::vector<std::vector<uint64_t>> Held() const {
    std::vector<std::vector<uint64_t>> frames;
    for (const auto& message : stream_->sent) {
      const auto frame = *ParseHeader<v1::Frame>(message.kind, message.header);
      frames.push_back({frame.grant(), frame.offset(), message.payload.size()});
    }
    return frames;
  }
  // The network takes the first frame that is held.
  void TakeOne() {
    stream_->sent.pop_front();
    ASSERT_TRUE(world_.Drain(100));
  }

  SimScheduler world_{1};
  SimExecutor* node_ = world_.AddNode("server");
  std::shared_ptr<HeldStream> stream_ = std::make_shared<HeldStream>();
  std::shared_ptr<FrameSender> sender_;
};

using Frame = std::vector<uint64_t>;

TEST_F(FrameSenderTest, CutsARoomWithoutCopyingIt) {
  auto room = MakeRoom(15);
  sender_->Send(7, *room, room);
  EXPECT_THAT(Held(), ElementsAre(Frame{7, 0, 10}, Frame{7, 10, 5}));
  EXPECT_EQ(stream_->sent[0].payload.data(), room->data());
  EXPECT_EQ(stream_->sent[1].payload.data(), room->data() + 10);
  const auto frame =
      *ParseHeader<v1::Frame>(stream_->sent[1].kind, stream_->sent[1].header);
  EXPECT_EQ(frame.total(), 15);
}

// Bytes 4 to 8 and 20 to 31 of 45 are left out, and the last two.
TEST_F(FrameSenderTest, FramesEndWhereBytesAreLeftOut) {
  auto room = MakeRoom(27);
  FrameSenderOptions options;
  options.frame_bytes = 10;
  options.window_bytes = 100;
  sender_ = FrameSender::Create(stream_, node_, options);
  sender_->Send(7, *room, room, {{{4, 5}, {20, 11}, {43, 2}}, 99});
  EXPECT_THAT(Held(),
              ElementsAre(Frame{7, 0, 4}, Frame{7, 9, 10}, Frame{7, 19, 1},
                          Frame{7, 31, 10}, Frame{7, 41, 2}));
  EXPECT_EQ(stream_->sent[3].payload.data(), room->data() + 15);
  for (const OutgoingMessage& message : stream_->sent) {
    const auto frame = *ParseHeader<v1::Frame>(message.kind, message.header);
    EXPECT_EQ(frame.total(), 45);
    EXPECT_EQ(frame.left_out_bytes(), 18);
    EXPECT_EQ(frame.left_out_crcs(), 99);
  }
}

TEST_F(FrameSenderTest, KeepsAWindowAndGoesOnAsTheNetworkTakes) {
  auto room = MakeRoom(35);
  sender_->Send(1, *room, room);
  sender_->Send(2, absl::MakeConstSpan(*room).first(5), room);
  EXPECT_THAT(Held(), ElementsAre(Frame{1, 0, 10}, Frame{1, 10, 10}));
  EXPECT_EQ(sender_->waiting_bytes(), 20);
  TakeOne();
  EXPECT_THAT(Held(), ElementsAre(Frame{1, 10, 10}, Frame{1, 20, 10}));
  TakeOne();
  // 15 in flight are below the window: one more may go.
  EXPECT_THAT(Held(),
              ElementsAre(Frame{1, 20, 10}, Frame{1, 30, 5}, Frame{2, 0, 5}));
  EXPECT_EQ(sender_->waiting_bytes(), 0);
}

TEST_F(FrameSenderTest, LetsGoOfARoomWithItsLastFrame) {
  auto room = MakeRoom(15);
  const std::weak_ptr<std::vector<uint8_t>> alive = room;
  sender_->Send(1, *room, room);
  room.reset();
  TakeOne();
  EXPECT_FALSE(alive.expired());
  TakeOne();
  EXPECT_TRUE(alive.expired());
}

TEST_F(FrameSenderTest, CancelSendsNoMoreOfIt) {
  auto room = MakeRoom(100);
  const std::weak_ptr<std::vector<uint8_t>> alive = room;
  sender_->Send(1, *room, room);
  room.reset();
  auto other = MakeRoom(5);
  sender_->Send(2, *other, other);
  EXPECT_TRUE(sender_->Cancel(1));
  EXPECT_FALSE(sender_->Cancel(1));
  TakeOne();
  EXPECT_THAT(Held(), ElementsAre(Frame{1, 10, 10}, Frame{2, 0, 5}));
  TakeOne();
  EXPECT_TRUE(alive.expired());
}

TEST_F(FrameSenderTest, ABrokenStreamLetsGoOfEverything) {
  auto room = MakeRoom(100);
  const std::weak_ptr<std::vector<uint8_t>> alive = room;
  stream_->open = false;
  sender_->Send(1, *room, room);
  room.reset();
  EXPECT_TRUE(world_.Drain(100));
  EXPECT_TRUE(alive.expired());
  EXPECT_EQ(sender_->waiting_bytes(), 0);
}

TEST_F(FrameSenderTest, StopLetsGoOfStreamAndRooms) {
  auto room = MakeRoom(100);
  sender_->Send(1, *room, room);
  sender_->Stop();
  EXPECT_EQ(stream_.use_count(), 1);
  EXPECT_EQ(sender_->waiting_bytes(), 0);
  sender_->Send(2, *room, room);
  EXPECT_EQ(sender_->waiting_bytes(), 0);
  stream_->sent.clear();
  EXPECT_TRUE(world_.Drain(100));
  EXPECT_EQ(room.use_count(), 1);
}

// A frame as it arrives.
class ArrivedFrame final : public IncomingMessage {
 public:
  explicit ArrivedFrame(std::vector<uint8_t> payload)
      : payload_(std::move(payload)) {}
  MessageKind kind() const override { return MessageKind::kFrame; }
  uint64_t call_id() const override { return 0; }
  std::string_view header() const override { return ""; }
  size_t payload_size() const override { return payload_.size(); }
  std::shared_ptr<SharedRoom> room() const override { return nullptr; }
  absl::Status CopyPayload(absl::Span<uint8_t> to) override {
    std::copy(payload_.begin(), payload_.end(), to.begin());
    return absl::OkStatus();
  }

 private:
  const std::vector<uint8_t> payload_;
};

absl::Status Add(FrameAssembler& assembler, uint64_t offset, uint64_t total,
                 std::vector<uint8_t> payload) {
  ArrivedFrame frame(std::move(payload));
  return assembler.Add(offset, total, frame);
}

TEST(FrameAssemblerTest, PutsFramesWhereTheyBelong) {
  std::vector<uint8_t> slot(6, 0xee);
  FrameAssembler assembler(absl::MakeSpan(slot));
  EXPECT_FALSE(assembler.complete());
  ASSERT_TRUE(Add(assembler, 0, 5, {1, 2, 3}).ok());
  EXPECT_FALSE(assembler.complete());
  EXPECT_EQ(assembler.received(), 3);
  ASSERT_TRUE(Add(assembler, 3, 5, {4, 5}).ok());
  EXPECT_TRUE(assembler.complete());
  EXPECT_THAT(slot, ElementsAre(1, 2, 3, 4, 5, 0xee));
}

TEST(FrameAssemblerTest, AnythingElseIsDataLoss) {
  struct Case {
    uint64_t offset, total;
    std::vector<uint8_t> payload;
    const char* says;
  };
  // After two bytes of five were received, in a slot of six.
  for (const Case& c :
       std::vector<Case>{{3, 5, {1}, "does not follow"},
                         {1, 5, {1}, "does not follow"},
                         {0, 5, {1}, "does not follow"},
                         {UINT64_MAX, 5, {1}, "does not follow"},
                         {2, 6, {1}, "changed size"},
                         {2, 7, {1}, "larger than was granted"},
                         {2, UINT64_MAX, {1}, "larger than was granted"},
                         {2, 0, {1}, "empty or larger"},
                         {2, 5, {}, "it is empty"},
                         {2, 5, {1, 2, 3, 4}, "reaches beyond"}}) {
    std::vector<uint8_t> slot(6);
    FrameAssembler assembler(absl::MakeSpan(slot));
    ASSERT_TRUE(Add(assembler, 0, 5, {1, 2}).ok());
    const absl::Status status = Add(assembler, c.offset, c.total, c.payload);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.says));
  }
}

absl::Status AddBesideGaps(FrameAssembler& assembler,
                           const FrameAssembler::Place& place,
                           std::vector<uint8_t> payload) {
  ArrivedFrame frame(std::move(payload));
  return assembler.Add(place, frame);
}

TEST(FrameAssemblerTest, JumpsOverWhatIsLeftOut) {
  std::vector<uint8_t> slot(9, 0xee);
  FrameAssembler assembler(absl::MakeSpan(slot), /*may_leave_out=*/true);
  ASSERT_TRUE(AddBesideGaps(assembler, {0, 8, 4}, {1}).ok());
  ASSERT_TRUE(AddBesideGaps(assembler, {3, 8, 4}, {2, 3}).ok());
  EXPECT_FALSE(assembler.complete());
  ASSERT_TRUE(AddBesideGaps(assembler, {5, 8, 4}, {4}).ok());
  EXPECT_TRUE(assembler.complete());
  EXPECT_THAT(slot, ElementsAre(1, 0xee, 0xee, 2, 3, 4, 0xee, 0xee, 0xee));
  EXPECT_THAT(assembler.TakeGaps(),
              ElementsAre(BatchGap{1, 2}, BatchGap{6, 2}));
}

TEST(FrameAssemblerTest, WhatIsLeftOutIsBounded) {
  struct Case {
    FrameAssembler::Place place;
    std::vector<uint8_t> payload;
    const char* says;
  };
  // After one byte of eight was received and two were jumped over, of four.
  for (const Case& c :
       std::vector<Case>{{{7, 8, 4}, {1}, "does not follow"},
                         {{2, 8, 4}, {1}, "does not follow"},
                         {{UINT64_MAX, 8, 4}, {1}, "does not follow"},
                         {{4, 8, 5}, {1}, "changed size"},
                         {{4, 8, 0}, {1}, "changed size"},
                         {{4, 8, 4}, {1, 2, 3}, "reaches beyond"},
                         {{5, 8, 4}, {1, 2, 3}, "reaches beyond"}}) {
    std::vector<uint8_t> slot(9);
    FrameAssembler assembler(absl::MakeSpan(slot), true);
    ASSERT_TRUE(AddBesideGaps(assembler, {0, 8, 4}, {1}).ok());
    ASSERT_TRUE(AddBesideGaps(assembler, {3, 8, 4}, {1}).ok());
    const absl::Status status = AddBesideGaps(assembler, c.place, c.payload);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.says));
  }
}

TEST(FrameAssemblerTest, NothingIsLeftOutUnasked) {
  std::vector<uint8_t> slot(9);
  FrameAssembler assembler(absl::MakeSpan(slot));
  EXPECT_THAT(AddBesideGaps(assembler, {0, 8, 4}, {1}).ToString(),
              HasSubstr("more is left out than the credit allows"));
}

TEST(FrameAssemblerTest, NotAllIsLeftOut) {
  std::vector<uint8_t> slot(9);
  FrameAssembler assembler(absl::MakeSpan(slot), true);
  EXPECT_THAT(AddBesideGaps(assembler, {0, 8, 8}, {1}).ToString(),
              HasSubstr("more is left out than the credit allows"));
}

}  // namespace
}  // namespace tributary
