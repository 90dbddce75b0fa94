// A server in a process of its own, which an attack may end.
#ifndef TRIBUTARY_CHANNEL_GRPC_TESTING_FORKED_SERVER_H_
#define TRIBUTARY_CHANNEL_GRPC_TESTING_FORKED_SERVER_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "channel/grpc/grpc_server.h"
#include "common/io/unique_fd.h"

namespace tributary {

// Forks in the constructor, so this process must have no other threads and must
// not use gRPC, and ends the child in the destructor; the child ends with its
// parent too. Its streams echo every message. Not thread-safe.
class ForkedServer {
 public:
  using Start = std::function<absl::StatusOr<std::unique_ptr<NetworkServer>>(
      const NetworkServerOptions& options, StreamAcceptor* acceptor)>;

  // `prepare` runs in the child before the server starts.
  explicit ForkedServer(
      const NetworkServerOptions& options,
      const std::function<void()>& prepare = [] {},
      const Start& start = StartGrpc);
  ~ForkedServer();
  ForkedServer(const ForkedServer&) = delete;
  ForkedServer& operator=(const ForkedServer&) = delete;

  // 0: the server has not started.
  uint16_t port() const { return port_; }
  bool running();
  // Returns how the process ended, such as "signal 6".
  std::string ending() const;
  size_t resident_bytes() const;
  // The most there were so far.
  size_t peak_resident_bytes() const;
  absl::Duration cpu_time() const;

 private:
  static absl::StatusOr<std::unique_ptr<NetworkServer>> StartGrpc(
      const NetworkServerOptions& options, StreamAcceptor* acceptor) {
    return GrpcServer::Start(options, acceptor);
  }
  size_t StatusBytes(const char* key) const;

  pid_t pid_ = -1;
  int status_ = 0;  // once it has ended
  bool ended_ = false;
  uint16_t port_ = 0;
  UniqueFd lifeline_;  // its end tells the child to end
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_TESTING_FORKED_SERVER_H_
