#include "trainer_client/torch/sessions/link_times.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "common/io/file_mapping.h"
#include "common/tensor/npy_vector.h"
#include "common/text/parse_number.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr char kNpyMagic[] = "\x93NUMPY";

absl::StatusOr<std::vector<int64_t>> TimesOfNpy(
    absl::Span<const uint8_t> bytes) {
  ASSIGN_OR_RETURN(const NpyVector vector, FindNpyVector(bytes));
  return TimesOf(vector);
}

absl::StatusOr<std::vector<int64_t>> TimesOfText(absl::string_view text) {
  if (text.empty()) {
    return absl::InvalidArgumentError(
        "the file is empty; allowed: a whole number in each line, or .npy");
  }
  std::vector<int64_t> times;
  text = absl::StripTrailingAsciiWhitespace(text);  // blank last lines
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::ConsumeSuffix(&line, "\r");
    const std::optional<int64_t> time = ParseNumber<int64_t>(line);
    if (!time) {
      return absl::InvalidArgumentError(absl::StrCat(
          "line ", times.size() + 1, " is \"", line.substr(0, 40),
          "\"; allowed: a whole number in each line, or a .npy file"));
    }
    times.push_back(*time);
  }
  return times;
}

// The edge type of the links as the schema has it; null: it has none.
const EdgeTypeSchema* TypeOf(const GraphSchema& schema,
                             const LinkSplits& links) {
  if (links.edge_type.empty()) {
    return schema.edge_types.empty() ? nullptr : &schema.edge_types[0];
  }
  const int type = schema.FindEdgeType(links.edge_type);
  return type < 0 ? nullptr : &schema.edge_types[static_cast<size_t>(type)];
}

// Returns the times by edge id: with HasReverseIds each row's edge and its
// reverse have one.
std::vector<int64_t> ByEdgeId(const GraphSchema& schema,
                              std::vector<int64_t> rows) {
  if (!HasReverseIds(schema)) return rows;
  std::vector<int64_t> times;
  times.reserve(2 * rows.size());
  for (const int64_t time : rows) times.insert(times.end(), 2, time);
  return times;
}

absl::Status BadFiles(absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "--edge-time is \"", text,
      "\"; allowed: FILE; for links of several types a file for each: "
      "A,R,B:FILE;C,S,D:FILE"));
}

// Returns the type that an entry "SRC,REL,DST:FILE" is for, or null. Types may
// contain colons: the longest that fits wins.
LinkSplits* NamedIn(absl::string_view entry, std::vector<LinkSplits>* types) {
  LinkSplits* found = nullptr;
  for (LinkSplits& type : *types) {
    if (!absl::StartsWith(entry, type.edge_type + ":")) continue;
    if (found == nullptr || type.edge_type.size() > found->edge_type.size()) {
      found = &type;
    }
  }
  return found;
}

// Returns FILE of "TYPE:FILE", or of FILE: one type may be named, as several
// are.
std::string WithoutType(const std::string& type, absl::string_view text) {
  if (!type.empty()) absl::ConsumePrefix(&text, type + ":");
  return std::string(text);
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> ReadEdgeTimes(const std::string& path) {
  ASSIGN_OR_RETURN(const FileMapping file, FileMapping::Open(path));
  const absl::string_view text(
      reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  absl::StatusOr<std::vector<int64_t>> times = absl::StartsWith(text, kNpyMagic)
                                                   ? TimesOfNpy(file.bytes())
                                                   : TimesOfText(text);
  if (times.ok()) return times;
  return absl::Status(times.status().code(),
                      absl::StrCat(path, ": ", times.status().message()));
}

absl::Status ParseEdgeTimeFiles(const std::string& text,
                                std::vector<LinkSplits>* types) {
  if (text.empty()) return BadFiles(text);
  if (types->size() == 1) {
    LinkSplits& only = (*types)[0];
    only.edge_time_file = WithoutType(only.edge_type, text);
    return only.edge_time_file.empty() ? BadFiles(text) : absl::OkStatus();
  }
  for (const absl::string_view entry : absl::StrSplit(text, ';')) {
    LinkSplits* const type = NamedIn(entry, types);
    if (type == nullptr || !type->edge_time_file.empty()) return BadFiles(text);
    type->edge_time_file =
        std::string(entry.substr(type->edge_type.size() + 1));
  }
  for (const LinkSplits& type : *types) {
    if (type.edge_time_file.empty()) return BadFiles(text);
  }
  return absl::OkStatus();
}

absl::Status ReadLinkTimes(const GraphSchema& schema, TimeMode time,
                           std::vector<LinkSplits>* types) {
  for (LinkSplits& links : *types) {
    if (links.edge_time_file.empty()) continue;
    const EdgeTypeSchema* const type = TypeOf(schema, links);
    if (time == TimeMode::kEdge && type != nullptr && !type->timed) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--time edge: edges of type ", type->name(), " of graph ",
          schema.name,
          " have no times; allowed: a graph made with partition --edge-time"));
    }
    // Where --input has no type, the graph tells it.
    const std::string file =
        WithoutType(type == nullptr ? "" : type->name(), links.edge_time_file);
    ASSIGN_OR_RETURN(std::vector<int64_t> times, ReadEdgeTimes(file));
    links.edge_time = std::make_shared<const std::vector<int64_t>>(
        ByEdgeId(schema, std::move(times)));
  }
  return absl::OkStatus();
}

}  // namespace tributary
