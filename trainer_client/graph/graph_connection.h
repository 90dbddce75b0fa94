// A trainer's connection to the graph that its servers store.
#ifndef TRIBUTARY_TRAINER_CLIENT_GRAPH_GRAPH_CONNECTION_H_
#define TRIBUTARY_TRAINER_CLIENT_GRAPH_GRAPH_CONNECTION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/batch/batch_view.h"
#include "common/io/buffer.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/kinds/session_options.h"
#include "trainer_client/core/reads/graph_client.h"
#include "trainer_client/modes/sampling_workers.h"

namespace tributary {

// The owners of each partition, as servers told them last.
struct PartitionOwner {
  std::string address;
  std::vector<uint32_t> partitions;
};

// Keeps connections to all servers of the workers, whatever the mode. Calls
// wait in the caller's thread, each at most the timeout; thread-safe.
class GraphConnection {
 public:
  // Waits until a server has described the graph. UNAVAILABLE: no server
  // answers within `timeout`; NOT_FOUND: none has the graph. `workers` must
  // outlive the connection. An empty `name`: the workers' graph.
  static absl::StatusOr<std::unique_ptr<GraphConnection>> Open(
      SamplingWorkers* workers, const std::string& name,
      absl::Duration timeout);
  virtual ~GraphConnection() = default;

  virtual const GraphSchema& schema() const = 0;
  virtual absl::Duration timeout() const = 0;

  // See GraphClient::Read.
  virtual absl::StatusOr<std::vector<AlignedBuffer>> Read(
      std::vector<GraphRead> reads) = 0;
  // Returns a split of nodes (original ids) or of edges (source, destination
  // and edge id of each). `type`: a node type or "src,rel,dst". NOT_FOUND lists
  // the splits there are.
  virtual absl::StatusOr<std::vector<int64_t>> Split(
      const std::string& type, const std::string& name) = 0;
  // Makes the batches of all inputs of `options`, in their order, as batches
  // `index`, `index` + 1, ... of epoch 0: those that a loader of these options
  // delivers from that index on. Calls `take` for each, whose views end with
  // the call. One such call at a time over one connection; others wait for it.
  // Errors are those of a loader's Create and Next, and of `take`. Requires
  // options without a split and without shuffling.
  virtual absl::Status MakeBatches(
      const SessionOptions& options, uint64_t index,
      absl::FunctionRef<absl::Status(const BatchView&)> take) = 0;
  // The servers that are up.
  virtual std::vector<PartitionOwner> Owners() = 0;
  // Makes the calls that wait, and all later ones, fail with CANCELLED.
  virtual void Cancel() = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_GRAPH_GRAPH_CONNECTION_H_
