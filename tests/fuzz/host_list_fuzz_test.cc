// Fuzzes the files of machines that `dispatch` sends a graph to: any text is
// refused in one line that begins with the file's name, or names machines that
// have all partitions. The first byte of an input is the number of partitions;
// the rest is read as a file of hosts and as DGL's ip_config.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "cli/dispatch/host_list.h"
#include "tests/fuzz/must.h"

namespace tributary {
namespace {

constexpr char kPath[] = "hosts.txt";

void CheckRefusal(absl::string_view message) {
  Must(absl::StartsWith(message, kPath),
       absl::StrCat("the message begins with the file: ", message));
  Must(!absl::StrContains(message, '\n'), "and has one line");
}

// Returns the file of hosts that says the same.
std::string CheckHosts(const std::vector<DispatchHost>& hosts,
                       uint32_t num_partitions) {
  std::set<std::string> names;
  std::set<uint32_t> sent;
  std::string text;
  for (const DispatchHost& host : hosts) {
    Must(IsPlainWord(host.name), "a shell takes a name as it is");
    Must(names.insert(host.name).second, "a host is there once");
    const std::vector<uint32_t>& some = host.partitions;
    Must(std::adjacent_find(some.begin(), some.end(), std::greater_equal<>()) ==
             some.end(),
         "partitions ascend");
    sent.insert(some.begin(), some.end());
    for (uint32_t p = 0; some.empty() && p < num_partitions; ++p) {
      sent.insert(p);
    }
    absl::StrAppend(&text, host.name, " ", host.PartitionsText(), "\n");
  }
  Must(sent.size() == num_partitions, "each partition has a host");
  Must(*sent.rbegin() == num_partitions - 1, "and is one of the graph's");
  return text;
}

void Check(const absl::StatusOr<std::vector<DispatchHost>>& hosts,
           uint32_t num_partitions) {
  if (!hosts.ok()) return CheckRefusal(hosts.status().message());
  const std::string text = CheckHosts(*hosts, num_partitions);
  const auto again = ParseHostFile(text, kPath, num_partitions);
  Must(again.ok(), "what was read can be written and read");
  Must(CheckHosts(*again, num_partitions) == text, "and is the same then");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  constexpr uint32_t kMostPartitions = 64;
  const uint32_t num_partitions = (data[0] - uint32_t{'0'}) % kMostPartitions;
  const absl::string_view text(reinterpret_cast<const char*>(data) + 1,
                               size - 1);
  Check(ParseHostFile(text, kPath, num_partitions + 1), num_partitions + 1);
  Check(ParseIpConfig(text, kPath, num_partitions + 1), num_partitions + 1);
  return 0;
}

}  // namespace tributary
