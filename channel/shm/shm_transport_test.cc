#include "channel/shm/shm_transport.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "channel/net/fd_message.h"
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

namespace {

constexpr uid_t kSomebodyElse = 65534;

// One end of a pair that a process of another user has made; none where this
// process may not become another user.
UniqueFd DoorOfSomebodyElse() {
  int between[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, between), 0);
  const UniqueFd ours(between[0]), theirs(between[1]);
  const pid_t child = fork();
  if (child == 0) {
    int door[2];
    char byte = 0;
    iovec piece{&byte, 1};
    const bool sent =
        setuid(kSomebodyElse) == 0 &&
        socketpair(AF_UNIX, SOCK_SEQPACKET, 0, door) == 0 &&
        SendWithFd(theirs.get(), absl::MakeSpan(&piece, 1), door[0]) == 1;
    _exit(sent ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  UniqueFd door;
  char byte = 0;
  if (status == 0) ReceiveWithFd(ours.get(), &byte, 1, &door);
  return door;
}

class NobodyAccepted final : public StreamAcceptor {
 public:
  std::shared_ptr<StreamHandler> Accept(StreamMethod, CallerPtr,
                                        std::shared_ptr<Stream>,
                                        absl::Status*) override {
    ADD_FAILURE() << "a stream of another user's";
    return nullptr;
  }
};

TEST(ShmServerTest, AnotherUsersDoorIsRefused) {
  UniqueFd door = DoorOfSomebodyElse();
  if (!door.valid()) GTEST_SKIP() << "only root can become another user";
  NobodyAccepted acceptor;
  const absl::Status status =
      ShmServer::Start(&acceptor, std::move(door), {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(status.message(),
            absl::StrCat("the door's other end is user 65534's; allowed: user ",
                         geteuid(), "'s, as this process"));
}

}  // namespace

namespace conformance {
INSTANTIATE_TYPED_TEST_SUITE_P(Shm, TransportConformance, ShmHarness);
}  // namespace conformance

}  // namespace tributary
