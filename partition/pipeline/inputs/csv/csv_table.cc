#include "partition/pipeline/inputs/csv/csv_table.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/tensor/npy_vector.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/text/csv_rows.h"
#include "partition/pipeline/inputs/text/line_reader.h"
#include "partition/pipeline/inputs/text/number_text.h"

namespace tributary {

absl::StatusOr<std::optional<CsvEdgeEnds>> ReadPairList(const std::string& path,
                                                        int64_t num_src,
                                                        int64_t num_dst) {
  ASSIGN_OR_RETURN(LineReader in, LineReader::Open(path));
  CsvEdgeEnds ends;
  absl::string_view line;
  while (in.Next(&line)) {
    if (in.line_number() == 1 && CountColumns(line) == 1) return std::nullopt;
    ASSIGN_OR_RETURN(const auto pair, ParsePair(in, line, num_src, num_dst));
    ends.from.push_back(pair.first);
    ends.to.push_back(pair.second);
  }
  RETURN_IF_ERROR(in.status());
  if (ends.from.empty()) return std::nullopt;
  return ends;
}

absl::StatusOr<std::optional<std::vector<int64_t>>> ReadIdList(
    const std::string& path, int64_t num_ids, absl::string_view of) {
  ASSIGN_OR_RETURN(LineReader in, LineReader::Open(path));
  std::vector<int64_t> ids;
  absl::string_view line;
  while (in.Next(&line)) {
    const int64_t columns = CountColumns(line);
    if (columns > 1 && in.line_number() == 1) return std::nullopt;
    RETURN_IF_ERROR(CheckOneColumn(in, columns));
    ASSIGN_OR_RETURN(const int64_t id, ParseBoundedId(in, line, num_ids, of));
    ids.push_back(id);
  }
  RETURN_IF_ERROR(in.status());
  if (!AreMask(ids)) return ids;
  return absl::InvalidArgumentError(
      absl::StrCat(path, " has ", ids.size(),
                   " numbers 0 and 1 alone, as a mask has; allowed: one ", of,
                   " id a line, each once"));
}

absl::StatusOr<int64_t> ReadSingleCount(const std::string& path) {
  ASSIGN_OR_RETURN(LineReader in, LineReader::Open(path));
  int64_t count = 0;
  const auto add_row = [&](absl::string_view line, int64_t) {
    const auto value = ParseCount(line);
    if (!value.has_value()) {
      return CellError(in, line,
                       absl::StrCat("one whole number up to ", kMaxCount));
    }
    count = *value;
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(ForEachRow(in, 1, add_row).status());
  return count;
}

}  // namespace tributary
