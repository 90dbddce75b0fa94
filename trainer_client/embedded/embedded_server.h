// A sampling server within the process that uses it: no network, batches are
// gathered straight into the trainer's slots.
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
  FeatureMemory feature_memory = FeatureMemory::kAuto;
  bool verify = false;  // check every file's CRC first
};

// Thread-safe. Destroy the loaders that use it first; the destructor cancels
// what is still being made.
class EmbeddedServer {
 public:
  // What Graph::Open says; INVALID_ARGUMENT for an option out of range.
  static absl::StatusOr<std::unique_ptr<EmbeddedServer>> Start(
      const EmbeddedServerOptions& options);
  virtual ~EmbeddedServer() = default;

  // Reaches the server at address(); streams to elsewhere are refused.
  virtual Transport* transport() = 0;
  virtual const Address& address() const = 0;
  // Runs the server's tasks; its users may post theirs too.
  virtual Executor* executor() = 0;
  virtual const Graph& graph() const = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_EMBEDDED_EMBEDDED_SERVER_H_
