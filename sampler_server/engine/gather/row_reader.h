// The engine's interface to rows of features that are stored in files.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_ROW_READER_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_ROW_READER_H_

#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/runtime/cancel_token.h"
#include "common/runtime/executor.h"
#include "partition/format/row_file.h"
#include "sampler_server/engine/gather/gather.h"

namespace tributary {

// Returns the places of rows as GatherRows takes them.
inline RowPlaces PlacesOf(const RowForm& form, absl::Span<const uint64_t> rows,
                          absl::Span<const uint32_t> to, uint8_t* out,
                          uint8_t* scales) {
  return {rows,       to,
          out,        form.convert,
          form.width, form.row_bytes,
          scales,     form.scale_bytes()};
}

// One request of a RowReader.
struct RowRead {
  const RowFile* file = nullptr;
  RowPlaces places;  // rows below file->num_rows()
  // Keeps the memory alive that `places` points to.
  std::shared_ptr<const void> hold;
  absl::Time deadline;
  CancelToken cancel;
};

// Reads rows straight to their places, on threads of its own. Thread-safe.
class RowReader {
 public:
  using Done = absl::AnyInvocable<void(absl::Status)>;

  virtual ~RowReader() = default;
  // Runs `done` once, on `strand`, never inside the call. When it runs, nobody
  // writes into the places any more and `hold` has been released; that is so
  // after a cancel (CANCELLED) and past the deadline (DEADLINE_EXCEEDED) too,
  // which a read that the disk does not answer delays. Other errors as
  // RowFile::Read.
  virtual void Read(RowRead read, std::shared_ptr<Strand> strand,
                    Done done) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_ROW_READER_H_
