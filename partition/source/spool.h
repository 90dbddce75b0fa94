// Columns that had to be parsed, kept in the work folder of a run.
#ifndef TRIBUTARY_PARTITION_SOURCE_SPOOL_H_
#define TRIBUTARY_PARTITION_SOURCE_SPOOL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/io/file_writer.h"
#include "partition/source/graph_source.h"
#include "partition/source/input_progress.h"

namespace tributary {

// A part of the input, such as a file, that is going to be parsed into columns.
struct ParsedPart {
  std::string name;  // distinct; of a file its path
  int64_t size = 0;  // bytes that are read, for the progress
  // Bytes that its columns take at least: what is certain before it is read.
  uint64_t least_column_bytes = 0;
};

// A column that is being written. If it is destroyed before Finish, its file
// remains unfinished and the next Create of the name removes it. Move-only; not
// thread-safe.
class SpoolWriter {
 public:
  SpoolWriter(SpoolWriter&&) = default;

  // Appends rows: a multiple of the schema's row_bytes(). Buffers 1 MiB.
  absl::Status Append(absl::Span<const uint8_t> rows);
  template <typename T>
  absl::Status AppendValues(absl::Span<const T> values) {
    return Append({reinterpret_cast<const uint8_t*>(values.data()),
                   values.size() * sizeof(T)});
  }
  int64_t num_rows() const;
  // Closes the file and makes the column available to Find.
  absl::StatusOr<ColumnPtr> Finish();

 private:
  friend class Spool;
  SpoolWriter(std::string path, ColumnSchema schema, FileWriter file)
      : path_(std::move(path)), schema_(schema), file_(std::move(file)) {}
  absl::Status Flush();

  std::string path_;
  ColumnSchema schema_;
  FileWriter file_;
  std::vector<uint8_t> buffer_;
};

// The parsed columns of one run, by name, in a folder that outlives the process
// so that the same command goes on after a kill. Whoever makes the Spool
// removes a folder that another command or other input files have made.
// Thread-safe for different names.
class Spool {
 public:
  // Uses `folder`, which must exist. Readers report to `progress`, which may be
  // null and must outlive this.
  explicit Spool(std::string folder, InputProgress* progress = nullptr)
      : folder_(std::move(folder)), progress_(progress) {}

  const std::string& folder() const { return folder_; }
  InputProgress* progress() const { return progress_; }

  // Announces all that a reader is going to parse, before it parses any of it:
  // for the progress, and to check that the disk has room for the columns.
  // Columns of an earlier run count as room. RESOURCE_EXHAUSTED with the free
  // and the needed bytes.
  absl::Status Expect(absl::Span<const ParsedPart> parts) const;
  // Reports that the first `done` bytes of a part are parsed.
  void Advance(const std::string& part, int64_t done) const {
    if (progress_ != nullptr) progress_->Advance(part, done);
  }
  // Returns the column that an earlier run has finished, else null. `name` is a
  // file name without a slash.
  absl::StatusOr<ColumnPtr> Find(const std::string& name) const;
  absl::StatusOr<SpoolWriter> Create(const std::string& name,
                                     ColumnSchema schema) const;

 private:
  const std::string folder_;
  InputProgress* const progress_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SOURCE_SPOOL_H_
