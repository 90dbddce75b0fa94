// What somebody with the certificate of one job's trainer must not do to
// others: a sentence each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "common/proto/tensors.pb.h"
#include "common/proto/wire.pb.h"
#include "sampler_server/testing/caller_world.h"
#include "sampler_server/testing/fleet_fixture.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

CallerPtr TrainerOf(const std::string& job, const std::string& host) {
  return MakeCaller(absl::StrCat("ipv4:", host, ":1"),
                    Identity{Role::kTrainer, job});
}

class StolenCertificateTest : public ::testing::Test {
 protected:
  explicit StolenCertificateTest(SamplerServiceOptions options = Options())
      : world_(std::move(options)), graph_(VectorGraph(1)) {
    EXPECT_TRUE(world_.service().AddGraph({graph_}).ok());
  }
  static SamplerServiceOptions Options() {
    SamplerServiceOptions options;
    options.incarnation = 1;
    options.max_sessions = 8;
    options.num_clients = 2;
    options.admission.running = 0;  // whatever is asked for waits
    options.admission.queued = 16;
    return options;
  }

  // Sessions of different seeds are different.
  TrainerSession Session(uint64_t seed) const {
    SpecOptions options;
    options.num_neighbors.by_default = {2, 2};
    options.batch_size = 1;
    options.random_seed = seed;
    options.shuffle = ShuffleMode::kNone;
    return MakeSession(graph_->schema(), options, std::vector<int64_t>(64, 0));
  }
  // Runs what is due now, and no timer of seconds.
  void Run() { world_.RunFor(absl::Milliseconds(500)); }

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

  CallerWorld world_;
  const std::shared_ptr<const Graph> graph_;
  const CallerPtr thief_ = TrainerOf("thief", "10.0.0.9");
  const CallerPtr victim_ = TrainerOf("victim", "10.0.0.1");
};

TEST_F(StolenCertificateTest, TakesNoOtherJobsName) {
  const auto thief = world_.Trainer(thief_);
  thief->Open(Session(1), "victim");
  ASSERT_TRUE(world_.Until([&] { return thief->closed(); }));
  EXPECT_EQ(thief->why_closed().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(thief->why_closed().message()),
              HasSubstr("job 'victim'; its certificate is of trainer/thief"));
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
    EXPECT_THAT(stream->answer(0), StartsWith("error 8"));  // to be retried
    ++refused;
  }
  EXPECT_EQ(refused, 8u);
  const auto victim = world_.Trainer(victim_);
  victim->Open(Session(1), "");
  victim->Ask(Session(1), 0);
  Run();
  EXPECT_EQ(victim->answer(0), "");
}

TEST_F(StolenCertificateTest, KeepsNoPlaceInTheQueueForADay) {
  const auto thief = world_.Trainer(thief_);
  thief->Open(Session(1), "");
  thief->Ask(Session(1), 0, 4096, uint64_t{24} * 3600 * 1000);
  world_.RunFor(absl::Minutes(14));
  EXPECT_EQ(thief->answer(0), "");
  world_.RunFor(absl::Minutes(2));
  EXPECT_THAT(thief->answer(0), StartsWith("error 4"));  // to be retried
  EXPECT_THAT(thief->answer(0), HasSubstr(" retry"));
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

}  // namespace
}  // namespace tributary
