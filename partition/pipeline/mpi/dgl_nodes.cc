#include "partition/pipeline/mpi/dgl_nodes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/mpi/dgl_line.h"
#include "partition/schema/schema_check.h"

namespace tributary {

absl::StatusOr<bool> DglNodeLines::Fill(
    int count, std::vector<std::vector<WeightOfRow>>& out) {
  for (int i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const auto line, lines_.Next());
    if (!line.has_value()) return false;
    RETURN_IF_ERROR(Take(*line, out));
    ++row_;
  }
  return true;
}

std::vector<DglTypeSeen> DglNodeLines::seen() const {
  std::vector<DglTypeSeen> types;
  for (const auto& [type, seen] : seen_) types.push_back(seen);
  return types;
}

absl::Status DglNodeLines::LineError(absl::string_view why) const {
  return absl::InvalidArgumentError(
      absl::StrCat(lines_.Where(), ": ", why, "; allowed: TYPE, ",
                   files_.num_weights, " weights, ID"));
}

absl::Status DglNodeLines::Take(absl::string_view line,
                                std::vector<std::vector<WeightOfRow>>& out) {
  const auto type = NextNumber(line, 0, kMaxPartitions - 1);
  if (!type) return LineError("no type number");
  int64_t taken = 0;
  for (int i = 0; i < files_.num_weights; ++i) {
    const auto weight = NextNumber(line, 0, INT32_MAX);
    if (!weight) return LineError("a weight is no number of 0 to 2147483647");
    if (weight_ == i) taken = *weight;
  }
  const auto id = NextNumber(line, 0, files_.num_nodes - 1);
  if (!id) return LineError("no node's id");
  DglTypeSeen& seen =
      seen_.try_emplace(*type, DglTypeSeen{*type, row_, row_, 0, row_ - *id})
          .first->second;
  if (row_ - *id != seen.begin) {
    return LineError(absl::StrCat("id ", *id, " follows another than ", *id - 1,
                                  " of type ", *type));
  }
  seen.last = row_;
  ++seen.count;
  if (weight_.has_value()) {
    out[shares_.Rank(row_)].push_back({shares_.Row(row_), taken});
  }
  return absl::OkStatus();
}

absl::StatusOr<NodeTypes> MergeDglTypes(const DglFiles& files,
                                        absl::Span<const DglTypeSeen> seen) {
  std::map<int64_t, DglTypeSeen> types;
  for (const DglTypeSeen& part : seen) {
    const auto [at, fresh] = types.try_emplace(part.type, part);
    if (fresh) continue;
    DglTypeSeen& type = at->second;
    type.last = std::max(type.last, part.last);
    type.count += part.count;
    if (type.begin != part.begin) type.begin = -1;  // no type's
  }
  if (!files.type_names.empty() && files.type_names.size() != types.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(files.prefix, ".json has ", files.type_names.size(),
                     " node types; the nodes are of ", types.size()));
  }
  NodeTypes result;
  for (const auto& [type, merged] : types) {
    const auto number = static_cast<int64_t>(result.size());
    if (type != number || merged.begin != result.starts.back() ||
        merged.first != merged.begin ||
        merged.last - merged.first + 1 != merged.count) {
      return absl::InvalidArgumentError(absl::StrCat(
          files.prefix, ": the nodes of type ", type, " are not together, ",
          "after those of lower types, with ids that ascend from 0"));
    }
    result.names.push_back(!files.type_names.empty() ? files.type_names[number]
                           : types.size() == 1       ? "node"
                                                     : absl::StrCat(type));
    result.starts.push_back(merged.begin + merged.count);
  }
  return result;
}

absl::StatusOr<int64_t> CountLines(LineShare lines) {
  for (int64_t count = 0;; ++count) {
    ASSIGN_OR_RETURN(const auto line, lines.Next());
    if (!line.has_value()) return count;
  }
}

absl::Status CheckNodeLines(const DglFiles& files, int64_t lines) {
  if (lines == files.num_nodes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      files.prefix, "_nodes.txt: there are ", lines, " lines of nodes; ",
      files.prefix, "_stats.txt says ", files.num_nodes));
}

}  // namespace tributary
