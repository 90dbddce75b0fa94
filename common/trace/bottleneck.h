// Decides where most of the time of a batch went.
#ifndef TRIBUTARY_COMMON_TRACE_BOTTLENECK_H_
#define TRIBUTARY_COMMON_TRACE_BOTTLENECK_H_

#include <string>

#include "absl/time/time.h"
#include "common/proto/trace.pb.h"
#include "common/trace/batch_timeline.h"
#include "common/trace/trace_times.h"

namespace tributary {

// The part that took most of a batch's time. Names of the values are stable
// (BottleneckName).
enum class Bottleneck {
  kUnknown,       // there is no time, or a server that tells none
  kQueue,         // its turn, memory or a sampling thread of the server
  kSample,        // drawing neighbours on the server
  kGather,        // copying rows that are in the server's memory
  kDisk,          // rows in files of the server
  kPeers,         // other servers; which part of it is not known
  kPeerQueue,     // the queue of another server
  kPeerWork,      // the threads of another server
  kPeerDisk,      // rows in files of another server
  kPeerNetwork,   // the network to another server, or its process
  kSend,          // the network, or a trainer that does not read
  kNetwork,       // between server and trainer, and the trainer's copying
  kTrainer,       // the trainer, which was busy
  kEarlierBatch,  // batches before this one, which the trainer waited for
  kRetried,       // attempts that brought no batch
  kFailed,        // no attempt brought the batch
};

// Returns "queue", "sample", "gather", "disk", "peers", "peer_queue",
// "peer_work", "peer_disk", "peer_network", "send", "network", "trainer",
// "earlier_batch", "retried", "failed" or "unknown".
const char* BottleneckName(Bottleneck bottleneck);

// Where most of the time went.
struct Finding {
  Bottleneck bottleneck = Bottleneck::kUnknown;
  absl::Duration most;   // spent there
  absl::Duration total;  // of which that is a part
  std::string server;    // where; printable; empty: unknown
  // The peer and its longest call, for the values kPeer...; `most` is the time
  // of waiting for this peer, and `part` what the bottleneck names of it.
  std::string peer;
  const char* call = "";
  uint32_t partition = 0;
  absl::Duration part;
};

// Of the batch from being asked for to being taken by its user. The times of
// the attempt that brought it, of those before it, of the trainer and of what
// is between add up to the whole.
Finding FindBottleneck(const BatchTimeline& timeline);
// Of one attempt, as its server, "HOST:PORT", tells.
Finding FindBottleneck(const std::string& server, const v1::BatchTrace& trace);

// Returns the time of the timeline that neither servers nor the trainer's user
// account for: the network, and the trainer's copying. 0 without a trace.
absl::Duration NetworkTime(const BatchTimeline& timeline,
                           const BatchAttempt& taken, const ServerTimes& times);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TRACE_BOTTLENECK_H_
