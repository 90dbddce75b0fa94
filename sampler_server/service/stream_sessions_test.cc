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
    options.num_neighbors = {1};
    options.batch_size = 1;
    session_ = MakeSession(graph_->schema(), options, {0, 1});
    open_.set_spec(session_.spec);
    open_.set_wire_version(kWireVersion);
  }
  static absl::Status Open(StreamSessions& sessions,
                           const v1::OpenSession& open) {
    const auto opened = sessions.Begin(open);
    if (!opened.ok() || *opened) return opened.status();
    return sessions.End(open.spec(), sessions.Plan(open.spec()));
  }
  absl::Status Open(const v1::OpenSession& open) {
    return Open(sessions_, open);
  }
  void SetPolicy(const char* text) {
    core_->access.Set(std::make_shared<const AccessPolicy>(
        *AccessPolicy::Parse(text, "p.json")));
  }
  std::string Digest() const {
    return {session_.identity.begin(), session_.identity.end()};
  }

  const std::shared_ptr<ServiceCore> core_ = std::make_shared<ServiceCore>(16);
  std::shared_ptr<HeldGraph> graph_;
  TrainerSession session_;
  v1::OpenSession open_;
  const CallerPtr caller_ = MakeCaller("10.0.0.1:1");
  StreamSessions sessions_{core_, caller_};
};

TEST_F(StreamSessionsTest,
       AnOpenedSessionIsFoundByItsDigestFromTheJobsStreams) {
  ASSERT_TRUE(Open(open_).ok());
  StreamSessions other(core_, MakeCaller("10.0.0.1:2"));
  EXPECT_EQ(other.Find(Digest())->plan, nullptr);  // it has named no job
  EXPECT_EQ(other.Begin(open_), absl::StatusOr<bool>(true));
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

TEST_F(StreamSessionsTest, OneThatOthersOpenedIsOpenAtOnce) {
  ASSERT_TRUE(Open(open_).ok());
  open_.set_client("other");
  StreamSessions named(core_, MakeCaller("10.0.0.2:1"));
  EXPECT_EQ(named.Begin(open_), absl::StatusOr<bool>(true));
  EXPECT_NE(named.Find(Digest())->plan, nullptr);
  EXPECT_EQ(core_->sessions.size(), 1u);
}

TEST_F(StreamSessionsTest, TheFirstNameIsTheJob) {
  EXPECT_EQ(sessions_.job(), "default");
  open_.set_client("train");
  ASSERT_TRUE(Open(open_).ok());
  EXPECT_EQ(sessions_.job(), "train");
  open_.set_client("");
  ASSERT_TRUE(Open(open_).ok());
  EXPECT_EQ(sessions_.job(), "train");
  open_.set_client("another");
  EXPECT_EQ(Open(open_),
            absl::InvalidArgumentError(
                "the stream names job 'another'; it is of job 'train' from "
                "its first message on"));
}

TEST_F(StreamSessionsTest, ATrainersJobIsThatOfItsCertificate) {
  StreamSessions sessions(
      core_, MakeCaller("10.0.0.1:1", Identity{Role::kTrainer, "train"}));
  EXPECT_EQ(sessions.job(), "train");
  open_.set_client("default");
  EXPECT_TRUE(Open(sessions, open_).ok());
  EXPECT_NE(sessions.Find(Digest())->plan, nullptr);
  open_.set_client("other");
  EXPECT_TRUE(Open(sessions, open_).ok());
  EXPECT_EQ(sessions.Find(Digest()).status().code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(sessions.job(), "train");
  open_.set_client("");
  EXPECT_TRUE(Open(sessions, open_).ok());
  EXPECT_NE(sessions.Find(Digest())->plan, nullptr);
}

TEST_F(StreamSessionsTest, ThePolicyIsCheckedAtEachCredit) {
  open_.set_client("train");
  ASSERT_TRUE(Open(open_).ok());
  SetPolicy(R"({"jobs": {"other": ["*"]}})");
  const absl::Status denied = sessions_.Find(Digest()).status();
  EXPECT_EQ(denied.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(denied.message()),
              HasSubstr("job 'train' may not read graph " + graph_->name() +
                        ": the server's policy p.json"));
  SetPolicy(R"({"jobs": {"train": ["*"]}})");
  EXPECT_NE(sessions_.Find(Digest())->plan, nullptr);
}

// The stream stays, so that the credits behind it are refused for good.
TEST_F(StreamSessionsTest, ADeniedSessionIsDeniedToItsCredits) {
  SetPolicy(R"({"jobs": {"other": ["*"]}})");
  open_.set_client("train");
  ASSERT_TRUE(Open(open_).ok());
  EXPECT_EQ(core_->sessions.size(), 0u);
  EXPECT_EQ(sessions_.Find(Digest()).status().code(),
            absl::StatusCode::kPermissionDenied);
  SetPolicy(R"({"jobs": {"train": ["*"]}})");
  EXPECT_EQ(sessions_.Find(Digest())->plan, nullptr);  // to be opened again
  ASSERT_TRUE(Open(open_).ok());
  EXPECT_NE(sessions_.Find(Digest())->plan, nullptr);
}

TEST_F(StreamSessionsTest, RefusesNamesVersionsAndSpecifications) {
  v1::OpenSession open = open_;
  open.set_client(std::string(257, 'x'));
  EXPECT_THAT(std::string(Open(open).message()),
              HasSubstr("client name of 257 bytes; at most 256"));
  open = open_;
  open.set_wire_version(kWireVersion + 1);
  EXPECT_EQ(Open(open).code(), absl::StatusCode::kFailedPrecondition);
  open = open_;
  open.set_spec("\xff");
  EXPECT_EQ(Open(open).code(), absl::StatusCode::kInvalidArgument);
  open = open_;
  StreamSessions longest(core_, caller_);
  open.set_client(std::string(256, 'x'));
  EXPECT_TRUE(Open(longest, open).ok());
}

TEST_F(StreamSessionsTest, RefusesCreditsWhileDrainingOrRetiring) {
  ASSERT_TRUE(Open(open_).ok());
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
  StreamSessions listed(core_, caller_);
  ASSERT_TRUE(Open(listed, open_).ok());
  EXPECT_TRUE(listed.Find(Digest()).ok());
}

}  // namespace
}  // namespace tributary
