#include "sampler_server/server/memory_bound.h"

#include <utility>

#include "channel/envelope.h"
#include "sampler_server/peers/peer_statuses.h"
#include "sampler_server/service/trace/recent_batches.h"
#include "sampler_server/streams/message_share.h"
#include "sampler_server/tensors/tensor_store.h"

namespace tributary {
namespace {

// The program, its threads' stacks and libraries.
constexpr uint64_t kProcessBytes = uint64_t{192} << 20;
// One part in so many more for what the allocator rounds up and keeps.
constexpr uint64_t kAllocatorPart = 8;
// Sessions beyond their plans' budget: in the cache.
constexpr uint64_t kCachedSessionBytes = uint64_t{64} << 20;

// Numbers of attempts that have ended, by job and graph, and why they did.
constexpr uint64_t kScopesBytes = TensorStore::kMaxScopes * (uint64_t{2} << 10);

// Of the last minute of jobs, what peers told of themselves, a page that is
// made of it, and pages on their way to as many connections as there may be.
constexpr uint64_t kStatusBytes = (uint64_t{1} << 20) +
                                  5 * PeerStatuses::kMaxTotalBytes +
                                  (uint64_t{32} << 20);

// A request and its reply.
constexpr uint64_t kPeerCallBytes = 2 * kMaxPayloadBytes;

}  // namespace

std::vector<MemoryPart> MemoryBound(const SamplerServiceOptions& options,
                                    const MemoryBoundInput& input) {
  const AdmissionLimits& admission = options.admission;
  const uint64_t own_bytes = input.max_streams * MessageShare::kFreeBytes;
  const auto tasks = static_cast<uint64_t>(admission.running) *
                     static_cast<uint64_t>(admission.file_read_factor);
  std::vector<MemoryPart> parts = {
      {"batches", options.memory_budget},
      {"calls to peers", tasks * input.partitions * kPeerCallBytes},
      {"calls of peers", options.leaf_budget},
      {"control answers", options.control_budget},
      {"data calls", options.data_budget},
      {"small answers", options.answer_budget + own_bytes},
      {"unhandled messages", options.inbox_budget + own_bytes},
      {"queued credits", admission.queued_bytes},
      {"plans of credits", options.plan_budget},
      {"cached sessions", kCachedSessionBytes},
      {"mutable rows", options.tensor_memory},
      {"open rounds", options.tensor_memory / 4},
      {"attempts", options.attempt_budget + kScopesBytes},
      {"traces of batches", RecentBatches::kMaxBytes},
      {"hot rows", input.hot_bytes},
      {"status of the fleet", kStatusBytes},
      {"network library", input.transport_bytes},
      {"streams over TCP", input.max_streams * input.stream_bytes},
  };
  parts.push_back({"allocator", TotalOf(parts) / kAllocatorPart});
  parts.push_back({"process", kProcessBytes});
  parts.push_back({"copies of graphs", input.graph_bytes});
  return parts;
}

uint64_t TotalOf(const std::vector<MemoryPart>& parts) {
  uint64_t total = 0;
  for (const MemoryPart& part : parts) total += part.bytes;
  return total;
}

}  // namespace tributary
