// Measures a channel: this process receives batches that a child process fills.
#ifndef TRIBUTARY_BENCHMARKS_LIB_MEASURE_MEASURED_CHANNEL_H_
#define TRIBUTARY_BENCHMARKS_LIB_MEASURE_MEASURED_CHANNEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "benchmarks/lib/measure/batch_asker.h"
#include "benchmarks/lib/measure/transfer_series.h"
#include "common/io/unique_fd.h"

namespace tributary {

enum class ChannelKind {
  kSharedMemory,  // batches are written where the trainer reads them
  kUnixSocket,    // frames through the same socket
  kGrpc,          // frames over loopback TCP
};

// For the child process (see SenderProcess): answer credits from `from` until
// the parent ends, through the worker's end of a WorkerDoor or over gRPC.
absl::Status ServeFillerAtDoor(UniqueFd door, absl::Span<const uint8_t> from);
absl::Status ServeFillerOverGrpc(absl::Span<const uint8_t> from);

struct ChannelRun {
  BatchesArrived arrived;
  TransferCost cost;
};

// A child process, a connection to it and receive memory, used for several
// runs. The destructor kills the child. Not thread-safe.
class MeasuredChannel {
 public:
  // Starts this program with `arguments`, which must make it serve as above.
  // Unless `kind` is kGrpc, the number of its door, an open descriptor, is
  // appended to them. `bytes`: the size of the memory to receive into. Returns
  // the errors of SenderProcess::Start and of the memory's allocation.
  static absl::StatusOr<std::unique_ptr<MeasuredChannel>> Open(
      ChannelKind kind, std::vector<std::string> arguments, size_t bytes);
  virtual ~MeasuredChannel() = default;

  // Returns the errors of BatchAsker::Receive, or UNAVAILABLE with how the
  // child ended if it has ended.
  virtual absl::StatusOr<ChannelRun> Run(const BatchesAsked& asked) = 0;
  // The receive memory. Nothing writes into it between runs.
  virtual absl::Span<uint8_t> memory() = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_LIB_MEASURE_MEASURED_CHANNEL_H_
