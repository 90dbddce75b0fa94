#include "partition/pipeline/mpi/dgl_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include "absl/strings/string_view.h"

#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/io/file_mapping.h"
#include "common/text/parse_number.h"
#include "common/text/status.h"
#include "partition/schema/schema_check.h"

namespace tributary {
namespace {

constexpr size_t kMaxListBytes = size_t{64} << 20;
constexpr int64_t kMaxWeights = 1000;

// Takes the next word off `line`; empty at the end.
absl::string_view NextWord(absl::string_view& line) {
  const size_t begin = line.find_first_not_of(" \t");
  if (begin == absl::string_view::npos) return line = absl::string_view();
  line.remove_prefix(begin);
  const absl::string_view word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

// Takes a number in [min, max] off `line`.
std::optional<int64_t> NextNumber(absl::string_view& line, int64_t min,
                                  int64_t max) {
  const absl::string_view word = NextWord(line);
  const auto value = ParseNumber<int64_t>(word);
  if (!value.has_value() || *value < min || *value > max) return std::nullopt;
  return value;
}

absl::Status ReadStats(DglFiles& files) {
  const std::string path = files.prefix + "_stats.txt";
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, 4096));
  absl::string_view line = absl::StripAsciiWhitespace(text);
  const auto nodes = NextNumber(line, 0, INT64_MAX);
  const auto edges = NextNumber(line, 0, INT64_MAX);
  const auto weights = NextNumber(line, 0, kMaxWeights);
  if (!nodes || !edges || !weights || !NextWord(line).empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, " is not \"NODES EDGES WEIGHTS\", three whole numbers"));
  }
  files.num_nodes = *nodes;
  files.num_edges = *edges;
  files.num_weights = static_cast<int>(*weights);
  return absl::OkStatus();
}

// Reads the list of files `path`; of the words of a line the first is a file.
// With `ranges` the others are where its nodes begin and end.
absl::StatusOr<std::vector<std::string>> ReadList(const std::string& path,
                                                  bool ranges,
                                                  int64_t num_nodes) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxListBytes));
  std::vector<std::pair<int64_t, std::string>> found;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    const std::string file(NextWord(line));
    if (file.empty()) continue;
    std::optional<int64_t> first = 0;
    if (ranges) {
      first = NextNumber(line, 0, num_nodes);
      if (!first || !NextNumber(line, *first, num_nodes)) {
        return absl::InvalidArgumentError(absl::StrCat(
            path, ", line ", number, ": allowed: FILE FIRST END, with nodes 0 ",
            "to ", num_nodes));
      }
    }
    found.emplace_back(*first, file);
  }
  if (ranges) {
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, auto& b) { return a.first < b.first; });
  }
  std::vector<std::string> files;
  for (auto& [first, file] : found) files.push_back(std::move(file));
  return files;
}

// Returns the names of "nid" by where their ranges begin.
absl::StatusOr<std::vector<std::string>> ReadTypeNames(
    const std::string& prefix) {
  const std::string path = prefix + ".json";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return std::vector<std::string>();
  }
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxListBytes));
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const absl::Status wrong = absl::InvalidArgumentError(
      absl::StrCat(path, ": no \"nid\" with [FIRST, END] for each node type"));
  if (!json.is_object() || !json.contains("nid") || !json["nid"].is_object()) {
    return wrong;
  }
  std::vector<std::pair<int64_t, std::string>> types;
  for (const auto& [name, range] : json["nid"].items()) {
    const auto& pair =
        range.is_array() && range.size() == 1 ? range.front() : range;
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_integer()) {
      return wrong;
    }
    RETURN_IF_ERROR(CheckTypeName(name));
    types.emplace_back(pair[0].get<int64_t>(), name);
  }
  std::sort(types.begin(), types.end());
  std::vector<std::string> names;
  for (auto& [first, name] : types) names.push_back(std::move(name));
  return names;
}

// What a rank has seen of a node type.
struct Seen {
  int64_t first = 0, last = 0;  // rows
  int64_t count = 0;
  int64_t begin = 0;  // row less id: of every node the same
};

struct WeightOfRow {
  int64_t row = 0;  // of the rank
  int64_t weight = 0;
};

// Parses the node files of one rank.
class NodeLines {
 public:
  NodeLines(LineShare lines, const DglFiles& files, const NodeShares& shares,
            int64_t first_row, std::optional<int> weight)
      : lines_(std::move(lines)),
        files_(files),
        shares_(shares),
        row_(first_row),
        weight_(weight) {}

  // Reads up to `count` lines. False at the end.
  absl::StatusOr<bool> Fill(int count,
                            std::vector<std::vector<WeightOfRow>>& out) {
    for (int i = 0; i < count; ++i) {
      ASSIGN_OR_RETURN(const auto line, lines_.Next());
      if (!line.has_value()) return false;
      RETURN_IF_ERROR(Take(*line, out));
      ++row_;
    }
    return true;
  }
  const std::map<int64_t, Seen>& seen() const { return seen_; }

 private:
  absl::Status Wrong(absl::string_view why) const {
    return absl::InvalidArgumentError(
        absl::StrCat(lines_.Where(), ": ", why, "; allowed: TYPE, ",
                     files_.num_weights, " weights, ID"));
  }

  absl::Status Take(absl::string_view line,
                    std::vector<std::vector<WeightOfRow>>& out) {
    const auto type = NextNumber(line, 0, kMaxPartitions - 1);
    if (!type) return Wrong("no type number");
    int64_t taken = 0;
    for (int i = 0; i < files_.num_weights; ++i) {
      const auto weight = NextNumber(line, 0, INT32_MAX);
      if (!weight) return Wrong("a weight is no number of 0 to 2147483647");
      if (weight_ == i) taken = *weight;
    }
    const auto id = NextNumber(line, 0, files_.num_nodes - 1);
    if (!id) return Wrong("no node's id");
    Seen& seen =
        seen_.try_emplace(*type, Seen{row_, row_, 0, row_ - *id}).first->second;
    if (row_ - *id != seen.begin) {
      return Wrong(absl::StrCat("id ", *id, " follows another than ", *id - 1,
                                " of type ", *type));
    }
    seen.last = row_;
    ++seen.count;
    if (weight_.has_value()) {
      out[shares_.Rank(row_)].push_back({shares_.Row(row_), taken});
    }
    return absl::OkStatus();
  }

  LineShare lines_;
  const DglFiles& files_;
  const NodeShares& shares_;
  int64_t row_;
  const std::optional<int> weight_;
  std::map<int64_t, Seen> seen_;
};

// Merges what ranks have seen; types must follow one another.
absl::StatusOr<NodeTypes> MergeTypes(const Communicator& comm,
                                     const DglFiles& files,
                                     const std::map<int64_t, Seen>& mine) {
  std::vector<int64_t> values;
  for (const auto& [type, seen] : mine) {
    values.insert(values.end(),
                  {type, seen.first, seen.last, seen.count, seen.begin});
  }
  const std::vector<int64_t> all = comm.Collect(values);
  std::map<int64_t, Seen> types;
  for (size_t i = 0; i < all.size(); i += 5) {
    Seen& seen =
        types.try_emplace(all[i], Seen{all[i + 1], all[i + 2], 0, all[i + 4]})
            .first->second;
    seen.last = std::max(seen.last, all[i + 2]);
    seen.count += all[i + 3];
    if (seen.begin != all[i + 4]) seen.begin = -1;
  }
  if (!files.type_names.empty() && files.type_names.size() != types.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(files.prefix, ".json has ", files.type_names.size(),
                     " node types; the nodes are of ", types.size()));
  }
  NodeTypes result;
  for (const auto& [type, seen] : types) {
    const auto number = static_cast<int64_t>(result.size());
    if (type != number || seen.begin != result.starts.back() ||
        seen.first != seen.begin || seen.last - seen.first + 1 != seen.count) {
      return absl::InvalidArgumentError(absl::StrCat(
          files.prefix, ": the nodes of type ", type, " are not together, ",
          "after those of lower types, with ids that ascend from 0"));
    }
    result.names.push_back(!files.type_names.empty() ? files.type_names[number]
                           : types.size() == 1       ? "node"
                                                     : absl::StrCat(type));
    result.starts.push_back(seen.begin + seen.count);
  }
  return result;
}

absl::StatusOr<int64_t> CountLines(LineShare lines) {
  for (int64_t count = 0;; ++count) {
    ASSIGN_OR_RETURN(const auto line, lines.Next());
    if (!line.has_value()) return count;
  }
}

absl::Status CheckLines(const DglFiles& files, const char* what, int64_t lines,
                        int64_t expected) {
  if (lines == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      files.prefix, "_", what, "s.txt: there are ", lines, " lines of ", what,
      "s; ", files.prefix, "_stats.txt says ", expected));
}

}  // namespace

absl::StatusOr<DglFiles> FindDglFiles(const std::string& prefix,
                                      const std::string& node_list,
                                      const std::string& edge_list) {
  DglFiles files;
  files.prefix = prefix;
  RETURN_IF_ERROR(ReadStats(files));
  files.nodes = {prefix + "_nodes.txt"};
  files.edges = {prefix + "_edges.txt"};
  if (!node_list.empty()) {
    ASSIGN_OR_RETURN(files.nodes,
                     ReadList(node_list, /*ranges=*/true, files.num_nodes));
  }
  if (!edge_list.empty()) {
    ASSIGN_OR_RETURN(files.edges,
                     ReadList(edge_list, /*ranges=*/false, files.num_nodes));
  }
  ASSIGN_OR_RETURN(files.type_names, ReadTypeNames(prefix));
  return files;
}

absl::StatusOr<DglNodes> ReadDglNodes(const Communicator& comm,
                                      const DglFiles& files,
                                      std::optional<int> weight) {
  const auto open = [&] {
    return LineShare::Open(files.nodes, comm.rank(), comm.size());
  };
  auto lines = open();
  RETURN_IF_ERROR(comm.Agree(lines.status()));
  const auto counted = CountLines(*std::move(lines));
  RETURN_IF_ERROR(comm.Agree(counted.status()));
  RETURN_IF_ERROR(
      CheckLines(files, "node", comm.Sum(*counted), files.num_nodes));
  lines = open();
  RETURN_IF_ERROR(comm.Agree(lines.status()));
  const NodeShares shares(files.num_nodes, comm.size());
  NodeLines nodes(*std::move(lines), files, shares, comm.SumBefore(*counted),
                  weight);
  DglNodes result;
  if (weight.has_value()) result.weights.resize(shares.Rows(comm.rank()));
  const int at_once = std::max(1024, (1 << 20) / comm.size());
  RETURN_IF_ERROR(Exchange<WeightOfRow>(
      comm, [&](auto& out) { return nodes.Fill(at_once, out); },
      [&](auto rows) {
        for (const WeightOfRow& row : rows)
          result.weights[row.row] = row.weight;
        return absl::OkStatus();
      }));
  ASSIGN_OR_RETURN(result.types, MergeTypes(comm, files, nodes.seen()));
  return result;
}

absl::StatusOr<DglEdgeReader> DglEdgeReader::Open(const DglFiles& files,
                                                  int rank, int ranks) {
  ASSIGN_OR_RETURN(LineShare lines, LineShare::Open(files.edges, rank, ranks));
  return DglEdgeReader(std::move(lines), files.num_nodes);
}

absl::StatusOr<size_t> DglEdgeReader::Read(absl::Span<EdgeEnds> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    ASSIGN_OR_RETURN(auto line, lines_.Next());
    if (!line.has_value()) return i;
    absl::string_view words = *line;
    const auto from = NextNumber(words, 0, num_nodes_ - 1);
    const auto to = NextNumber(words, 0, num_nodes_ - 1);
    if (!from || !to) {
      return absl::InvalidArgumentError(
          absl::StrCat(lines_.Where(), ": allowed: SOURCE DESTINATION, nodes ",
                       "0 to ", num_nodes_ - 1, ", and anything after them"));
    }
    out[i] = {*from, *to};
    ++num_edges_;
  }
  return out.size();
}

}  // namespace tributary
