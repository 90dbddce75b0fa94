// Rows of features that are in files, as the engine sees them.
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

// As GatherRows has them.
inline RowPlaces PlacesOf(const RowForm& form, absl::Span<const uint64_t> rows,
                          absl::Span<const uint32_t> to, uint8_t* out,
                          uint8_t* scales) {
  return {rows,       to,
          out,        form.convert,
          form.width, form.row_bytes,
          scales,     form.scale_bytes()};
}

struct RowRead {
  const RowFile* file = nullptr;
  RowPlaces places;  // rows below file->num_rows()
  // Keeps what `places` points to.
  std::shared_ptr<const void> hold;
  absl::Time deadline;
  CancelToken cancel;
};

// Reads rows straight to their places without a thread of the caller's, which
// goes on when `done` runs: once, on `strand`, never inside the call. By then
// nobody writes into the places any more, and `hold` is let go of; also after a
// cancel (CANCELLED) and past the deadline (DEADLINE_EXCEEDED), which a read
// that the disk does not answer makes wait. Other errors: as RowFile::Read.
// Thread-safe.
class RowReader {
 public:
  using Done = absl::AnyInvocable<void(absl::Status)>;

  virtual ~RowReader() = default;
  virtual void Read(RowRead read, std::shared_ptr<Strand> strand,
                    Done done) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_ROW_READER_H_
