// What somebody with the certificate of one job's trainer must not do to
// others: a sentence each. Shares of answers and plans: stolen_shares_test.cc.
// Calling Leaf and acting as a server need the wire: tests of channel/grpc/tls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "channel/envelope.h"
#include "common/fleet/graph_name.h"
#include "common/proto/graph_reads.pb.h"
#include "common/proto/tensors.pb.h"
#include "common/proto/wire.pb.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/access/access_policy.h"
#include "tests/server/stolen_certificate.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class StolenCertificateTest : public StolenCertificate {
 protected:
  explicit StolenCertificateTest(SamplerServiceOptions options = Options())
      : StolenCertificate(std::move(options)) {}

  absl::StatusOr<std::string> Farewell(const CallerPtr& caller, uint32_t rank,
                                       const std::string& job = "") {
    v1::FarewellRequest request;
    request.set_client_rank(rank);
    request.set_num_clients(2);
    request.set_job(job);
    return world_.Ask(caller, StreamMethod::kControl,
                      MessageKind::kFarewellRequest, request);
  }
  v1::AttemptRef Attempt(const std::string& job, uint64_t number) const {
    v1::AttemptRef ref;
    ref.set_job(job);
    const auto& digest = graph_->schema().content_digest;
    ref.set_content_digest(digest.data(), digest.size());
    ref.set_attempt(number);
    ref.set_client(1);
    return ref;
  }
  absl::StatusOr<std::string> OpenAttempt(const CallerPtr& caller,
                                          const v1::AttemptRef& ref) {
    v1::OpenAttemptRequest request;
    *request.mutable_attempt() = ref;
    request.set_world(1);
    auto& member = *request.add_members();
    member.set_address("server:1");
    member.set_incarnation(1);
    return world_.Ask(caller, StreamMethod::kData,
                      MessageKind::kOpenAttemptRequest, request);
  }
  absl::StatusOr<std::string> SetRound(const CallerPtr& caller,
                                       const v1::AttemptRef& ref) {
    v1::SetRoundRequest request;
    *request.mutable_attempt() = ref;
    return world_.Ask(caller, StreamMethod::kData,
                      MessageKind::kSetRoundRequest, request);
  }

  void SetPolicy(const char* text) {
    world_.service().SetPolicy(std::make_shared<const AccessPolicy>(
        *AccessPolicy::Parse(text, "policy.json")));
  }
  // What a call of the thief ends with.
  template <typename Request>
  absl::StatusCode Denied(StreamMethod method, MessageKind kind,
                          const Request& request) {
    return world_.Ask(thief_, method, kind, request).status().code();
  }
  absl::StatusOr<v1::DescribeReply> Describe(
      const CallerPtr& caller, const v1::DescribeRequest& request) {
    const auto answer = world_.Ask(caller, StreamMethod::kControl,
                                   MessageKind::kDescribeRequest, request);
    if (!answer.ok()) return answer.status();
    v1::DescribeReply reply;
    EXPECT_TRUE(reply.ParseFromString(*answer));
    return reply;
  }
};

TEST_F(StolenCertificateTest, TakesNoOtherJobsName) {
  const auto thief = world_.Trainer(thief_);
  thief->Open(Session(1), "victim");
  thief->Ask(Session(1), 0);
  Run();
  EXPECT_EQ(thief->answer(0),
            "error PERMISSION_DENIED the stream names job 'victim'; its "
            "certificate is of trainer/thief, allowed: 'thief', or no name");
  EXPECT_TRUE(world_.service().jobs().empty());
}

TEST_F(StolenCertificateTest, EvictsNobodysSessions) {
  const auto victim = world_.Trainer(victim_);
  victim->Open(Session(0), "");
  Run();
  const auto thief = world_.Trainer(thief_);
  for (uint64_t seed = 1; seed < 40; ++seed) thief->Open(Session(seed), "");
  Run();
  victim->Ask(Session(0), 1);
  Run();
  EXPECT_EQ(victim->answer(1), "");  // it waits for its turn
  EXPECT_EQ(world_.service().jobs().size(), 1u);
}

TEST_F(StolenCertificateTest, EndsNoServer) {
  const auto victim = world_.Trainer(victim_);
  victim->Open(Session(0), "");
  const auto thief = world_.Trainer(thief_);
  thief->Open(Session(0), "");
  Run();
  EXPECT_EQ(Farewell(thief_, 0, "victim").status().code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_TRUE(Farewell(thief_, 0).ok());
  EXPECT_TRUE(Farewell(thief_, 1).ok());
  world_.RunFor(absl::Minutes(1));
  EXPECT_EQ(world_.all_gone(), 0);
  // Nor does it count for another job.
  EXPECT_TRUE(Farewell(victim_, 0).ok());
  world_.RunFor(absl::Minutes(1));
  EXPECT_EQ(world_.all_gone(), 0);
  EXPECT_TRUE(Farewell(victim_, 1).ok());
  EXPECT_EQ(world_.all_gone(), 1);
}

TEST_F(StolenCertificateTest, TakesNoMoreThanItsShareOfTheQueue) {
  std::vector<std::shared_ptr<ScriptedTrainer>> streams;
  size_t refused = 0;
  for (uint64_t i = 0; i < 16; ++i) {
    streams.push_back(world_.Trainer(thief_));
    streams.back()->Open(Session(1), "");
    streams.back()->Ask(Session(1), 0, 4096, uint64_t{24} * 3600 * 1000);
  }
  Run();
  for (const auto& stream : streams) {
    if (stream->answer(0) == "") continue;
    EXPECT_THAT(stream->answer(0),
                StartsWith("error RESOURCE_EXHAUSTED"));  // to be retried
    ++refused;
  }
  EXPECT_EQ(refused, 8u);
  const auto victim = world_.Trainer(victim_);
  victim->Open(Session(1), "");
  victim->Ask(Session(1), 0);
  Run();
  EXPECT_EQ(victim->answer(0), "");
}

class StolenCertificateStreamsTest : public StolenCertificateTest {
 protected:
  StolenCertificateStreamsTest() : StolenCertificateTest(FewStreams()) {}
  static SamplerServiceOptions FewStreams() {
    SamplerServiceOptions options = Options();
    options.max_streams = 8;
    return options;
  }
};

TEST_F(StolenCertificateStreamsTest, TakesNoMoreThanItsShareOfStreams) {
  std::vector<std::shared_ptr<ScriptedTrainer>> streams;
  for (int host = 0; host < 8; ++host) {  // the share is its job's
    streams.push_back(world_.Trainer(ThiefAt(host)));
  }
  const auto victim = world_.Trainer(victim_);
  Run();
  EXPECT_EQ(std::count_if(streams.begin(), streams.end(),
                          [](const auto& stream) { return stream->closed(); }),
            4);
  EXPECT_FALSE(victim->closed()) << victim->why_closed();
}

TEST_F(StolenCertificateTest, FillsNoLog) {
  SetPolicy(R"({"jobs": {"victim": ["*"]}})");
  testing::internal::CaptureStderr();
  for (int i = 0; i < 200; ++i) {
    const auto stream =
        world_.Trainer(TrainerOf("noisy", absl::StrCat("10.0.2.", i)));
    stream->Open(Session(1), "victim");
    stream->Ask(Session(1), 0);
    Run();
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_LE(std::count(log.begin(), log.end(), '\n'), 4) << log;
  EXPECT_THAT(log, HasSubstr("trainer/noisy"));
}

TEST_F(StolenCertificateTest, KeepsNoPlaceInTheQueueForADay) {
  const auto thief = world_.Trainer(thief_);
  thief->Open(Session(1), "");
  thief->Ask(Session(1), 0, 4096, uint64_t{24} * 3600 * 1000);
  world_.RunFor(absl::Minutes(14));
  EXPECT_EQ(thief->answer(0), "");
  world_.RunFor(absl::Minutes(2));
  EXPECT_THAT(thief->answer(0),
              StartsWith("error DEADLINE_EXCEEDED"));  // to be retried
  EXPECT_THAT(thief->answer(0), HasSubstr(" retry"));
}

TEST_F(StolenCertificateTest, ReadsNoOtherGraph) {
  SetPolicy(R"({"jobs": {"victim": ["test"], "*": ["public"]}})");
  const auto thief = world_.Trainer(thief_);
  thief->Open(Session(1), "");
  thief->Ask(Session(1), 0);
  Run();
  EXPECT_EQ(thief->answer(0),
            absl::StrCat("error PERMISSION_DENIED job 'thief' may not read "
                         "graph ",
                         VersionedName("test", graph_->schema().content_digest),
                         ": the server's policy policy.json does not list it"));
  const std::string digest(graph_->schema().content_digest.begin(),
                           graph_->schema().content_digest.end());
  v1::GetInputIdsRequest ids;
  ids.set_split("train");
  ids.set_content_digest(digest);
  EXPECT_EQ(
      Denied(StreamMethod::kControl, MessageKind::kGetInputIdsRequest, ids),
      absl::StatusCode::kPermissionDenied);
  v1::LocateNodesRequest locate;
  locate.set_layout_digest(std::string(graph_->schema().layout_digest.begin(),
                                       graph_->schema().layout_digest.end()));
  locate.set_timeout_ms(1000);
  EXPECT_EQ(
      Denied(StreamMethod::kData, MessageKind::kLocateNodesRequest, locate),
      absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(OpenAttempt(thief_, Attempt("", 1)).status().code(),
            absl::StatusCode::kPermissionDenied);
  const auto victim = world_.Trainer(victim_);
  victim->Open(Session(1), "");
  victim->Ask(Session(1), 0);
  Run();
  EXPECT_EQ(victim->answer(0), "");
  EXPECT_TRUE(OpenAttempt(victim_, Attempt("", 1)).ok());
}

TEST_F(StolenCertificateTest, SeesNoOtherGraph) {
  GraphSpec spec;
  spec.name = "public";
  spec.num_nodes = 3;
  spec.edges = {{1, 0}};
  ASSERT_TRUE(world_.service().AddGraph({BuildGraph(spec)}).ok());
  SetPolicy(R"({"jobs": {"victim": ["test"], "*": ["public"]}})");
  v1::DescribeRequest request;
  request.set_wire_version(kWireVersion);
  const auto described = Describe(thief_, request);
  ASSERT_TRUE(described.ok()) << described.status();
  ASSERT_EQ(described->graphs_size(), 1);
  EXPECT_EQ(described->graphs(0).name(), "public");
  request.set_graph("test");
  const absl::Status hidden = Describe(thief_, request).status();
  EXPECT_EQ(hidden.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(hidden.message()),
              HasSubstr("(graphs that the server's policy hides from "
                        "trainer/thief are not listed)"));
  // As if it did not exist.
  request.set_graph("none");
  EXPECT_EQ(absl::StrReplaceAll(hidden.message(), {{"'test'", "'none'"}}),
            Describe(thief_, request).status().message());
  request.clear_graph();
  request.set_content_digest(
      std::string(graph_->schema().content_digest.begin(),
                  graph_->schema().content_digest.end()));
  EXPECT_THAT(Describe(thief_, request).status().ToString(),
              Not(HasSubstr("test@")));
  EXPECT_EQ(Describe(victim_, request)->graphs_size(), 1);
  for (const Role role : {Role::kSampler, Role::kOperator}) {
    const CallerPtr fleet = MakeCaller("10.0.0.1:1", Identity{role, "x"});
    EXPECT_EQ(Describe(fleet, request)->graphs_size(), 2);
  }
  EXPECT_EQ(Describe(MakeCaller("10.0.0.1:1"), request)->graphs_size(), 2);
}

TEST_F(StolenCertificateTest, WithdrawnRightsEndAtTheNextCredit) {
  const auto thief = world_.Trainer(thief_);
  thief->Open(Session(1), "");
  thief->Ask(Session(1), 0);
  Run();
  EXPECT_EQ(thief->answer(0), "");
  SetPolicy(R"({"jobs": {"victim": ["*"]}})");
  thief->Ask(Session(1), 1);
  Run();
  EXPECT_THAT(thief->answer(1), StartsWith("error PERMISSION_DENIED"));
  EXPECT_FALSE(thief->closed());
}

TEST_F(StolenCertificateTest, TakesNoMoreThanItsShareOfAttemptsAndTensors) {
  // As many callers as there may be attempts have one each, but one.
  for (int i = 0; i < 200; ++i) {
    const CallerPtr host = MakeCaller(absl::StrCat("10.0.1.", i, ":1"));
    const std::string job = absl::StrCat("job", i);
    ASSERT_TRUE(OpenAttempt(host, Attempt(job, 1)).ok());
  }
  const CallerPtr host = MakeCaller("10.0.0.9:1");
  size_t attempts = 0;
  while (OpenAttempt(host, Attempt(absl::StrCat("mine", attempts), 1)).ok()) {
    ++attempts;
  }
  EXPECT_EQ(attempts, 28u);  // of the 56 that were left
  EXPECT_TRUE(OpenAttempt(victim_, Attempt("", 1)).ok());
}

TEST_F(StolenCertificateTest, SeesNobodysTensors) {
  ASSERT_TRUE(OpenAttempt(victim_, Attempt("", 1)).ok());
  v1::ListTensorsRequest list;
  list.set_job("victim");
  EXPECT_EQ(Denied(StreamMethod::kData, MessageKind::kListTensorsRequest, list),
            absl::StatusCode::kPermissionDenied);
  v1::DropTensorRequest drop;
  drop.mutable_attempt()->set_job("victim");
  drop.set_name("t");
  EXPECT_EQ(Denied(StreamMethod::kData, MessageKind::kDropTensorRequest, drop),
            absl::StatusCode::kPermissionDenied);
  list.clear_job();
  EXPECT_TRUE(world_
                  .Ask(thief_, StreamMethod::kData,
                       MessageKind::kListTensorsRequest, list)
                  .ok());
}

TEST_F(StolenCertificateTest, IsCountedByWhatItWasRefused) {
  const auto thief = world_.Trainer(thief_);
  thief->Open(Session(1), "victim");
  Run();
  EXPECT_FALSE(
      Farewell(MakeCaller("10.0.0.1:1", Identity{Role::kSampler, "s"}), 0)
          .ok());
  const std::string metrics = world_.metrics().Exposition();
  EXPECT_THAT(metrics, HasSubstr("tributary_refused_total{reason=\"job\"} 1"));
  EXPECT_THAT(metrics,
              HasSubstr("tributary_refused_total{reason=\"farewell\"} 1"));
}

TEST_F(StolenCertificateTest, ReplacesAndEndsNobodysAttempts) {
  ASSERT_TRUE(OpenAttempt(victim_, Attempt("victim", 1)).ok());
  const auto replaced = OpenAttempt(thief_, Attempt("victim", 2)).status();
  EXPECT_EQ(replaced.code(), absl::StatusCode::kPermissionDenied) << replaced;
  v1::CloseAttemptRequest close;
  *close.mutable_attempt() = Attempt("victim", 1);
  EXPECT_EQ(world_
                .Ask(thief_, StreamMethod::kData,
                     MessageKind::kCloseAttemptRequest, close)
                .status()
                .code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(SetRound(thief_, Attempt("victim", 1)).status().code(),
            absl::StatusCode::kPermissionDenied);
  // An empty name is that of the certificate.
  EXPECT_TRUE(OpenAttempt(thief_, Attempt("", 7)).ok());
  EXPECT_TRUE(SetRound(victim_, Attempt("", 1)).ok());
}

// One batch at a time is made.
class StolenCertificateTurnsTest : public StolenCertificateTest {
 protected:
  StolenCertificateTurnsTest() : StolenCertificateTest(OneAtATime()) {}
  static SamplerServiceOptions OneAtATime() {
    SamplerServiceOptions options = Options();
    options.admission.running = options.admission.computing = 1;
    options.admission.queued = 256;
    return options;
  }
};

TEST_F(StolenCertificateTurnsTest, TakesNoMoreThanItsTurns) {
  constexpr uint64_t kBatches = 16;
  std::vector<std::shared_ptr<ScriptedTrainer>> streams;
  for (int i = 0; i < 12; ++i) {
    streams.push_back(world_.Trainer(thief_));
    streams.back()->Open(Session(1), "");
    for (uint64_t b = 0; b < 10; ++b) streams.back()->Ask(Session(1), b);
  }
  const auto victim = world_.Trainer(victim_);
  victim->Open(Session(1), "");
  for (uint64_t b = 0; b < kBatches; ++b) victim->Ask(Session(1), b);
  ASSERT_TRUE(world_.Until([&] { return victim->answers() == kBatches; }));
  size_t of_thief = 0;
  for (const auto& stream : streams) of_thief += stream->answers();
  EXPECT_LE(of_thief, kBatches + 4);
}

}  // namespace
}  // namespace tributary
