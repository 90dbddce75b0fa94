// A loader that the policy keeps from its graph fails at once, with what the
// server says, instead of trying for rpc_timeout.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "channel/in_process_transport.h"
#include "common/runtime/thread_pool.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/access/access_policy.h"
#include "sampler_server/service/sampler_service.h"
#include "sampler_server/testing/called_by.h"
#include "trainer_client/core/dist_neighbor_loader.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

constexpr absl::Duration kAtOnce = absl::Seconds(20);  // rpc_timeout is 180

class DeniedLoaderTest : public ::testing::Test {
 protected:
  DeniedLoaderTest() {
    SamplerServiceEnvironment environment;
    environment.executor = environment.leaf_executor = &pool_;
    service_ =
        std::make_unique<SamplerService>(SamplerServiceOptions(), environment);
    GraphSpec spec;
    spec.num_nodes = 8;
    spec.edges = {{1, 0}, {2, 1}};
    EXPECT_TRUE(service_->AddGraph({BuildGraph(spec)}).ok());
    SetPolicy(R"({"jobs": {"may": ["test"]}})");
    worker_.servers = "a:1";
    worker_.buffer_size = 1 << 20;
    options_.num_neighbors = {2};
    options_.all_nodes = true;
    options_.batch_size = 4;
  }
  ~DeniedLoaderTest() override { service_.reset(); }

  void SetPolicy(const char* text) {
    service_->SetPolicy(std::make_shared<const AccessPolicy>(
        *AccessPolicy::Parse(text, "policy.json")));
  }
  // What the first batch of a loader ends with.
  absl::Status FirstBatch(const Identity& identity, const std::string& job) {
    transport_.Listen({"a", 1},
                      std::make_shared<CalledBy>(
                          service_.get(), MakeCaller("10.0.0.9:1", identity)));
    worker_.worker_key = job;
    auto loader =
        DistNeighborLoader::Create(options_, worker_, {&pool_, &transport_});
    if (!loader.ok()) return loader.status();
    const absl::Status started = (*loader)->StartEpoch(0);
    return started.ok() ? (*loader)->Next().status() : started;
  }
  void ExpectDenied(const absl::Status& status, absl::Time since,
                    absl::StatusCode code, const std::string& text) {
    EXPECT_LT(absl::Now() - since, kAtOnce);
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  }

  ThreadPool pool_{"denied", 2};
  std::unique_ptr<SamplerService> service_;
  InProcessTransport transport_{&pool_};
  NeighborLoaderOptions options_;
  RemoteDistSamplingWorkerOptions worker_;
};

TEST_F(DeniedLoaderTest, ThoseThatMayReadTheGraphDo) {
  EXPECT_TRUE(FirstBatch({Role::kTrainer, "may"}, "default").ok());
  EXPECT_TRUE(FirstBatch({}, "may").ok());
  EXPECT_TRUE(FirstBatch({Role::kOperator, "o"}, "another").ok());
}

TEST_F(DeniedLoaderTest, ACertificatesJobDoesNotFindTheGraph) {
  const absl::Time since = absl::Now();
  ExpectDenied(FirstBatch({Role::kTrainer, "thief"}, "default"), since,
               absl::StatusCode::kNotFound,
               "this server has none (graphs that the server's policy hides "
               "from trainer/thief are not listed)");
}

TEST_F(DeniedLoaderTest, AClaimedJobIsRefusedItsBatches) {
  const absl::Time since = absl::Now();
  ExpectDenied(FirstBatch({}, "thief"), since,
               absl::StatusCode::kPermissionDenied,
               "job 'thief' may not read graph test@");
}

TEST_F(DeniedLoaderTest, AnotherJobsNameIsRefusedItsBatches) {
  const absl::Time since = absl::Now();
  ExpectDenied(FirstBatch({Role::kTrainer, "may"}, "victim"), since,
               absl::StatusCode::kPermissionDenied,
               "the stream names job 'victim'; its certificate is of "
               "trainer/may");
}

}  // namespace
}  // namespace tributary
