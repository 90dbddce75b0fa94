#include "cli/parquet/parquet_file.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/properties.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/parquet/array_bytes.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/parquet/parquet_frames.h"

namespace tributary {
namespace {

// What is read ahead of all columns together, and at least of each.
constexpr int64_t kReadAhead = int64_t{64} << 20;
constexpr int64_t kLeastReadAhead = int64_t{64} << 10;

absl::Status FromArrow(const std::string& path, const arrow::Status& status) {
  if (status.ok()) return absl::OkStatus();
  if (status.IsOutOfMemory()) {
    return absl::ResourceExhaustedError(
        absl::StrCat(path, ": ", status.message()));
  }
  return absl::DataLossError(absl::StrCat(path, ": ", status.message()));
}

absl::Status WithPath(const std::string& path, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat(path, ": ", status.message()));
}

// Appends the indices of the columns that hold the values of a field.
void AddLeaves(const parquet::arrow::SchemaField& field,
               std::vector<int>& leaves) {
  if (field.is_leaf()) leaves.push_back(field.column_index);
  for (const auto& child : field.children) AddLeaves(child, leaves);
}

void AppendU32(uint32_t value, std::vector<uint8_t>& out) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
  out.insert(out.end(), bytes, bytes + sizeof(value));
}

// The columns of one batch that was read, as blocks.
class BatchBlocks {
 public:
  BatchBlocks(const arrow::RecordBatch& batch,
              const std::vector<ParquetColumn>& columns)
      : batch_(batch), columns_(columns), texts_(columns.size()) {}

  // Finds the texts. `first_row` is the batch's first row in the file.
  absl::Status Begin(int64_t first_row) {
    first_row_ = first_row;
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (!columns_[c].is_text) continue;
      if (const auto wrong = AppendTexts(*batch_.column(static_cast<int>(c)), 0,
                                         batch_.num_rows(), texts_[c])) {
        return InColumn(c, *wrong);
      }
      for (size_t i = 0; i < texts_[c].size(); ++i) {
        const size_t bytes = texts_[c][i].size();
        if (bytes <= kParquetMaxText) continue;
        return InColumn(c,
                        {static_cast<int64_t>(i),
                         absl::StrCat("a text of ", bytes,
                                      " bytes; allowed: ", kParquetMaxText)});
      }
    }
    return absl::OkStatus();
  }

  bool AtEnd() const { return next_ == batch_.num_rows(); }

  // Appends the next block.
  absl::Status AppendTo(std::vector<uint8_t>& out) {
    const int64_t begin = next_;
    size_t bytes = 0;
    do {
      for (const auto& texts : texts_) {
        if (!texts.empty()) bytes += texts[static_cast<size_t>(next_)].size();
      }
      ++next_;
    } while (!AtEnd() && bytes < kParquetBlockBytes);
    AppendU32(static_cast<uint32_t>(next_ - begin), out);
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].is_text) {
        AppendBytes(texts_[c], begin, out);
        continue;
      }
      if (const auto wrong = AppendValues(*batch_.column(static_cast<int>(c)),
                                          begin, next_, columns_[c], out)) {
        return InColumn(c, *wrong);
      }
    }
    return absl::OkStatus();
  }

 private:
  absl::Status InColumn(size_t c, const WrongRow& wrong) const {
    return absl::InvalidArgumentError(
        absl::StrCat("row ", first_row_ + wrong.row, ", column \"",
                     columns_[c].name, "\": ", wrong.what));
  }

  void AppendBytes(const std::vector<absl::string_view>& texts, int64_t begin,
                   std::vector<uint8_t>& out) const {
    for (int64_t i = begin; i < next_; ++i) {
      AppendU32(static_cast<uint32_t>(texts[static_cast<size_t>(i)].size()),
                out);
    }
    for (int64_t i = begin; i < next_; ++i) {
      const absl::string_view text = texts[static_cast<size_t>(i)];
      out.insert(out.end(), text.begin(), text.end());
    }
  }

  const arrow::RecordBatch& batch_;
  const std::vector<ParquetColumn>& columns_;
  std::vector<std::vector<absl::string_view>> texts_;  // by column and row
  int64_t first_row_ = 0;
  int64_t next_ = 0;
};

}  // namespace

struct ParquetFile::State {
  std::string path;
  std::unique_ptr<parquet::arrow::FileReader> reader;
  std::shared_ptr<arrow::Schema> schema;

  // Returns the rows of the columns with these indices.
  absl::StatusOr<std::unique_ptr<arrow::RecordBatchReader>> Batches(
      const std::vector<int>& columns, int64_t batch_rows) {
    std::vector<int> leaves;
    for (const int c : columns) {
      AddLeaves(reader->manifest().schema_fields[static_cast<size_t>(c)],
                leaves);
    }
    std::vector<int> groups(static_cast<size_t>(reader->num_row_groups()));
    std::iota(groups.begin(), groups.end(), 0);
    reader->set_batch_size(batch_rows);
    auto batches = reader->GetRecordBatchReader(groups, leaves);
    RETURN_IF_ERROR(FromArrow(path, batches.status()));
    return std::move(batches).ValueUnsafe();
  }
};

ParquetFile::ParquetFile(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
ParquetFile::ParquetFile(ParquetFile&&) noexcept = default;
ParquetFile::~ParquetFile() = default;

absl::StatusOr<ParquetFile> ParquetFile::Open(const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  const auto open = [&](int64_t buffer) {
    parquet::ReaderProperties properties = parquet::default_reader_properties();
    properties.enable_buffered_stream();
    properties.set_buffer_size(buffer);
    parquet::ArrowReaderProperties arrow_properties;
    arrow_properties.set_use_threads(false);
    arrow_properties.set_pre_buffer(false);
    parquet::arrow::FileReaderBuilder builder;
    RETURN_IF_ERROR(FromArrow(
        path, builder.OpenFile(path, /*memory_map=*/false, properties)));
    builder.properties(arrow_properties);
    RETURN_IF_ERROR(FromArrow(path, builder.Build(&state->reader)));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(open(kLeastReadAhead));
  const int leaves = state->reader->parquet_reader()->metadata()->num_columns();
  const int64_t share = kReadAhead / std::max(leaves, 1);
  RETURN_IF_ERROR(open(std::clamp(share, kLeastReadAhead, int64_t{1} << 20)));
  RETURN_IF_ERROR(FromArrow(path, state->reader->GetSchema(&state->schema)));
  return ParquetFile(std::move(state));
}

int64_t ParquetFile::num_rows() const {
  return state_->reader->parquet_reader()->metadata()->num_rows();
}

std::string ParquetFile::Metadata(const std::string& key) const {
  const auto metadata =
      state_->reader->parquet_reader()->metadata()->key_value_metadata();
  if (metadata == nullptr) return "";
  const auto value = metadata->Get(key);
  return value.ok() ? *value : "";
}

absl::StatusOr<int64_t> ParquetFile::ListLength(int column) const {
  if (num_rows() == 0) return -1;
  ASSIGN_OR_RETURN(const auto batches, state_->Batches({column}, 1));
  std::shared_ptr<arrow::RecordBatch> batch;
  RETURN_IF_ERROR(FromArrow(state_->path, batches->ReadNext(&batch)));
  if (batch == nullptr || batch->num_rows() == 0) return WrongRows(0);
  const arrow::Array& array = *batch->column(0);
  if (array.type_id() == arrow::Type::LARGE_LIST) {
    return static_cast<const arrow::LargeListArray&>(array).value_length(0);
  }
  return static_cast<const arrow::ListArray&>(array).value_length(0);
}

absl::StatusOr<std::vector<ParquetColumn>> ParquetFile::Columns() const {
  std::vector<ParquetColumn> columns;
  for (int c = 0; c < state_->schema->num_fields(); ++c) {
    const auto& field = state_->schema->field(c);
    auto column = ColumnFor(field->name(), *field->type());
    if (!column.ok()) return WithPath(state_->path, column.status());
    if (column->schema.dim < 0) {
      ASSIGN_OR_RETURN(column->schema.dim, ListLength(c));
    }
    if (column->schema.dim == 0 && IsList(*field->type())) {
      return absl::InvalidArgumentError(absl::StrCat(
          state_->path, ": column \"", column->name,
          "\", row 0: a list without values; allowed: one value or more"));
    }
    columns.push_back(*std::move(column));
  }
  return columns;
}

absl::Status ParquetFile::ForEachBlock(
    const std::vector<int>& columns,
    absl::FunctionRef<absl::Status(absl::Span<const uint8_t>)> write) const {
  ASSIGN_OR_RETURN(const std::vector<ParquetColumn> all, Columns());
  std::vector<ParquetColumn> chosen;
  size_t row_bytes = 1;
  for (const int c : columns) {
    if (c < 0 || static_cast<size_t>(c) >= all.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          state_->path, " has ", all.size(), " columns, and no column ", c));
    }
    chosen.push_back(all[static_cast<size_t>(c)]);
    row_bytes += chosen.back().is_text ? 16 : chosen.back().row_bytes();
  }
  const auto batch_rows = static_cast<int64_t>(
      std::clamp<size_t>(kParquetBlockBytes / row_bytes, 1, kParquetBlockRows));
  ASSIGN_OR_RETURN(const auto batches, state_->Batches(columns, batch_rows));
  std::vector<uint8_t> block;
  int64_t first_row = 0;
  for (;;) {
    std::shared_ptr<arrow::RecordBatch> batch;
    RETURN_IF_ERROR(FromArrow(state_->path, batches->ReadNext(&batch)));
    if (batch == nullptr) break;
    if (batch->num_rows() == 0) continue;
    if (batch->num_rows() > num_rows() - first_row) {
      return WrongRows(first_row + batch->num_rows());
    }
    BatchBlocks blocks(*batch, chosen);
    RETURN_IF_ERROR(WithPath(state_->path, blocks.Begin(first_row)));
    while (!blocks.AtEnd()) {
      block.clear();
      RETURN_IF_ERROR(WithPath(state_->path, blocks.AppendTo(block)));
      RETURN_IF_ERROR(write(block));
    }
    first_row += batch->num_rows();
  }
  return first_row == num_rows() ? absl::OkStatus() : WrongRows(first_row);
}

absl::Status ParquetFile::WrongRows(int64_t read) const {
  return absl::DataLossError(
      absl::StrCat(state_->path, ": damaged: its footer says ", num_rows(),
                   " rows, and its row groups have ", read,
                   read > num_rows() ? " or more" : ""));
}

}  // namespace tributary
