#include "trainer_client/tensors/snapshot_files.h"

#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/tensor/dtype.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"

namespace tributary {
namespace {

using Json = nlohmann::json;

constexpr int kFormat = 1;
constexpr uint64_t kMaxRows = uint64_t{1} << 48;
constexpr uint64_t kMaxRowBytes = uint64_t{1} << 20;
constexpr const char* kInitials[] = {"zeros", "ones", "uniform", "normal",
                                     "xavier_uniform"};
constexpr const char* kOptimizers[] = {"none", "sgd", "adagrad", "adam"};

// Reads members of JSON objects; keeps the first error.
class Reader {
 public:
  const Json& Object(const Json& from, const char* key) {
    static const Json kEmpty = Json::object();
    const Json* found = Find(from, key);
    if (found != nullptr && found->is_object()) return *found;
    return Bad(key), kEmpty;
  }
  const Json& List(const Json& from, const char* key) {
    static const Json kEmpty = Json::array();
    const Json* found = Find(from, key);
    if (found != nullptr && found->is_array()) return *found;
    return Bad(key), kEmpty;
  }
  uint64_t Number(const Json& from, const char* key, uint64_t most) {
    const Json* found = Find(from, key);
    if (found == nullptr || !found->is_number_unsigned() ||
        found->get<uint64_t>() > most) {
      return Bad(key), 0;
    }
    return found->get<uint64_t>();
  }
  double Real(const Json& from, const char* key) {
    const Json* found = Find(from, key);
    if (found == nullptr || !found->is_number()) return Bad(key), 0;
    return found->get<double>();
  }
  std::string Text(const Json& from, const char* key) {
    const Json* found = Find(from, key);
    if (found == nullptr || !found->is_string()) return Bad(key), "";
    return found->get<std::string>();
  }
  bool Flag(const Json& from, const char* key) {
    const Json* found = Find(from, key);
    if (found == nullptr || !found->is_boolean()) return Bad(key), false;
    return found->get<bool>();
  }
  // Returns the index of the text in `names`.
  template <size_t N>
  int OneOf(const Json& from, const char* key, const char* const (&names)[N]) {
    const std::string text = Text(from, key);
    for (size_t i = 0; i < N; ++i) {
      if (text == names[i]) return static_cast<int>(i);
    }
    return Bad(key), 0;
  }
  void Bad(absl::string_view key) {
    if (!status_.ok()) return;
    status_ = absl::DataLossError(
        absl::StrCat("tensors.json: '", key, "' is missing or wrong"));
  }
  const absl::Status& status() const { return status_; }

 private:
  static const Json* Find(const Json& from, const char* key) {
    if (!from.is_object()) return nullptr;
    const auto found = from.find(key);
    return found == from.end() ? nullptr : &*found;
  }
  absl::Status status_;
};

Json ToJson(const SnapshotTensor& tensor) {
  const v1::TensorSpec& spec = tensor.spec;
  const DType dtype = static_cast<DType>(spec.dtype());
  Json json = {
      {"name", spec.name()},
      {"num_rows", spec.num_rows()},
      {"dim", spec.dim()},
      {"dtype", std::string(DTypeName(dtype))},
      {"initial",
       {{"kind", kInitials[spec.initial().kind()]},
        {"low", spec.initial().low()},
        {"high", spec.initial().high()},
        {"random_seed", spec.initial().random_seed()}}},
      {"policy", spec.policy()},
      {"persistent", spec.persistent()},
      {"optimizer", kOptimizers[tensor.optimizer]},
      {"written_rows", tensor.written_rows},
      {"files", Json::array()},
  };
  for (const SnapshotFile& file : tensor.files) {
    json["files"].push_back(
        {{"name", file.name}, {"bytes", file.bytes}, {"crc32c", file.crc32c}});
  }
  return json;
}

v1::TensorSpec ReadSpec(Reader& reader, const Json& json) {
  v1::TensorSpec spec;
  spec.set_name(reader.Text(json, "name"));
  spec.set_num_rows(reader.Number(json, "num_rows", kMaxRows));
  spec.set_dim(static_cast<uint32_t>(reader.Number(json, "dim", kMaxRowBytes)));
  const auto dtype = DTypeFromName(reader.Text(json, "dtype"));
  if (!dtype.ok()) reader.Bad("dtype");
  spec.set_dtype(static_cast<uint32_t>(dtype.value_or(DType::kFloat32)));
  const Json& initial = reader.Object(json, "initial");
  v1::InitialValue& value = *spec.mutable_initial();
  value.set_kind(
      static_cast<v1::InitialKind>(reader.OneOf(initial, "kind", kInitials)));
  value.set_low(reader.Real(initial, "low"));
  value.set_high(reader.Real(initial, "high"));
  value.set_random_seed(reader.Number(initial, "random_seed", UINT64_MAX));
  spec.set_policy(reader.Text(json, "policy"));
  spec.set_persistent(reader.Flag(json, "persistent"));
  return spec;
}

// A name that stays in the folder.
bool IsPlainName(const std::string& name) {
  return !name.empty() && name[0] != '.' &&
         name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

absl::Status ReadFiles(Reader& reader, const Json& json,
                       SnapshotTensor* tensor) {
  ASSIGN_OR_RETURN(const auto columns,
                   SnapshotColumnsOf(tensor->spec, tensor->optimizer));
  const Json& files = reader.List(json, "files");
  if (files.size() != columns.size()) reader.Bad("files");
  RETURN_IF_ERROR(reader.status());
  for (size_t c = 0; c < columns.size(); ++c) {
    SnapshotFile file;
    file.name = reader.Text(files[c], "name");
    file.bytes = reader.Number(files[c], "bytes", INT64_MAX);
    file.crc32c =
        static_cast<uint32_t>(reader.Number(files[c], "crc32c", UINT32_MAX));
    if (!IsPlainName(file.name)) reader.Bad("name");
    const uint64_t wanted =
        ColumnHeader(columns[c], tensor->written_rows).size() +
        tensor->written_rows * columns[c].row_bytes();
    if (file.bytes != wanted) reader.Bad("bytes");
    tensor->files.push_back(std::move(file));
  }
  return reader.status();
}

absl::StatusOr<SnapshotTensor> ReadTensor(const Json& json) {
  Reader reader;
  SnapshotTensor tensor;
  tensor.spec = ReadSpec(reader, json);
  tensor.optimizer = static_cast<v1::SparseOptimizer>(
      reader.OneOf(json, "optimizer", kOptimizers));
  // Also keeps the size of every file within 64 bits.
  tensor.written_rows = reader.Number(
      json, "written_rows", std::min(tensor.spec.num_rows(), kMaxRows / 1024));
  RETURN_IF_ERROR(reader.status());
  RETURN_IF_ERROR(ReadFiles(reader, json, &tensor));
  return tensor;
}

}  // namespace

size_t SnapshotColumn::row_bytes() const {
  size_t bytes = type.size;
  for (const int64_t extent : row_shape) bytes *= static_cast<size_t>(extent);
  return bytes;
}

absl::StatusOr<std::vector<SnapshotColumn>> SnapshotColumnsOf(
    const v1::TensorSpec& spec, v1::SparseOptimizer optimizer) {
  ASSIGN_OR_RETURN(const DType dtype, DTypeFromCode(spec.dtype()));
  std::vector<int64_t> shape;
  if (spec.dim() > 0) shape.push_back(spec.dim());
  const NpyType float32 = NpyTypeOf(DType::kFloat32);
  std::vector<SnapshotColumn> columns = {{"rows", kNpyInt64, {}},
                                         {"values", NpyTypeOf(dtype), shape}};
  if (optimizer == v1::SPARSE_ADAGRAD) {
    columns.push_back({"sum", float32, shape});
  }
  if (optimizer == v1::SPARSE_ADAM) {
    columns.push_back({"moment1", float32, shape});
    columns.push_back({"moment2", float32, shape});
    columns.push_back({"steps", kNpyUint64, {}});
  }
  return columns;
}

std::string ColumnHeader(const SnapshotColumn& column, uint64_t rows) {
  std::vector<int64_t> shape = {static_cast<int64_t>(rows)};
  shape.insert(shape.end(), column.row_shape.begin(), column.row_shape.end());
  return FormatNpyHeader(column.type, shape);
}

std::string ToJson(const SnapshotList& list) {
  Json json = {
      {"format", kFormat}, {"rounds", list.rounds}, {"tensors", Json::array()}};
  for (const SnapshotTensor& tensor : list.tensors) {
    json["tensors"].push_back(ToJson(tensor));
  }
  return json.dump(1) + "\n";
}

absl::StatusOr<SnapshotList> ParseSnapshotList(absl::string_view text) {
  const Json json = Json::parse(text.begin(), text.end(), nullptr,
                                /*allow_exceptions=*/false);
  Reader reader;
  if (reader.Number(json, "format", UINT32_MAX) != kFormat) {
    reader.Bad("format");
  }
  SnapshotList list;
  list.rounds = reader.Number(json, "rounds", UINT32_MAX);
  const Json& tensors = reader.List(json, "tensors");
  RETURN_IF_ERROR(reader.status());
  std::set<std::string> names;
  for (const Json& one : tensors) {
    ASSIGN_OR_RETURN(SnapshotTensor tensor, ReadTensor(one));
    if (!names.insert(tensor.spec.name()).second) reader.Bad("name");
    list.tensors.push_back(std::move(tensor));
  }
  RETURN_IF_ERROR(reader.status());
  return list;
}

}  // namespace tributary
