// A sampling server within the trainer's own process: there is no network, and
// batches are gathered straight into the trainer's slots. Mode collocated uses
// one:
//
//   EmbeddedServerOptions options;
//   options.graph = "/data/cora";
//   ASSIGN_OR_RETURN(auto server, EmbeddedServer::Start(options));
//   // A loader connects to server->address() over server->transport().
#ifndef TRIBUTARY_TRAINER_CLIENT_EMBEDDED_EMBEDDED_SERVER_H_
#define TRIBUTARY_TRAINER_CLIENT_EMBEDDED_EMBEDDED_SERVER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "channel/transport.h"
#include "common/fleet/address.h"
#include "common/runtime/executor.h"
#include "partition/format/graph.h"
#include "partition/schema/feature_memory.h"

namespace tributary {

struct EmbeddedServerOptions {
  std::string graph;    // folder; all its partitions are mapped
  int num_threads = 0;  // 1 to 1024; 0: one per core
  // Bytes of working memory of batches being made.
  uint64_t memory_budget = uint64_t{1} << 30;
  uint64_t tensor_memory = uint64_t{1} << 30;  // of mutable rows; 0: none
  FeatureMemory feature_memory = FeatureMemory::kAuto;
  bool verify = false;  // check every file's CRC first
};

// Owns the graph's mapping and the sampling threads. Thread-safe. Destroy the
// loaders that use it first; the destructor cancels the batches that are still
// being made.
class EmbeddedServer {
 public:
  // Opens the graph and starts the threads. Errors are those of Graph::Open,
  // and INVALID_ARGUMENT for an option out of range.
  static absl::StatusOr<std::unique_ptr<EmbeddedServer>> Start(
      const EmbeddedServerOptions& options);
  virtual ~EmbeddedServer() = default;

  // Connects to the server at address(), and to no other address.
  virtual Transport* transport() = 0;
  virtual const Address& address() const = 0;
  // Runs the batch tasks; users of the server may post tasks of their own.
  virtual Executor* executor() = 0;
  virtual const Graph& graph() const = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_EMBEDDED_EMBEDDED_SERVER_H_
