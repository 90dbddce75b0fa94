// A worker's side of the streams that its trainer opens.
#ifndef TRIBUTARY_CHANNEL_SHM_SHM_SERVER_H_
#define TRIBUTARY_CHANNEL_SHM_SHM_SERVER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "channel/shm/shm_stream.h"
#include "channel/shm/socket_loop.h"
#include "channel/transport.h"
#include "common/io/unique_fd.h"

namespace tributary {

struct ShmServerOptions {
  ShmStreamOptions stream;
  std::string name = "worker";  // in messages
  // The trainer has closed the door, or is dead: once, on the server's thread.
  std::function<void()> trainer_gone = [] {};
};

// Takes streams from its start to its end. The destructor breaks what is left;
// rooms that are still written into stay lent until they are let go of.
class ShmServer {
 public:
  // `door`: a WorkerDoor's worker end. PERMISSION_DENIED: at its other end is
  // another user's process. The acceptor outlives it.
  static absl::StatusOr<std::unique_ptr<ShmServer>> Start(
      StreamAcceptor* acceptor, UniqueFd door, const ShmServerOptions& options);
  ~ShmServer();

 private:
  class Door;

  explicit ShmServer(std::unique_ptr<SocketLoop> loop)
      : loop_(std::move(loop)) {}

  std::unique_ptr<SocketLoop> loop_;
  std::shared_ptr<Door> door_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_SHM_SHM_SERVER_H_
