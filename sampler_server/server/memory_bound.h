// The most memory that a server takes beyond its mapped files.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVER_MEMORY_BOUND_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVER_MEMORY_BOUND_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sampler_server/service/sampler_service.h"

namespace tributary {

struct MemoryPart {
  std::string name;
  uint64_t bytes = 0;
};

// What the bound depends on beside the options of the service.
struct MemoryBoundInput {
  size_t max_streams = 0;  // of all kinds, over all connections
  // The most partitions of a graph that is served: a task may have a call to
  // the owner of each under way.
  size_t partitions = 0;
  uint64_t hot_bytes = 0;     // of caches of hot rows
  uint64_t graph_bytes = 0;   // of copies of graphs
  uint64_t stream_bytes = 0;  // of each stream, in the network's part
  // What the network library may hold of unfinished messages, over all
  // connections.
  uint64_t transport_bytes = 0;
};

// Returns the parts of the bound. Each is enforced where it is used, by the
// budget or limit that it names; docs/bounds.md says what happens there. Pages
// of mapped files are the system's to drop and are not among them.
std::vector<MemoryPart> MemoryBound(const SamplerServiceOptions& options,
                                    const MemoryBoundInput& input);

// Returns the sum of the parts.
uint64_t TotalOf(const std::vector<MemoryPart>& parts);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_MEMORY_BOUND_H_
