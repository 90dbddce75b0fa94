// Collects the values of a spooled column.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_CSV_SPOOLED_VALUES_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_CSV_SPOOLED_VALUES_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/text/status.h"
#include "partition/source/spool.h"

namespace tributary {

// Appends values one by one to a column of a spool, and passes them on in
// blocks, so that a value costs little. Not thread-safe.
template <typename T>
class SpooledValues {
 public:
  // `spool` must outlive this.
  SpooledValues(const Spool& spool, std::string name)
      : spool_(spool), name_(std::move(name)) {}

  bool begun() const { return writer_.has_value(); }
  // `finished`: what an earlier run has left of the column, which is kept, and
  // the values are not written again; null: nothing.
  absl::Status Begin(ColumnSchema schema, ColumnPtr finished = nullptr) {
    finished_ = std::move(finished);
    if (finished_ != nullptr) return absl::OkStatus();
    ASSIGN_OR_RETURN(SpoolWriter writer, spool_.Create(name_, schema));
    writer_.emplace(std::move(writer));
    return absl::OkStatus();
  }
  void Add(T value) {
    if (finished_ == nullptr) values_.push_back(value);
  }
  // Call after the last value of a row. Requires Begin().
  absl::Status EndRow() {
    return values_.size() < kBlock ? absl::OkStatus() : Flush();
  }
  absl::StatusOr<ColumnPtr> Finish() {
    if (finished_ != nullptr) return finished_;
    RETURN_IF_ERROR(Flush());
    return writer_->Finish();
  }

 private:
  static constexpr size_t kBlock = 16384;

  absl::Status Flush() {
    RETURN_IF_ERROR(writer_->AppendValues(absl::Span<const T>(values_)));
    values_.clear();
    return absl::OkStatus();
  }

  const Spool& spool_;
  const std::string name_;
  std::optional<SpoolWriter> writer_;
  ColumnPtr finished_;
  std::vector<T> values_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_CSV_SPOOLED_VALUES_H_
