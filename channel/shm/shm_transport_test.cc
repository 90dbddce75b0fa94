#include "channel/shm/shm_transport.h"

#include <gtest/gtest.h>

#include <memory>

#include "channel/shm/shm_server.h"
#include "channel/testing/transport_conformance.h"

namespace tributary {
namespace {

constexpr size_t kMaxQueued = size_t{8} << 20;
const Address kWorker{"worker", 1};

// Both ends in one process, over the sockets that two would have.
class ShmHarness {
 public:
  ShmHarness() {
    options_.max_queued_bytes = kMaxQueued;
    transport_ = ShmTransport::Create(options_).value();
  }
  Transport* transport() { return transport_.get(); }
  Address Listen(StreamAcceptor* acceptor) {
    WorkerDoor door = MakeWorkerDoor().value();
    transport_->AddWorker(kWorker, std::move(door.trainer));
    server_ = ShmServer::Start(acceptor, std::move(door.worker),
                               {.stream = options_, .name = "worker:1"})
                  .value();
    return kWorker;
  }
  Address Nobody() { return {"nobody", 2}; }
  bool RunUntil(conformance::Log& log, const std::function<bool()>& done) {
    return log.WaitUntil(done);
  }
  void KillServers() { server_.reset(); }
  size_t max_queued_bytes() { return kMaxQueued; }

 private:
  ShmStreamOptions options_;
  std::unique_ptr<ShmTransport> transport_;
  std::unique_ptr<ShmServer> server_;
};

}  // namespace

namespace conformance {
INSTANTIATE_TYPED_TEST_SUITE_P(Shm, TransportConformance, ShmHarness);
}  // namespace conformance

}  // namespace tributary
