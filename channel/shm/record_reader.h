// Reads records and descriptors from a stream's socket.
#ifndef TRIBUTARY_CHANNEL_SHM_RECORD_READER_H_
#define TRIBUTARY_CHANNEL_SHM_RECORD_READER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "channel/shm/record.h"
#include "common/io/unique_fd.h"

namespace tributary {

// A record that has arrived completely. `bytes` are those that follow it and
// stay valid until the reader's next ReadFrom or Next.
struct IncomingRecord {
  Record record;
  absl::Span<const uint8_t> bytes;
};

// Turns the bytes that arrive on a non-blocking socket into records, whatever
// the pieces they arrive in. Holds at most one incomplete record beside what
// one read has brought. Not thread-safe: used on the thread of the stream's
// loop. Example:
//
//   switch (reader.ReadFrom(socket)) { ... }
//   while (true) {
//     ASSIGN_OR_RETURN(auto record, reader.Next());
//     if (!record.has_value()) break;
//     ...
//   }
class RecordReader {
 public:
  enum class ReadResult {
    kNothing,  // no byte has arrived; the loop reports when one does
    kEnded,    // the other end has closed its socket, or its process is dead
    kPart,     // bytes were read and more may be there
    kDrained,  // all bytes that had arrived were read
  };

  // `from_trainer` says which end sends the records, as in CheckRecord.
  explicit RecordReader(bool from_trainer) : from_trainer_(from_trainer) {}

  // Reads once from the socket, without waiting.
  ReadResult ReadFrom(int socket);

  // Returns the next complete record, or nullopt until more bytes are read.
  // Returns DATA_LOSS if the bytes are no valid record or descriptors arrive
  // that no record has taken; call DiscardAll then.
  absl::StatusOr<std::optional<IncomingRecord>> Next();

  // Returns the oldest descriptor not yet taken; invalid if there is none.
  // Descriptors arrive in the order of the records with has_fd.
  UniqueFd TakeFd();

  // Drops what has been read and everything that will be read, descriptors
  // too. ReadFrom still reports the socket's end.
  void DiscardAll();

 private:
  size_t buffered() const { return end_ - begin_; }
  void MakeRoom();
  void Drop();

  const bool from_trainer_;
  bool discards_all_ = false;
  std::vector<uint8_t> buffer_;  // [begin_, end_) is read and not yet parsed
  size_t begin_ = 0, end_ = 0;
  size_t incomplete_bytes_ = 0;  // the size of the record at begin_, if known
  std::deque<UniqueFd> fds_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_SHM_RECORD_READER_H_
