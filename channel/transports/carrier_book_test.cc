#include "channel/transports/carrier_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "channel/planned_end.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Address kServer{"10.0.0.1", 1};
constexpr absl::Time kStart = absl::UnixEpoch();
const absl::Status kCut = absl::UnavailableError("cut");

bool OverTcp(const CarrierBook& book, absl::Time now = kStart,
             StreamMethod method = StreamMethod::kBatches) {
  return book.ChoosesTcp(kServer, method, now);
}

TEST(CarrierBookTest, AutoFollowsTheServersWord) {
  CarrierBook book(Carrier::kAuto);
  EXPECT_FALSE(OverTcp(book)) << "nothing is known";
  book.NoteTakesTcp(kServer, 1, true);
  for (const auto method :
       {StreamMethod::kBatches, StreamMethod::kLeaf, StreamMethod::kData}) {
    EXPECT_TRUE(OverTcp(book, kStart, method));
  }
  EXPECT_FALSE(OverTcp(book, kStart, StreamMethod::kControl));
  EXPECT_FALSE(book.ChoosesTcp({"10.0.0.2", 1}, StreamMethod::kData, kStart));
  book.NoteTakesTcp(kServer, 1, false);
  EXPECT_FALSE(OverTcp(book));
}

TEST(CarrierBookTest, TheUsersWordGoesFirst) {
  CarrierBook grpc(Carrier::kGrpc), tcp(Carrier::kTcp);
  grpc.NoteTakesTcp(kServer, 1, true);
  tcp.NoteTakesTcp(kServer, 1, false);
  EXPECT_FALSE(OverTcp(grpc));
  EXPECT_TRUE(OverTcp(tcp));
  EXPECT_TRUE(tcp.RefusesTcp(kServer));
  EXPECT_FALSE(grpc.RefusesTcp(kServer));
  EXPECT_FALSE(OverTcp(tcp, kStart, StreamMethod::kControl));
  EXPECT_THAT(tcp.NoteEnd(kServer, {true, false, kCut}, kStart), IsEmpty());
  EXPECT_TRUE(OverTcp(tcp));
}

TEST(CarrierBookTest, WhatDoesNotGetThroughGoesOverGrpcForLongerEachTime) {
  CarrierBook book(Carrier::kAuto);
  book.NoteTakesTcp(kServer, 1, true);
  absl::Time now = kStart;
  absl::Duration pause = CarrierBook::kFirstPause;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(OverTcp(book, now));
    EXPECT_THAT(
        book.NoteEnd(kServer, {true, false, absl::DataLossError("HTTP/1.1")},
                     now),
        HasSubstr("gRPC for " + absl::FormatDuration(pause)));
    // Streams that were opened with it say nothing new.
    EXPECT_THAT(book.NoteEnd(kServer, {true, false, kCut}, now), IsEmpty());
    EXPECT_FALSE(OverTcp(book, now + pause - absl::Seconds(1)));
    book.NoteEnd(kServer, {false, true, kCut}, now);  // gRPC does
    EXPECT_FALSE(OverTcp(book, now + pause - absl::Seconds(1)));
    now += pause;
    pause = std::min(2 * pause, CarrierBook::kLongestPause);
  }
  book.NoteEnd(kServer, {true, true, kCut}, now);
  EXPECT_TRUE(OverTcp(book, now)) << "it got through";
  EXPECT_THAT(book.NoteEnd(kServer, {true, false, kCut}, now),
              HasSubstr(absl::FormatDuration(CarrierBook::kFirstPause)));
}

TEST(CarrierBookTest, AServersOwnWordIsNoObstacle) {
  CarrierBook book(Carrier::kAuto);
  book.NoteTakesTcp(kServer, 1, true);
  for (const absl::Status& why :
       {absl::OkStatus(), PlannedEnd("drains"), absl::CancelledError(""),
        absl::PermissionDeniedError(""), absl::UnauthenticatedError(""),
        absl::ResourceExhaustedError("streams")}) {
    EXPECT_THAT(book.NoteEnd(kServer, {true, false, why}, kStart), IsEmpty());
    EXPECT_TRUE(OverTcp(book)) << why;
  }
}

TEST(CarrierBookTest, AServerThatDiedIsTriedAgain) {
  CarrierBook book(Carrier::kAuto);
  book.NoteTakesTcp(kServer, 1, true);
  book.NoteEnd(kServer, {true, false, kCut}, kStart);
  book.NoteTakesTcp(kServer, 1, true);
  EXPECT_FALSE(OverTcp(book));
  book.NoteTakesTcp(kServer, 2, true);
  EXPECT_TRUE(OverTcp(book)) << "it has started anew";
  book.NoteEnd(kServer, {true, false, kCut}, kStart);
  EXPECT_FALSE(OverTcp(book));
  book.NoteEnd(kServer, {false, false, kCut}, kStart);
  EXPECT_TRUE(OverTcp(book)) << "gRPC does not reach it either";
}

TEST(CarrierBookTest, ForgetsTheFirstOfTooMany) {
  CarrierBook book(Carrier::kAuto);
  book.NoteTakesTcp(kServer, 1, true);
  for (size_t i = 1; i <= CarrierBook::kMaxServers; ++i) {
    EXPECT_TRUE(OverTcp(book));
    book.NoteTakesTcp({"pod-" + std::to_string(i), 1}, 1, true);
  }
  EXPECT_FALSE(OverTcp(book));
  EXPECT_TRUE(book.ChoosesTcp({"pod-1", 1}, StreamMethod::kLeaf, kStart));
}

}  // namespace
}  // namespace tributary
