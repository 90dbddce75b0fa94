// A trainer's streams to the workers of its machine.
#ifndef TRIBUTARY_CHANNEL_SHM_SHM_TRANSPORT_H_
#define TRIBUTARY_CHANNEL_SHM_SHM_TRANSPORT_H_

#include <map>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "channel/shm/shared_memories.h"
#include "channel/shm/shared_memory.h"
#include "channel/shm/shm_stream.h"
#include "channel/shm/socket_loop.h"
#include "channel/transport.h"
#include "common/io/unique_fd.h"
#include "common/runtime/mutex.h"

namespace tributary {

// The two ends of a worker's *door*: what comes through one is a Hello and the
// end of a new stream. The trainer makes the pair and gives one end to the
// worker as it starts it. So nothing has a name in the file system, and nobody
// else can come in, whichever user he is.
struct WorkerDoor {
  UniqueFd trainer;
  UniqueFd worker;  // close-on-exec: who starts the worker passes it on
};
absl::StatusOr<WorkerDoor> MakeWorkerDoor();

// Destroy the loaders that use it first; streams that are left are closed with
// UNAVAILABLE. Thread-safe.
class ShmTransport final : public Transport {
 public:
  static absl::StatusOr<std::unique_ptr<ShmTransport>> Create(
      const ShmStreamOptions& options = {});
  ~ShmTransport() override;

  // Streams to `address`, which is only a name here, go through `door` from now
  // on; to the one before they go on.
  void AddWorker(const Address& address, UniqueFd door);
  // Later streams to it are refused.
  void RemoveWorker(const Address& address);
  // Batches whose room lies in `memory` are gathered straight into it. It is
  // not kept: a ring outlives its batches.
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
