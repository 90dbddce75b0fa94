// The transport of a trainer to the worker processes of its machine.
#ifndef TRIBUTARY_CHANNEL_SHM_SHM_TRANSPORT_H_
#define TRIBUTARY_CHANNEL_SHM_SHM_TRANSPORT_H_

#include <map>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "channel/net/socket_loop.h"
#include "channel/shm/shared_memories.h"
#include "channel/shm/shared_memory.h"
#include "channel/shm/shm_stream.h"
#include "channel/transport.h"
#include "common/io/unique_fd.h"
#include "common/runtime/mutex.h"

namespace tributary {

// The two ends of a worker's *door*, a socket pair through which the trainer
// sends a Hello and one end of each new stream. The trainer creates the pair
// and passes one end to the worker when it starts it. So nothing has a name in
// the file system, and no other process, of whichever user, can connect.
struct WorkerDoor {
  UniqueFd trainer;
  UniqueFd worker;  // close-on-exec: the code that starts the worker passes it
};
// Returns the system's error if it grants no descriptors.
absl::StatusOr<WorkerDoor> MakeWorkerDoor();

// Opens streams to workers; one thread of its own watches their sockets and
// calls the handlers. Destroy the loaders that use it first; remaining streams
// are closed with UNAVAILABLE. Thread-safe.
class ShmTransport final : public Transport {
 public:
  // Returns RESOURCE_EXHAUSTED if the system grants no thread, and the system's
  // error if it grants no descriptor.
  static absl::StatusOr<std::unique_ptr<ShmTransport>> Create(
      const ShmStreamOptions& options = {});
  ~ShmTransport() override;

  // Sends new streams to `address`, which is only a name here, through `door`.
  // Streams to the worker that had this name before are not affected.
  void AddWorker(const Address& address, UniqueFd door);
  // Later streams to `address` fail with UNAVAILABLE.
  void RemoveWorker(const Address& address);
  // Lets workers gather batches whose room lies in `memory` straight into it.
  // Holds a weak reference: the ring that owns the memory outlives its batches.
  void AddMemory(std::shared_ptr<SharedMemory> memory) {
    memories_->Add(std::move(memory));
  }

  std::shared_ptr<Stream> Connect(
      const Address& address, StreamMethod method,
      std::shared_ptr<StreamHandler> handler) override;

 private:
  ShmTransport(std::unique_ptr<SocketLoop> loop,
               const ShmStreamOptions& options)
      : options_(options), loop_(std::move(loop)) {}

  absl::StatusOr<UniqueFd> OpenSocket(const Address& address,
                                      StreamMethod method);

  const ShmStreamOptions options_;
  const std::shared_ptr<SharedMemories> memories_ =
      std::make_shared<SharedMemories>();
  Mutex mutex_;
  std::map<Address, UniqueFd> doors_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::weak_ptr<ShmStream>> streams_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<SocketLoop> loop_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_SHM_SHM_TRANSPORT_H_
