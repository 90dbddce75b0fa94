#include "common/status/fleet_html.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "common/status/fleet_tables.h"
#include "common/status/trouble_advice.h"
#include "common/text/html_text.h"

namespace tributary {
namespace {

constexpr size_t kMaxTroubles = 200;
constexpr size_t kMaxTellers = 8;

constexpr char kStyle[] = R"(
:root { color-scheme: light dark; }
body { font: 14px/1.4 sans-serif; margin: 1em auto; max-width: 75em;
  padding: 0 1em; }
h1 { font-size: 1.3em; margin: 0; }
h2 { font-size: 1.1em; margin: 1.5em 0 0.3em; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8888; overflow-wrap: anywhere;
  padding: 0.2em 0.4em; text-align: left; vertical-align: top; }
thead th { overflow-wrap: normal; }
tbody th { font-weight: normal; min-width: 8em; }
.number { font-variant-numeric: tabular-nums; text-align: right; }
.error { border-left: 0.3em solid #c22; }
.warning { border-left: 0.3em solid #c80; }
.note { border-left: 0.3em solid #888; }
)";

std::string Head(const FleetStatus& fleet) {
  return absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"refresh\" content=\"5\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>",
      HtmlText(SummaryOf(fleet)), " - Tributary</title>\n<style>", kStyle,
      "</style>\n</head>\n");
}

std::string Tellers(const FleetStatus::Trouble& trouble) {
  std::vector<std::string> first(
      trouble.servers.begin(),
      trouble.servers.begin() + static_cast<std::ptrdiff_t>(std::min(
                                    trouble.servers.size(), kMaxTellers)));
  std::string text = absl::StrJoin(first, ", ");
  if (trouble.servers.size() > kMaxTellers) {
    absl::StrAppend(&text, " and ", trouble.servers.size() - kMaxTellers,
                    " more");
  }
  return text;
}

std::string TroubleRow(const FleetStatus::Trouble& trouble) {
  const TroubleKind& kind = TroubleOf(trouble.code);
  const absl::string_view severity = SeverityName(kind.severity);
  return absl::StrCat("<tr><th scope=\"row\" class=\"", severity, "\">",
                      HtmlText(trouble.code), "</th><td>", severity,
                      "</td><td>", HtmlText(trouble.text),
                      "</td><td class=\"number\">",
                      trouble.count == 0 ? "" : absl::StrCat(trouble.count),
                      "</td><td>", HtmlText(Tellers(trouble)), "</td><td>",
                      HtmlText(kind.advice), "</td></tr>\n");
}

std::string TroubleSection(const FleetStatus& fleet) {
  std::string html = "<section id=\"troubles\"><h2>Troubles and advice</h2>\n";
  if (fleet.troubles.empty()) return html + "<p>none</p></section>\n";
  html +=
      "<table><thead><tr><th scope=\"col\">Trouble</th><th scope=\"col\">"
      "Severity</th><th scope=\"col\">What</th><th scope=\"col\" "
      "class=\"number\">Last minute</th><th scope=\"col\">Told by</th>"
      "<th scope=\"col\">What to do</th></tr></thead>\n<tbody>\n";
  size_t rows = 0;
  for (const FleetStatus::Trouble& trouble : fleet.troubles) {
    if (rows++ == kMaxTroubles) break;
    html += TroubleRow(trouble);
  }
  html += "</tbody></table>\n";
  if (fleet.troubles.size() > kMaxTroubles) {
    absl::StrAppend(&html, "<p>and ", fleet.troubles.size() - kMaxTroubles,
                    " more</p>\n");
  }
  return html + "</section>\n";
}

std::string HeadCell(const StatusColumn& column) {
  return absl::StrCat("<th scope=\"col\"",
                      column.number ? " class=\"number\"" : "", ">",
                      column.name, "</th>");
}

std::string Section(const char* id, const StatusTable& table) {
  std::string html =
      absl::StrCat("<section id=\"", id, "\"><h2>", table.title, "</h2>\n");
  if (table.rows.empty()) return html + "<p>none</p></section>\n";
  html += "<table><thead><tr>";
  for (const StatusColumn& column : table.columns) html += HeadCell(column);
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    absl::StrAppend(&html, "<tr><th scope=\"row\">", HtmlText(row[0]), "</th>");
    for (size_t i = 1; i < row.size(); ++i) {
      absl::StrAppend(&html, "<td",
                      table.columns[i].number ? " class=\"number\"" : "", ">",
                      HtmlText(row[i]), "</td>");
    }
    html += "</tr>\n";
  }
  html += "</tbody></table>\n";
  if (!table.more.empty()) absl::StrAppend(&html, "<p>", table.more, "</p>\n");
  return html + "</section>\n";
}

}  // namespace

std::string FleetHtml(const FleetStatus& fleet) {
  const TableLimits limits;
  std::string html = Head(fleet);
  absl::StrAppend(
      &html, "<body>\n<main>\n<h1>Tributary</h1>\n<p id=\"summary\">",
      HtmlText(SummaryOf(fleet)), "</p>\n<p>As ", HtmlText(fleet.told_by),
      " sees it at ",
      absl::FormatTime("%Y-%m-%d %H:%M:%S", fleet.at, absl::UTCTimeZone()),
      " UTC. Rates and shares are of the last minute.</p>\n",
      TroubleSection(fleet));
  if (fleet.only_job.empty()) {
    html += Section("servers", ServerTable(fleet, limits));
    html += Section("partitions", PartitionTable(fleet, limits));
  }
  html += Section("jobs", JobTable(fleet, limits));
  return html + "</main>\n</body>\n</html>\n";
}

}  // namespace tributary
