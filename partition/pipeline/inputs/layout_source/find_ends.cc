#include "partition/pipeline/inputs/layout_source/find_ends.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Columns that a pair of words of the header says are the ends of edges.
struct NamedEnds {
  int from, to;
  std::string words;  // "src, dst"
};

// Returns the words without the "_id" of "src_id".
std::vector<std::string> WithoutId(std::vector<std::string> names) {
  for (std::string& name : names) {
    name = std::string(absl::StripSuffix(name, "_id"));
  }
  return names;
}

std::vector<NamedEnds> FindNamedEnds(const std::vector<std::string>& names) {
  constexpr std::pair<const char*, const char*> kPairs[] = {
      {"src", "dst"},   {"source", "target"}, {"source", "destination"},
      {"head", "tail"}, {"u", "v"},           {"from", "to"}};
  std::vector<NamedEnds> found;
  for (const auto& [from, to] : kPairs) {
    const auto source = absl::c_find(names, from);
    const auto target = absl::c_find(names, to);
    if (source == names.end() || target == names.end()) continue;
    found.push_back({static_cast<int>(source - names.begin()),
                     static_cast<int>(target - names.begin()),
                     absl::StrCat(from, ", ", to)});
  }
  return found;
}

// Returns what keeps the header from deciding on the ends; empty: nothing.
// "from" and "to" may be a period's, and "source" alone may be anything.
std::string DoubtOf(const std::vector<std::string>& names,
                    const std::vector<NamedEnds>& named) {
  if (named.size() > 1) {
    return absl::StrCat("names ends twice, ", named[0].words, " and ",
                        named[1].words);
  }
  if (named.size() == 1 && named[0].words == "from, to") {
    return "names from, to, which may be a time, behind other columns";
  }
  const auto src = absl::c_find(names, "src");
  const auto dst = absl::c_find(names, "dst");
  if (named.empty() && (src != names.end() || dst != names.end())) {
    return absl::StrCat("names ", src != names.end() ? "src" : "dst",
                        ", but not the other end");
  }
  return "";
}

}  // namespace

std::vector<std::string> PlainNames(const Table& table) {
  std::vector<std::string> names;
  for (int c = 0; c < table.num_columns(); ++c) {
    const std::string name = table.NameOf(c);
    names.push_back(absl::AsciiStrToLower(absl::StripAsciiWhitespace(name)));
  }
  return names;
}

absl::Status FindEnds(EdgeLayout& edges, const Table& table,
                      std::vector<std::string>& notes) {
  const std::vector<std::string> names = WithoutId(PlainNames(table));
  const std::vector<NamedEnds> named = FindNamedEnds(names);
  NamedEnds ends{0, 1, ""};
  const bool first = absl::c_any_of(named, [](const NamedEnds& pair) {
    return pair.from == 0 && pair.to == 1;
  });
  const bool begins =
      named.empty() && !names.empty() &&
      (names[0] == "src" || (names.size() > 1 && names[1] == "dst"));
  if (!first && !begins) {
    const std::string doubt = DoubtOf(names, named);
    if (!doubt.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          table.path(), ": the header ", doubt,
          "; allowed: --src and --dst (\"src\" and \"dst\" in a config), "
          "which decide"));
    }
    if (!named.empty()) ends = named[0];
  }
  if (ends.from != 0 || ends.to != 1) {
    notes.push_back(absl::StrCat(table.path(), ": the ends are the columns ",
                                 ends.words, ", as the header names them"));
  }
  if (edges.from.empty()) edges.from.columns = {absl::StrCat(ends.from)};
  if (edges.to.empty()) edges.to.columns = {absl::StrCat(ends.to)};
  return absl::OkStatus();
}

absl::Status CheckTwoEnds(const EdgeLayout& edges, const Table& table) {
  if (edges.from.columns.empty() || edges.to.columns.empty()) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<int> from, table.Find(edges.from.columns));
  ASSIGN_OR_RETURN(const std::vector<int> to, table.Find(edges.to.columns));
  if (from != to || from.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      table.path(), ": both ends are the column ", table.NameOf(from[0]),
      "; allowed: another column for --src or --dst"));
}

}  // namespace tributary
