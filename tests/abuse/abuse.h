// Messages that hostile clients send to a server: the abuses that simulated and
// real antagonists commit.
#ifndef TRIBUTARY_TESTS_ABUSE_ABUSE_H_
#define TRIBUTARY_TESTS_ABUSE_ABUSE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "channel/message.h"
#include "channel/transport.h"
#include "partition/schema/schema.h"
#include "tests/abuse/row_memory_abuse.h"

namespace tributary {

// Sums are allowed where a number says what is done.
enum Abuse : int64_t {
  kUnreadDescribes = 1,    // Describes whose answers nobody takes
  kUnreadLeafReplies = 2,  // calls of a peer that then stands still
  kQueuePlaces = 4,        // credits of made-up jobs that may wait for a day
  kUnreadAnswers = 8,      // cancels and calls that fail, all answered
  kManyStreams = 16,       // streams without end, of all methods
  kManySessions = 32,      // specifications that fill every cache
  kLyingPeer = 64,         // a server that answers its peers with nonsense
  kSlowPeer = 128,         // a server that takes and answers leaf calls slowly
  kCostlyBatches =
      256,            // batches of many steps and few bytes, all of them read
  kRowMemory = 1024,  // calls for mutable rows that leave memory behind
  kLyingServer = 1 << 16,  // a server that lies to trainers
  kAllAbuses = 511 | kRowMemory | kLyingServer,
};

// The clients' ones: all but kLyingPeer, kSlowPeer and kLyingServer.
absl::Span<const Abuse> AbusesOfClients();

// The streams of one method that an antagonist has open to a server.
struct AbusedStreams {
  StreamMethod method;
  size_t streams;  // at least so many
  size_t more_each_time = 0;
};
absl::Span<const AbusedStreams> StreamsOf(Abuse abuse);

// Makes the messages, each with numbers of its own. Not thread-safe.
class AbuseMessages {
 public:
  // `schema` is that of the servers' graph and is not copied. Whose certificate
  // gives a job names none.
  explicit AbuseMessages(const GraphSchema* schema, bool names_jobs = true)
      : schema_(schema), names_jobs_(names_jobs), rows_(schema, names_jobs) {}

  // Calls for rows need it; see RowMemoryAbuse.
  void set_incarnation(uint64_t incarnation) {
    rows_.set_incarnation(incarnation);
  }
  // Returns `count` messages of `abuse` for a stream of `method`; none for
  // kManyStreams, whose streams say nothing.
  std::vector<OutgoingMessage> Next(Abuse abuse, StreamMethod method,
                                    int count);

 private:
  OutgoingMessage Describe();
  OutgoingMessage LeafCall(int nth);
  OutgoingMessage QueuePlace(int nth);
  OutgoingMessage CostlyBatch(int nth);
  OutgoingMessage FailingCall(StreamMethod method);
  OutgoingMessage Session();

  const GraphSchema* const schema_;
  const bool names_jobs_;
  uint64_t number_ = 0;
  RowMemoryAbuse rows_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_ABUSE_ABUSE_H_
