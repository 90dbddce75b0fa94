#include "cli/parquet/testing/parquet_writer.h"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <parquet/arrow/writer.h>

#include <memory>
#include <type_traits>
#include <utility>

namespace tributary {
namespace {

using Made = arrow::Result<std::shared_ptr<arrow::Array>>;

template <typename Builder, typename Values>
Made Build(const Values& values) {
  Builder builder;
  for (const auto& value : values) ARROW_RETURN_NOT_OK(builder.Append(value));
  return builder.Finish();
}

template <typename Builder, typename Values>
Made BuildWithNulls(const Values& values) {
  Builder builder;
  for (const auto& value : values) {
    ARROW_RETURN_NOT_OK(value.has_value() ? builder.Append(*value)
                                          : builder.AppendNull());
  }
  return builder.Finish();
}

Made BuildLists(const std::vector<std::vector<float>>& lists, bool fixed) {
  auto values = std::make_shared<arrow::FloatBuilder>();
  arrow::ListBuilder any(arrow::default_memory_pool(), values);
  arrow::FixedSizeListBuilder same(
      arrow::default_memory_pool(), values,
      lists.empty() ? 1 : static_cast<int32_t>(lists[0].size()));
  for (const auto& list : lists) {
    ARROW_RETURN_NOT_OK(fixed ? same.Append() : any.Append());
    ARROW_RETURN_NOT_OK(values->AppendValues(list));
  }
  return fixed ? same.Finish() : any.Finish();
}

struct ArrayOf {
  const ParquetFileOptions& options;

  Made operator()(const std::vector<int64_t>& v) const {
    return Build<arrow::Int64Builder>(v);
  }
  Made operator()(const std::vector<int32_t>& v) const {
    return Build<arrow::Int32Builder>(v);
  }
  Made operator()(const std::vector<uint16_t>& v) const {
    return Build<arrow::UInt16Builder>(v);
  }
  Made operator()(const std::vector<uint64_t>& v) const {
    return Build<arrow::UInt64Builder>(v);
  }
  Made operator()(const std::vector<uint8_t>& v) const {
    return Build<arrow::UInt8Builder>(v);
  }
  Made operator()(const std::vector<bool>& v) const {
    return Build<arrow::BooleanBuilder>(v);
  }
  Made operator()(const std::vector<float>& v) const {
    return Build<arrow::FloatBuilder>(v);
  }
  Made operator()(const std::vector<double>& v) const {
    return Build<arrow::DoubleBuilder>(v);
  }
  Made operator()(const std::vector<std::string>& v) const {
    return options.dictionary_texts ? Build<arrow::StringDictionaryBuilder>(v)
                                    : Build<arrow::StringBuilder>(v);
  }
  Made operator()(const MaybeValues<int64_t>& v) const {
    return BuildWithNulls<arrow::Int64Builder>(v);
  }
  Made operator()(const MaybeValues<float>& v) const {
    return BuildWithNulls<arrow::FloatBuilder>(v);
  }
  Made operator()(const std::vector<std::vector<float>>& v) const {
    return BuildLists(v, options.fixed_lists);
  }
};

arrow::Status Write(const std::string& path,
                    const std::vector<WrittenColumn>& columns,
                    const ParquetFileOptions& options) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const WrittenColumn& column : columns) {
    ARROW_ASSIGN_OR_RAISE(auto array,
                          std::visit(ArrayOf{options}, column.values));
    fields.push_back(arrow::field(column.name, array->type()));
    arrays.push_back(std::move(array));
  }
  std::shared_ptr<arrow::KeyValueMetadata> metadata;
  if (!options.shape.empty()) {
    metadata = arrow::key_value_metadata({{"shape", options.shape}});
  }
  const auto table =
      arrow::Table::Make(arrow::schema(fields, metadata), arrays);
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::FileOutputStream::Open(path));
  // Keeps Arrow's types, as pyarrow does.
  ARROW_RETURN_NOT_OK(parquet::arrow::WriteTable(
      *table, arrow::default_memory_pool(), file, options.row_group,
      parquet::default_writer_properties(),
      parquet::ArrowWriterProperties::Builder().store_schema()->build()));
  return file->Close();
}

}  // namespace

absl::Status WriteParquet(const std::string& path,
                          const std::vector<WrittenColumn>& columns,
                          const ParquetFileOptions& options) {
  const arrow::Status status = Write(path, columns, options);
  return status.ok() ? absl::OkStatus() : absl::InternalError(status.message());
}

}  // namespace tributary
