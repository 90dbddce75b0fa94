#include "cli/sample/ext_ids.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cli/command/command.h"
#include "common/text/status.h"
#include "partition/format/graph_json.h"
#include "partition/pipeline/inputs/text/line_reader.h"
#include "partition/pipeline/inputs/text/number_text.h"

namespace tributary {
namespace {

template <typename T>
void AddTensor(std::string name, DType dtype, const std::vector<T>& values,
               ExtTensors& to) {
  std::vector<uint8_t>& bytes =
      to.bytes.emplace_back(values.size() * sizeof(T));
  if (!values.empty()) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
  }
  to.views.push_back({std::move(name),
                      dtype,
                      {static_cast<int64_t>(values.size())},
                      absl::MakeConstSpan(bytes)});
}

}  // namespace

absl::StatusOr<ExtIds> ExtIds::Open(const std::string& graph_folder) {
  ExtIds ids;
  ASSIGN_OR_RETURN(ids.schema_, ReadGraphJson(graph_folder));
  for (const NodeTypeSchema& type : ids.schema_.node_types) {
    ASSIGN_OR_RETURN(std::optional<ExternalIds> of_type,
                     ExternalIds::Open(graph_folder, ids.schema_, type.name));
    if (of_type.has_value()) {
      ids.of_type_.emplace(type.name, *std::move(of_type));
    }
  }
  return ids;
}

absl::StatusOr<int64_t> ExtIds::Find(const std::string& type,
                                     absl::string_view id) const {
  const auto at = of_type_.find(type);
  if (at != of_type_.end()) return at->second.Find(id);
  const auto number = ParseId(id);
  if (number.has_value()) return *number;
  return absl::NotFoundError(absl::StrCat("\"", id, "\" is no id of ", type,
                                          ", whose ids are numbers from 0"));
}

// Types and ids may contain colons: the longest type that fits wins.
std::string ExtIds::TypeBefore(absl::string_view text) const {
  std::string found;
  for (const NodeTypeSchema& type : schema_.node_types) {
    if (type.name.size() > found.size() &&
        absl::StartsWith(text, type.name + ":")) {
      found = type.name;
    }
  }
  return found;
}

absl::StatusOr<ExtInputs> ExtIds::ReadInputs(absl::string_view text) const {
  ExtInputs inputs;
  std::string type = "node";
  if (schema_.heterogeneous) {
    type = TypeBefore(text);
    if (type.empty()) {
      return UsageError(absl::StrCat("--input-ext-ids \"", text,
                                     "\"\nallowed: TYPE:ID,ID or TYPE:@FILE, "
                                     "as the graph has types"));
    }
    inputs.type = type;
    text.remove_prefix(type.size() + 1);
  }
  if (absl::ConsumePrefix(&text, "@")) {
    ASSIGN_OR_RETURN(LineReader in, LineReader::Open(std::string(text)));
    absl::string_view line;
    while (in.Next(&line)) {
      const auto node = Find(type, line);
      if (absl::IsNotFound(node.status())) {
        return absl::NotFoundError(absl::StrCat(
            text, " line ", in.line_number(), ": ", node.status().message()));
      }
      RETURN_IF_ERROR(node.status());
      inputs.nodes.push_back(*node);
    }
    RETURN_IF_ERROR(in.status());
  } else {
    for (absl::string_view id : absl::StrSplit(text, ',')) {
      ASSIGN_OR_RETURN(const int64_t node, Find(type, id));
      inputs.nodes.push_back(node);
    }
  }
  return inputs;
}

absl::Status ExtIds::AppendIds(const std::string& type,
                               const std::string& suffix,
                               const TensorView& n_id, ExtTensors& to) const {
  const absl::Span<const int64_t> nodes = n_id.As<int64_t>();
  const auto at = of_type_.find(type);
  if (at == of_type_.end() || at->second.is_numbers()) {
    std::vector<int64_t> numbers(nodes.begin(), nodes.end());
    for (int64_t& number : numbers) {
      if (at == of_type_.end()) break;
      if (number < 0 || number >= at->second.num_nodes()) {
        return absl::DataLossError(
            absl::StrCat(number, " in n_id is no node of ", type));
      }
      number = at->second.numbers()[number];
    }
    AddTensor("ext_id" + suffix, DType::kInt64, numbers, to);
    return absl::OkStatus();
  }
  std::vector<int64_t> offsets(1, 0);
  std::vector<char> bytes;
  for (int64_t node : nodes) {
    ASSIGN_OR_RETURN(const std::string text, at->second.IdOf(node));
    bytes.insert(bytes.end(), text.begin(), text.end());
    offsets.push_back(static_cast<int64_t>(bytes.size()));
  }
  AddTensor("ext_id_bytes" + suffix, DType::kUint8, bytes, to);
  AddTensor("ext_id_offsets" + suffix, DType::kInt64, offsets, to);
  return absl::OkStatus();
}

absl::StatusOr<ExtTensors> ExtIds::TensorsOf(
    absl::Span<const TensorView> batch) const {
  ExtTensors tensors;
  for (const TensorView& tensor : batch) {
    absl::string_view rest = tensor.name;
    if (!absl::ConsumePrefix(&rest, "n_id")) continue;
    if (!rest.empty() && rest[0] != '/') continue;
    const std::string suffix(rest);
    RETURN_IF_ERROR(AppendIds(suffix.empty() ? "node" : suffix.substr(1),
                              suffix, tensor, tensors));
  }
  return tensors;
}

}  // namespace tributary
