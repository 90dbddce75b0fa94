#include "trainer_client/core/fleet/wait_notice.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tributary {
namespace {

// More would not fit a line of a terminal.
constexpr size_t kMaxNamed = 3;

// Joins the descriptions of the first servers, and counts the others.
template <typename Describe>
std::string NameServers(absl::Span<const ServerState> servers,
                        Describe describe) {
  std::vector<std::string> named;
  for (const ServerState& server :
       servers.first(std::min(servers.size(), kMaxNamed))) {
    named.push_back(describe(server));
  }
  if (servers.size() > kMaxNamed) {
    named.push_back(absl::StrCat(servers.size() - kMaxNamed, " more"));
  }
  return absl::StrJoin(named, ", ");
}

std::vector<uint32_t> MissingPartitions(absl::Span<const ServerState> up,
                                        uint32_t num_partitions) {
  std::vector<bool> owned(num_partitions, false);
  for (const ServerState& server : up) {
    for (uint32_t p : server.partitions) {
      if (p < num_partitions) owned[p] = true;
    }
  }
  std::vector<uint32_t> missing;
  for (uint32_t p = 0; p < num_partitions; ++p) {
    if (!owned[p]) missing.push_back(p);
  }
  return missing;
}

std::string DescribeMissingPartitions(absl::Span<const ServerState> up,
                                      uint32_t num_partitions) {
  std::vector<uint32_t> missing = MissingPartitions(up, num_partitions);
  if (missing.empty()) return "";
  const size_t count = missing.size();
  missing.resize(std::min(count, 4 * kMaxNamed));
  return absl::StrCat(
      "no server that answers owns partition ", absl::StrJoin(missing, ","),
      count > missing.size()
          ? absl::StrCat(" and ", count - missing.size(), " more")
          : "",
      " of ", num_partitions, ": ",
      NameServers(up, [](const ServerState& server) {
        return absl::StrCat(server.address, " (partitions ",
                            absl::StrJoin(server.partitions, ","), ")");
      }));
}

}  // namespace

void WaitReporter::Update(absl::Duration waited, absl::Duration timeout,
                          absl::FunctionRef<std::string()> reason) {
  if (!observer_ || waited < next_) return;
  next_ = waited + kEvery;
  std::string text = reason();
  if (text.empty()) return End();
  reported_ = true;
  observer_({std::move(text), timeout - waited});
}

void WaitReporter::End() {
  next_ = kFirst;
  if (std::exchange(reported_, false)) observer_({});
}

std::string DescribeMissing(absl::Span<const ServerState> servers,
                            uint32_t num_partitions,
                            const absl::Status& listing_problem) {
  if (servers.empty()) {
    return listing_problem.ok() ? "no server is listed"
                                : absl::StrCat("no server is known: ",
                                               ShortReason(listing_problem));
  }
  std::vector<ServerState> up;
  for (const ServerState& server : servers) {
    if (server.up) up.push_back(server);
  }
  if (!up.empty()) return DescribeMissingPartitions(up, num_partitions);
  return absl::StrCat("no server answers: ",
                      NameServers(servers, [](const ServerState& server) {
                        return absl::StrCat(server.address, " (",
                                            ShortReason(server.problem), ")");
                      }));
}

// gRPC gives one code, UNAVAILABLE, for all of these; the texts are its own and
// those of strerror and c-ares.
std::string ShortReason(const absl::Status& status) {
  struct Known {
    absl::string_view text;
    absl::string_view reason;
  };
  constexpr Known kKnown[] = {
      {"Connection refused", "connection refused"},
      {"DNS resolution failed", "name not found"},
      {"Name or service not known", "name not found"},
      {"Connection timed out", "connection timed out"},
      {"No route to host", "no route to host"},
      {"Network is unreachable", "network is unreachable"},
  };
  for (const Known& known : kKnown) {
    if (absl::StrContains(status.message(), known.text)) {
      return std::string(known.reason);
    }
  }
  if (absl::IsDeadlineExceeded(status)) return "no answer";
  return status.ToString(absl::StatusToStringMode::kWithNoExtraData);
}

}  // namespace tributary
