// One service in virtual time, and callers of any identity, without a network:
// what certificates would prove is given by the test.
#ifndef TRIBUTARY_SAMPLER_SERVER_TESTING_CALLER_WORLD_H_
#define TRIBUTARY_SAMPLER_SERVER_TESTING_CALLER_WORLD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/caller.h"
#include "channel/in_process_transport.h"
#include "common/observe/metrics.h"
#include "common/testing/leaks_ignored.h"
#include "common/testing/sim_scheduler.h"
#include "sampler_server/service/sampler_service.h"
#include "sampler_server/testing/scripted_trainer.h"

namespace tributary {

// Runs on one thread; not thread-safe.
class CallerWorld {
 public:
  explicit CallerWorld(SamplerServiceOptions options = {});
  ~CallerWorld();

  SamplerService& service() { return *service_; }
  SimScheduler& world() { return world_; }
  SimExecutor* executor() { return executor_; }
  Metrics& metrics() { return metrics_; }
  // Returns how often all_clients_gone has run.
  int all_gone() const { return all_gone_; }

  // Returns the address at which `caller` reaches the service. With `reads`
  // false it takes nothing of what the service sends there.
  Address AddressFor(CallerPtr caller, bool reads = true);
  Transport* transport() { return &transport_; }
  std::shared_ptr<ScriptedTrainer> Trainer(CallerPtr caller, bool reads = true);

  // Makes a call on a stream of its own and returns the answer's header.
  // UNKNOWN if none came.
  absl::StatusOr<std::string> Ask(CallerPtr caller, StreamMethod method,
                                  MessageKind kind, std::string header);
  template <typename Request>
  absl::StatusOr<std::string> Ask(CallerPtr caller, StreamMethod method,
                                  MessageKind kind, const Request& request) {
    return Ask(std::move(caller), method, kind, request.SerializeAsString());
  }

  // Runs until `done`, at most 30 s of virtual time; returns whether it holds.
  bool Until(const std::function<bool()>& done);
  void RunFor(absl::Duration time);

 private:
  const LeaksIgnored leaks_ignored_;
  SimScheduler world_{1};
  SimExecutor* const executor_;
  Metrics metrics_;
  int all_gone_ = 0;
  std::unique_ptr<SamplerService> service_;
  InProcessTransport transport_;
  int callers_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TESTING_CALLER_WORLD_H_
