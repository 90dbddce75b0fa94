#include "trainer_client/tensors/snapshot_files.h"

#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/json/json_object.h"
#include "common/tensor/dtype.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "nlohmann/json.hpp"

namespace tributary {
namespace {

using Json = nlohmann::json;

constexpr int kFormat = 1;
constexpr uint64_t kMaxRows = uint64_t{1} << 48;
constexpr uint64_t kMaxRowBytes = uint64_t{1} << 20;
constexpr char kSnapshotJson[] = "tensors.json";
const std::vector<std::string> kInitials = {"zeros", "ones", "uniform",
                                            "normal", "xavier_uniform"};
const std::vector<std::string> kOptimizers = {"none", "sgd", "adagrad", "adam"};

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

v1::TensorSpec ReadSpec(JsonObject& in) {
  v1::TensorSpec spec;
  spec.set_name(in.Text("name"));
  spec.set_num_rows(in.Whole("num_rows", kMaxRows));
  spec.set_dim(static_cast<uint32_t>(in.Whole("dim", kMaxRowBytes)));
  const auto dtype = DTypeFromName(in.Text("dtype"));
  if (!dtype.ok()) in.FailWith(dtype.status().message());
  spec.set_dtype(static_cast<uint32_t>(dtype.value_or(DType::kFloat32)));
  JsonObject initial = in.Object("initial");
  v1::InitialValue& value = *spec.mutable_initial();
  value.set_kind(
      static_cast<v1::InitialKind>(initial.OneOf("kind", kInitials)));
  value.set_low(initial.Real("low"));
  value.set_high(initial.Real("high"));
  value.set_random_seed(initial.Whole("random_seed"));
  initial.RefuseOthers();
  spec.set_policy(in.Text("policy"));
  spec.set_persistent(in.Bool("persistent"));
  return spec;
}

// A name that stays in the folder.
bool IsPlainName(const std::string& name) {
  return !name.empty() && name[0] != '.' &&
         name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

SnapshotFile ReadFile(JsonObject& in) {
  SnapshotFile file;
  file.name = in.Text("name");
  file.bytes = in.Whole("bytes", INT64_MAX);
  file.crc32c = static_cast<uint32_t>(in.Whole("crc32c", UINT32_MAX));
  if (!IsPlainName(file.name)) in.Fail("name", "is no name of a file");
  return file;
}

// Checks that the files are those of the tensor's columns, of their sizes.
absl::Status CheckFiles(const SnapshotTensor& tensor) {
  ASSIGN_OR_RETURN(const auto columns,
                   SnapshotColumnsOf(tensor.spec, tensor.optimizer));
  bool right = columns.size() == tensor.files.size();
  for (size_t c = 0; right && c < columns.size(); ++c) {
    const uint64_t wanted =
        ColumnHeader(columns[c], tensor.written_rows).size() +
        tensor.written_rows * columns[c].row_bytes();
    right = tensor.files[c].bytes == wanted;
  }
  if (right) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      kSnapshotJson, ": the files of ", TerminalLine(tensor.spec.name()),
      " are not those of its columns, or their bytes are wrong"));
}

SnapshotTensor ReadTensor(JsonObject& in) {
  SnapshotTensor tensor;
  tensor.spec = ReadSpec(in);
  tensor.optimizer =
      static_cast<v1::SparseOptimizer>(in.OneOf("optimizer", kOptimizers));
  // Also keeps the size of every file within 64 bits.
  tensor.written_rows = in.Whole(
      "written_rows", std::min(tensor.spec.num_rows(), kMaxRows / 1024));
  tensor.files = in.List("files", ReadFile);
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
  constexpr absl::StatusCode kCode = absl::StatusCode::kDataLoss;
  ASSIGN_OR_RETURN(const Json json, ParseJson(text, kSnapshotJson, kCode));
  JsonObject in(json, kSnapshotJson, {.code = kCode, .unknown_code = kCode});
  if (in.Whole("format") != kFormat) in.Fail("format", "is not 1");
  SnapshotList list;
  list.rounds = in.Whole("rounds", UINT32_MAX);
  list.tensors = in.List("tensors", ReadTensor);
  in.RefuseOthers();
  RETURN_IF_ERROR(in.status());
  std::set<std::string> names;
  for (const SnapshotTensor& tensor : list.tensors) {
    if (!names.insert(tensor.spec.name()).second) {
      return absl::DataLossError(
          absl::StrCat(kSnapshotJson, ": two tensors are called ",
                       TerminalLine(tensor.spec.name())));
    }
    RETURN_IF_ERROR(CheckFiles(tensor));
  }
  return list;
}

}  // namespace tributary
