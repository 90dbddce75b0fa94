#include "cli/dispatch/host_list.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/fleet/discovery_source.h"
#include "common/text/status.h"
#include "partition/schema/partition_choice.h"

namespace tributary {
namespace {

constexpr size_t kMaxHosts = 65536;

// A host, and its PARTITIONS as they are in the file.
struct Line {
  int number = 0;
  std::string host;
  std::string partitions;
};

absl::Status LineError(absl::string_view path, int line,
                       absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(
      path, ", line ", line, ": ", why, "; allowed: HOST, or HOST PARTITIONS"));
}

absl::StatusOr<std::vector<DispatchHost>> ShareOut(
    const std::vector<Line>& lines, absl::string_view path,
    uint32_t num_partitions) {
  if (lines.empty() || lines.size() > kMaxHosts) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, " has ", lines.size(), " hosts; allowed: 1 to ", kMaxHosts));
  }
  std::vector<DispatchHost> hosts;
  std::set<std::string> names;
  std::set<uint32_t> sent;
  for (size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    if (!names.insert(line.host).second) {
      return LineError(path, line.number, line.host + " is there twice");
    }
    const auto choice = PartitionChoice::Parse(
        !line.partitions.empty() ? line.partitions
                                 : absl::StrCat(i, "%", lines.size()));
    if (!choice.ok()) {
      return LineError(path, line.number, choice.status().message());
    }
    DispatchHost host{line.host, choice->Of(num_partitions)};
    std::sort(host.partitions.begin(), host.partitions.end());
    host.partitions.erase(
        std::unique(host.partitions.begin(), host.partitions.end()),
        host.partitions.end());
    if (!host.partitions.empty() && host.partitions.back() >= num_partitions) {
      return LineError(
          path, line.number,
          absl::StrCat("the graph has no partition ", host.partitions.back()));
    }
    for (const uint32_t p : host.partitions) sent.insert(p);
    for (uint32_t p = 0; host.partitions.empty() && p < num_partitions; ++p) {
      sent.insert(p);
    }
    hosts.push_back(std::move(host));
  }
  for (uint32_t p = 0; p < num_partitions; ++p) {
    if (sent.count(p) > 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": no host gets partition ", p));
  }
  return hosts;
}

}  // namespace

std::string DispatchHost::PartitionsText() const {
  return partitions.empty() ? "all" : absl::StrJoin(partitions, ",");
}

bool IsPlainWord(absl::string_view text) {
  if (text.empty() || text[0] == '-') return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::string_view("/._+=:@%~-[]").find(c) != absl::string_view::npos;
  });
}

absl::StatusOr<std::vector<DispatchHost>> ParseHostFile(
    absl::string_view text, absl::string_view path, uint32_t num_partitions) {
  std::vector<Line> lines;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = line.substr(0, line.find('#'));
    const std::vector<std::string> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (words.empty()) continue;
    if (words.size() > 2) return LineError(path, number, "more than two words");
    if (!IsPlainWord(words[0])) {
      return LineError(path, number,
                       absl::StrCat("\"", words[0], "\" is no host's name"));
    }
    lines.push_back({number, words[0], words.size() == 2 ? words[1] : ""});
  }
  return ShareOut(lines, path, num_partitions);
}

absl::StatusOr<std::vector<DispatchHost>> ParseIpConfig(
    absl::string_view text, absl::string_view path, uint32_t num_partitions) {
  ASSIGN_OR_RETURN(
      const std::vector<Address> servers,
      ParseServerFile({text.data(), text.size()}, {path.data(), path.size()}));
  std::vector<Line> lines;
  for (const Address& server : servers) {
    const auto same = [&](const Line& line) {
      return line.host == server.host;
    };
    if (std::any_of(lines.begin(), lines.end(), same)) continue;
    if (server.is_unix() || !IsPlainWord(server.host)) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ": ", server.ToString(), " is no address of a machine"));
    }
    lines.push_back({0, server.host, ""});
  }
  return ShareOut(lines, path, num_partitions);
}

}  // namespace tributary
