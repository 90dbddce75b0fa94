// The fixture of the tests of what a stolen certificate must not do.
#ifndef TRIBUTARY_TESTS_SERVER_STOLEN_CERTIFICATE_H_
#define TRIBUTARY_TESTS_SERVER_STOLEN_CERTIFICATE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "sampler_server/testing/caller_world.h"
#include "sampler_server/testing/fleet_fixture.h"

namespace tributary {

// Returns somebody at `host` with the certificate of a trainer of `job`.
inline CallerPtr TrainerOf(const std::string& job, const std::string& host) {
  return MakeCaller(absl::StrCat("ipv4:", host, ":1"),
                    Identity{Role::kTrainer, job});
}

// One server, a thief and its victim, each with the certificate of a job.
class StolenCertificate : public ::testing::Test {
 protected:
  explicit StolenCertificate(SamplerServiceOptions options = Options())
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
    options.num_neighbors = {2, 2};
    options.batch_size = 1;
    options.random_seed = seed;
    options.shuffle = ShuffleMode::kNone;
    return MakeSession(graph_->schema(), options, std::vector<int64_t>(64, 0));
  }
  // Runs what is due now, and no timer of seconds.
  void Run() { world_.RunFor(absl::Milliseconds(500)); }

  // Returns somebody with the thief's certificate at the `nth` of many hosts.
  static CallerPtr ThiefAt(int nth) {
    return TrainerOf("thief", absl::StrCat("10.0.1.", nth));
  }

  CallerWorld world_;
  const std::shared_ptr<const Graph> graph_;
  const CallerPtr thief_ = TrainerOf("thief", "10.0.0.9");
  const CallerPtr victim_ = TrainerOf("victim", "10.0.0.1");
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SERVER_STOLEN_CERTIFICATE_H_
