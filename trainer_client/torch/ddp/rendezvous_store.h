// The rendezvous store of a job: LibTorch's TCPStore, served by a launcher, so
// that it survives the ranks. No torch in this header.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RENDEZVOUS_STORE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RENDEZVOUS_STORE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "trainer_client/torch/ddp/listen_socket.h"

namespace tributary {

// The key with the identity of the run that meets there, which who serves the
// store sets.
inline constexpr char kRunKey[] = "run";
// Returns FAILED_PRECONDITION: the rendezvous at `address` is of the run
// `there`, and whoever came is of the run `own`.
absl::Status OtherRun(const std::string& address, const std::string& there,
                      const std::string& own);

// The key with the attempt that the job is at, which launchers set before they
// start ranks.
inline constexpr char kCurrentAttemptKey[] = "launch/attempt";

// Returns the key with how many attempts had failed before `attempt`, set
// before kCurrentAttemptKey: for a machine that joins later.
std::string FailuresKey(int attempt);

// Returns the prefix of all keys of the ranks of an attempt: what a rank of an
// older attempt reads or writes is not seen by those of a newer one.
std::string AttemptPrefix(int attempt);

// A store, served or connected to. Used by one thread. Calls have no deadline:
// LibTorch waits for as long as the serving process keeps the connection open.
// Errors are INTERNAL: the connection is gone, and the object unusable.
class RendezvousStore {
 public:
  // Serves a store, on a thread of its own, until the object is destroyed.
  // Takes over the socket.
  static absl::StatusOr<std::unique_ptr<RendezvousStore>> Serve(
      ListenSocket socket);
  // Connects to one. UNAVAILABLE when none answers within `timeout`.
  static absl::StatusOr<std::unique_ptr<RendezvousStore>> Connect(
      const std::string& host, uint16_t port, absl::Duration timeout);
  ~RendezvousStore();

  absl::Status Set(const std::string& key, const std::string& value);
  // Sets `value` if the key has none. Returns the key's value then.
  absl::StatusOr<std::string> SetIfAbsent(const std::string& key,
                                          const std::string& value);
  // Returns the key's value; nullopt without one.
  absl::StatusOr<std::optional<std::string>> Get(const std::string& key);
  // Adds to a counter, which begins at 0, and returns it.
  absl::StatusOr<int64_t> Add(const std::string& key, int64_t delta);

 private:
  struct Connection;
  explicit RendezvousStore(std::unique_ptr<Connection> connection);

  const std::unique_ptr<Connection> connection_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RENDEZVOUS_STORE_H_
