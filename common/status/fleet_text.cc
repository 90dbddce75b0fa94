#include "common/status/fleet_text.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/status/fleet_tables.h"
#include "common/status/trouble_advice.h"
#include "common/text/display_width.h"
#include "common/text/terminal_text.h"

namespace tributary {
namespace {

constexpr size_t kWidth = 80;
constexpr size_t kMaxTroubles = 20;
constexpr size_t kMaxProblems = 4;
constexpr TableLimits kLimits{.rows = 40, .owners = 4, .runs = 8};

std::string Line(absl::string_view text) {
  return absl::StrCat(CutToWidth(text, kWidth), "\n");
}

// Adds the words of `text` in lines that begin with `indent`; the first one
// with `first` in its place, which is as long.
void AddWrapped(absl::string_view first, absl::string_view indent,
                absl::string_view text, std::string& out) {
  bool is_first = true;
  for (const std::string& line : WrapToWidth(text, kWidth - indent.size())) {
    absl::StrAppend(&out, is_first ? first : indent, line, "\n");
    is_first = false;
  }
}

// The columns that are cut first keep as much.
constexpr size_t kLeastCut = 12;

// Returns the widest column among those that are cut first and wider than
// kLeastCut; if there is none, the widest of all.
size_t ColumnToCut(const std::vector<size_t>& widths,
                   const std::vector<bool>& cut_first) {
  size_t found = widths.size();
  for (size_t i = 0; i < widths.size(); ++i) {
    if (!cut_first[i] || widths[i] <= kLeastCut) continue;
    if (found == widths.size() || widths[i] > widths[found]) found = i;
  }
  if (found < widths.size()) return found;
  return static_cast<size_t>(std::max_element(widths.begin(), widths.end()) -
                             widths.begin());
}

// Returns the width of each column, which together with the spaces between them
// fit into a line.
std::vector<size_t> WidthsOf(const std::vector<std::vector<std::string>>& lines,
                             const std::vector<bool>& cut_first) {
  std::vector<size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], DisplayWidth(line[i]));
    }
  }
  const size_t spaces = widths.size() - 1;
  while (std::accumulate(widths.begin(), widths.end(), spaces) > kWidth) {
    --widths[ColumnToCut(widths, cut_first)];
  }
  return widths;
}

// Returns the cells that a terminal shows, the heads of the columns first.
std::vector<std::vector<std::string>> ShownCells(const StatusTable& table) {
  std::vector<std::vector<std::string>> lines(table.rows.size() + 1);
  for (size_t column = 0; column < table.columns.size(); ++column) {
    if (table.columns[column].page_only) continue;
    lines[0].push_back(table.columns[column].name);
    for (size_t row = 0; row < table.rows.size(); ++row) {
      lines[row + 1].push_back(TerminalLine(table.rows[row][column]));
    }
  }
  return lines;
}

void AddTable(const StatusTable& table, std::string& out) {
  absl::StrAppend(&out, "\n", absl::AsciiStrToUpper(table.title), "\n");
  if (table.rows.empty()) {
    out += "none\n";
    return;
  }
  const auto lines = ShownCells(table);
  std::vector<bool> number;
  std::vector<bool> cut_first;
  for (const StatusColumn& column : table.columns) {
    if (column.page_only) continue;
    number.push_back(column.number);
    cut_first.push_back(column.cut_first);
  }
  const std::vector<size_t> widths = WidthsOf(lines, cut_first);
  for (const auto& cells : lines) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      absl::StrAppend(
          &line, i == 0 ? "" : " ",
          PadToWidth(CutToWidth(cells[i], widths[i]), widths[i], number[i]));
    }
    absl::StripTrailingAsciiWhitespace(&line);
    absl::StrAppend(&out, line, "\n");
  }
  if (!table.more.empty()) out += Line(table.more);
}

void AddTroubles(const FleetStatus& fleet, std::string& out) {
  out += "\nTROUBLES AND ADVICE\n";
  if (fleet.troubles.empty()) out += "none\n";
  size_t shown = 0;
  for (const FleetStatus::Trouble& trouble : fleet.troubles) {
    if (shown++ == kMaxTroubles) {
      absl::StrAppend(&out, "and ", fleet.troubles.size() - kMaxTroubles,
                      " more\n");
      return;
    }
    const TroubleKind& kind = TroubleOf(trouble.code);
    std::string what = absl::StrCat(SeverityName(kind.severity), " ",
                                    TerminalLine(trouble.code), ": ",
                                    TerminalLine(trouble.text));
    if (trouble.count > 0) {
      absl::StrAppend(&what, "; ", trouble.count, " in the last minute");
    }
    if (!trouble.servers.empty()) {
      absl::StrAppend(&what, "; told by ",
                      TerminalLine(trouble.servers.front()));
      if (trouble.servers.size() > 1) {
        absl::StrAppend(&what, " and ", trouble.servers.size() - 1, " more");
      }
    }
    AddWrapped("", "  ", what, out);
    AddWrapped("  -> ", "     ", kind.advice, out);
  }
}

void AddProblems(const FleetStatus& fleet, std::string& out) {
  size_t shown = 0;
  for (const FleetStatus::Server& server : fleet.servers) {
    if (server.problem.empty() || shown++ >= kMaxProblems) continue;
    out +=
        Line(TerminalLine(absl::StrCat(server.address, ": ", server.problem)));
  }
}

}  // namespace

std::string FleetText(const FleetStatus& fleet) {
  std::string out = Line(absl::StrCat(
      "tributary ",
      absl::FormatTime("%Y-%m-%d %H:%M:%S", fleet.at, absl::UTCTimeZone()),
      " UTC"));
  AddWrapped("", "", TerminalLine(SummaryOf(fleet)), out);
  AddTroubles(fleet, out);
  if (fleet.only_job.empty()) {
    AddTable(ServerTable(fleet, kLimits), out);
    AddProblems(fleet, out);
    AddTable(PartitionTable(fleet, kLimits), out);
  }
  AddTable(JobTable(fleet, kLimits), out);
  return out;
}

}  // namespace tributary
