#include "sampler_server/service/stream_sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "channel/envelope.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/testing/scripted_trainer.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

class StreamSessionsTest : public ::testing::Test {
 protected:
  StreamSessionsTest() {
    GraphSpec spec;
    spec.num_nodes = 3;
    spec.edges = {{1, 0}, {2, 0}};
    graph_ = std::make_shared<HeldGraph>(ServedGraph{BuildGraph(spec)});
    EXPECT_TRUE(core_->graphs.Add(graph_).ok());
    SpecOptions options;
    options.num_neighbors.by_default = {1};
    options.batch_size = 1;
    session_ = MakeSession(graph_->schema(), options, {0, 1});
    open_.set_spec(session_.spec);
    open_.set_wire_version(kWireVersion);
  }
  std::string Digest() const {
    return {session_.identity.begin(), session_.identity.end()};
  }

  const std::shared_ptr<ServiceCore> core_ = std::make_shared<ServiceCore>(16);
  std::shared_ptr<HeldGraph> graph_;
  TrainerSession session_;
  v1::OpenSession open_;
  StreamSessions sessions_{core_};
};

TEST_F(StreamSessionsTest, AnOpenedSessionIsFoundByItsDigestFromAnyStream) {
  ASSERT_TRUE(sessions_.Open(open_).ok());
  StreamSessions other(core_);
  const auto found = other.Find(Digest());
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_NE(found->plan, nullptr);
  EXPECT_EQ(found->plan->session, session_.identity);
  EXPECT_EQ(found->graph, graph_);
}

TEST_F(StreamSessionsTest, AnUnknownSessionHasNoPlan) {
  for (const std::string& digest : {Digest(), std::string("short")}) {
    const auto found = sessions_.Find(digest);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->plan, nullptr);
  }
}

TEST_F(StreamSessionsTest, TheClientsNameIsTheJob) {
  EXPECT_EQ(sessions_.job(), "default");
  ASSERT_TRUE(sessions_.Open(open_).ok());
  EXPECT_EQ(sessions_.job(), "default");
  open_.set_client("train");
  ASSERT_TRUE(sessions_.Open(open_).ok());
  EXPECT_EQ(sessions_.job(), "train");
}

TEST_F(StreamSessionsTest, RefusesNamesVersionsAndSpecifications) {
  v1::OpenSession open = open_;
  open.set_client(std::string(256, 'x'));
  EXPECT_TRUE(sessions_.Open(open).ok());
  open.set_client(std::string(257, 'x'));
  EXPECT_THAT(std::string(sessions_.Open(open).message()),
              HasSubstr("client name of 257 bytes; at most 256"));
  open = open_;
  open.set_wire_version(kWireVersion + 1);
  EXPECT_EQ(sessions_.Open(open).code(), absl::StatusCode::kFailedPrecondition);
  open = open_;
  open.set_spec("\xff");
  EXPECT_EQ(sessions_.Open(open).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(StreamSessionsTest, RefusesCreditsWhileDrainingOrRetiring) {
  ASSERT_TRUE(sessions_.Open(open_).ok());
  graph_->retiring = true;
  EXPECT_THAT(std::string(sessions_.Find(Digest()).status().message()),
              HasSubstr("is being retired"));
  core_->draining = true;
  const absl::Status draining = sessions_.Find(Digest()).status();
  EXPECT_EQ(draining, absl::UnavailableError("this server is draining"));
}

TEST_F(StreamSessionsTest, RefusesJobsThatTheOperatorDoesNotList) {
  core_->weights = *JobWeights::Parse("train=2,*=0");
  EXPECT_EQ(sessions_.Find(Digest()).status().code(),
            absl::StatusCode::kPermissionDenied);
  open_.set_client("train");
  ASSERT_TRUE(sessions_.Open(open_).ok());
  EXPECT_TRUE(sessions_.Find(Digest()).ok());
}

}  // namespace
}  // namespace tributary
