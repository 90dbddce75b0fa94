// A channel between this process and one that fills batches, to be timed.
#ifndef TRIBUTARY_CHANNEL_MEASURE_MEASURED_CHANNEL_H_
#define TRIBUTARY_CHANNEL_MEASURE_MEASURED_CHANNEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "channel/measure/batch_asker.h"
#include "channel/measure/transfer_series.h"
#include "common/io/unique_fd.h"

namespace tributary {

enum class ChannelKind {
  kSharedMemory,  // batches are filled where the trainer reads them
  kUnixSocket,    // frames, through the same socket
  kGrpc,          // frames, over loopback TCP
};

// In the process that fills (see SenderProcess): answers credits out of `from`
// until the parent goes; through a WorkerDoor's worker end, or over gRPC.
absl::Status ServeFillerAtDoor(UniqueFd door, absl::Span<const uint8_t> from);
absl::Status ServeFillerOverGrpc(absl::Span<const uint8_t> from);

struct ChannelRun {
  BatchesArrived arrived;
  TransferCost cost;
};

// A process, a connection and memory that stay from run to run. Not
// thread-safe; the process ends with it.
class MeasuredChannel {
 public:
  // Runs this program with `arguments`, which make it serve as above; but for
  // gRPC the number of its door, an open descriptor, is added to them. `bytes`
  // of memory to receive into.
  static absl::StatusOr<std::unique_ptr<MeasuredChannel>> Open(
      ChannelKind kind, std::vector<std::string> arguments, size_t bytes);
  virtual ~MeasuredChannel() = default;

  // As BatchAsker::Receive. When the process has ended, UNAVAILABLE says how.
  virtual absl::StatusOr<ChannelRun> Run(const BatchesAsked& asked) = 0;
  // Nothing writes into it between runs.
  virtual absl::Span<uint8_t> memory() = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_MEASURE_MEASURED_CHANNEL_H_
