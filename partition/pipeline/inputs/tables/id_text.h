// Ids of nodes as the user writes them, in a column of the spool.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_ID_TEXT_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_ID_TEXT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "partition/source/graph_source.h"
#include "partition/source/spool.h"

namespace tributary {

// The longest id in bytes.
inline constexpr size_t kMaxIdBytes = 4096;

// Returns the value of an id that is a whole number as programs write it: "7"
// and "-7", but neither "07" nor "+7" nor " 7". Such a text can be made of the
// value again.
std::optional<int64_t> ParseNumberId(absl::string_view text);

// INVALID_ARGUMENT, without a place, for an id that is empty, longer than
// kMaxIdBytes or has control characters.
absl::Status CheckIdText(absl::string_view text);

// Texts are spooled as uint8: each has its length in two bytes, the lower one
// first, and its bytes.
absl::Status AppendIdText(absl::string_view text, SpoolWriter& writer);

// Reads the ids of a column one after another: texts as above, or int64, which
// are read as their decimal texts. Not thread-safe; holds 256 KiB.
class IdTextReader {
 public:
  // `column` must outlive this and be uint8 or int64 of one value per row.
  explicit IdTextReader(const Column& column) : column_(column) {}

  // Reads the next id, valid until the next call. Returns false at the end or
  // after an error; see status().
  bool Next(absl::string_view* text);
  const absl::Status& status() const { return status_; }
  // Returns how many rows of the column have been read, in blocks ahead of
  // Next.
  int64_t rows_read() const { return next_row_; }

 private:
  bool Fill(size_t wanted);
  bool NextNumber(absl::string_view* text);

  const Column& column_;
  int64_t next_row_ = 0;
  std::vector<uint8_t> buffer_;
  size_t begin_ = 0;
  std::array<char, 24> digits_{};
  absl::Status status_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_ID_TEXT_H_
