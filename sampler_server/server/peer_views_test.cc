#include "sampler_server/server/peer_views.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const absl::Time kNow = absl::UnixEpoch() + absl::Hours(1);

GraphSchema Schema(const std::string& name) {
  GraphSchema schema;
  schema.name = name;
  schema.num_partitions = 4;
  return schema;
}

PeerView Peer(const std::string& address, absl::Status problem = {},
              std::vector<uint32_t> partitions = {}) {
  PeerView view;
  view.state.set_address(address);
  view.state.set_healthy(problem.ok());
  for (const uint32_t p : partitions) view.state.add_partitions(p);
  view.problem = std::move(problem);
  return view;
}

TEST(PeerViewsTest, OwnWhatTheyOwnOfEachGraph) {
  PeerViews views;
  views.Add(Schema("a"), {Peer("p:1", {}, {3, 0, 1}),
                          Peer("q:1", absl::UnavailableError("x"), {2})});
  views.Add(Schema("b"), {Peer("p:1", {}, {2})});
  EXPECT_THAT(views.Silent(), ElementsAre("q:1"));
  PeerViews brief(/*graphs=*/false);
  brief.Add(Schema("a"), {Peer("q:1", absl::UnavailableError("x"), {2})});
  EXPECT_THAT(brief.Silent(), ElementsAre("q:1"));
  const auto peers = views.Take(PeerStatuses(), kNow);
  ASSERT_THAT(peers, SizeIs(2));
  EXPECT_EQ(peers[0].address, "p:1");
  EXPECT_TRUE(peers[0].answer.ok());
  ASSERT_THAT(peers[0].graphs, SizeIs(2));
  EXPECT_THAT(peers[0].graphs[0].owned_runs(), ElementsAre(0, 1, 3, 3));
  EXPECT_THAT(peers[0].graphs[1].owned_runs(), ElementsAre(2, 2));
  EXPECT_TRUE(absl::IsUnavailable(peers[1].answer));
  EXPECT_THAT(peers[1].graphs[0].owned_runs(), IsEmpty());
}

TEST(PeerViewsTest, APeerOfOneGraphIsNotSilent) {
  for (const bool first : {true, false}) {
    PeerViews views;
    const auto fails = Peer("p:1", absl::UnavailableError("not reached yet"));
    const auto answers = Peer("p:1", {}, {0});
    views.Add(Schema("a"), {first ? answers : fails});
    views.Add(Schema("b"), {first ? fails : answers});
    EXPECT_TRUE(views.Take(PeerStatuses(), kNow)[0].answer.ok());
  }
  PeerViews views;
  views.Add(Schema("a"), {Peer("p:1", absl::FailedPreconditionError("no"))});
  EXPECT_TRUE(views.Take(PeerStatuses(), kNow)[0].answer.ok());
}

TEST(PeerViewsTest, TellWhatIsKeptOfThem) {
  PeerStatuses statuses;
  v1::ServerStatus status;
  status.set_version("told");
  statuses.Set("p:1", status.SerializeAsString(), kNow);
  PeerViews views;
  views.Add(Schema("a"), {Peer("p:1"), Peer("q:1")});
  const auto peers = views.Take(statuses, kNow);
  EXPECT_EQ(peers[0].status->version(), "told");
  EXPECT_FALSE(peers[1].status.has_value());
  EXPECT_FALSE(peers[1].just_asked);
  statuses.Look(kNow);
  views.Add(Schema("a"), {Peer("q:1")});
  EXPECT_TRUE(views.Take(statuses, kNow)[0].just_asked);
}

}  // namespace
}  // namespace tributary
