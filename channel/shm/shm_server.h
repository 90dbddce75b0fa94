// Accepts, in a worker process, the streams that its trainer opens.
#ifndef TRIBUTARY_CHANNEL_SHM_SHM_SERVER_H_
#define TRIBUTARY_CHANNEL_SHM_SHM_SERVER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "channel/net/socket_loop.h"
#include "channel/shm/shm_stream.h"
#include "channel/transport.h"
#include "common/io/unique_fd.h"

namespace tributary {

struct ShmServerOptions {
  ShmStreamOptions stream;
  std::string name = "worker";  // this worker, in error messages
  // Called once, on the server's thread, when the trainer has closed the door
  // or is dead.
  std::function<void()> trainer_gone = [] {};
};

// Accepts streams from Start until it is destroyed, on a thread of its own. The
// destructor breaks the remaining streams and joins the thread; rooms that are
// still in use stay lent until they are released.
class ShmServer {
 public:
  // `door`: the worker's end of a WorkerDoor. `acceptor` outlives the server.
  // Returns PERMISSION_DENIED if the process at the door's other end is another
  // user's, RESOURCE_EXHAUSTED if the system grants no thread or watches no
  // more sockets.
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
