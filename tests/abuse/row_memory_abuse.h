// Calls for mutable rows that leave as much memory behind as they can.
#ifndef TRIBUTARY_TESTS_ABUSE_ROW_MEMORY_ABUSE_H_
#define TRIBUTARY_TESTS_ABUSE_ROW_MEMORY_ABUSE_H_

#include <cstdint>
#include <string>

#include "channel/message.h"
#include "common/proto/tensors.pb.h"
#include "partition/schema/schema.h"

namespace tributary {

// Messages of one job that opens attempt after attempt, and in each brings
// parts and writes without rows, waits for rounds and ranks that never come,
// and makes tensors of long names, some with unknown fields. Not thread-safe.
class RowMemoryAbuse {
 public:
  // `schema` is that of the server's graph and is not copied. A trainer whose
  // certificate gives its job names none.
  RowMemoryAbuse(const GraphSchema* schema, bool names_jobs)
      : schema_(schema), names_jobs_(names_jobs) {}

  // Sets which process of a server the next messages are for, as its
  // DescribeReply says.
  void set_incarnation(uint64_t incarnation) { incarnation_ = incarnation; }

  // Returns the next message for a data stream.
  OutgoingMessage Next();

 private:
  v1::AttemptRef Ref() const;
  OutgoingMessage Open();
  OutgoingMessage EmptyPart();
  OutgoingMessage EmptyWrite();
  OutgoingMessage WaitingMeeting(size_t value_bytes);
  OutgoingMessage WaitingRead();
  OutgoingMessage PartOfALaterRound();
  OutgoingMessage Create();
  template <typename Request>
  OutgoingMessage Call(MessageKind kind, Request request,
                       const std::string& more = "");

  const GraphSchema* const schema_;
  const bool names_jobs_;
  uint64_t incarnation_ = 0;
  uint64_t attempt_ = 0;
  uint64_t number_ = 0;  // of messages
  uint32_t part_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_ABUSE_ROW_MEMORY_ABUSE_H_
