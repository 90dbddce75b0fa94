#include "cli/fleet/peer_checks.h"

#include <cstdint>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "common/text/named_list.h"

namespace tributary {
namespace {

using Level = Check::Level;

// What one server reports of the others.
struct PeerView {
  std::set<uint32_t> unreachable;    // partitions without a healthy owner
  std::vector<std::string> silent;   // listed servers that do not answer it
  std::vector<std::string> unknown;  // listed servers that it does not know
  int healthy = 0;
};

PeerView ViewOf(const std::string& self, const ServerReport& report,
                const std::vector<ServerAnswer>& answers) {
  PeerView view;
  std::map<std::string, bool> known;
  for (uint32_t p = 0; p < report.schema.num_partitions; ++p) {
    view.unreachable.insert(p);
  }
  for (const uint32_t p : report.partitions) view.unreachable.erase(p);
  for (const PeerReport& peer : report.peers) {
    known[peer.address] = peer.healthy;
    if (!peer.healthy) continue;
    for (const uint32_t p : peer.partitions) view.unreachable.erase(p);
  }
  for (const ServerAnswer& other : answers) {
    const std::string address = other.address.ToString();
    const bool is_self =
        address == self ||
        (other.reports.ok() &&
         other.reports->front().incarnation == report.incarnation);
    if (is_self) continue;
    const auto found = known.find(address);
    if (found == known.end()) {
      view.unknown.push_back(address);
    } else if (!found->second) {
      view.silent.push_back(address);
    } else {
      ++view.healthy;
    }
  }
  return view;
}

}  // namespace

Check CheckPeers(const std::string& self, const ServerReport& report,
                 const std::vector<ServerAnswer>& answers) {
  Check check{Level::kOk, absl::StrCat("peers of ", self), "", ""};
  if (report.partitions.size() >= report.schema.num_partitions) {
    check.detail = "it owns every partition and needs none";
    return check;
  }
  const PeerView view = ViewOf(self, report, answers);
  check.detail = absl::StrCat(view.healthy, " healthy");
  if (!view.silent.empty()) {
    absl::StrAppend(&check.detail, ", cannot reach ", NamedList(view.silent));
    check.remedy = "let these machines reach each other's ports";
  }
  if (!view.unknown.empty()) {
    absl::StrAppend(&check.detail, ", not told of ", NamedList(view.unknown));
    check.remedy = absl::StrCat(
        "start it with the whole list, as written here, as --peers",
        check.remedy.empty() ? "" : "; ", check.remedy);
  }
  if (!view.silent.empty() || !view.unknown.empty()) check.level = Level::kWarn;
  if (view.unreachable.empty()) return check;
  check.level = Level::kFail;
  absl::StrAppend(&check.detail, ", reaches no healthy owner of ",
                  view.unreachable.size() == 1 ? "partition " : "partitions ",
                  NamedList(view.unreachable));
  if (check.remedy.empty()) check.remedy = "start an owner among its --peers";
  return check;
}

}  // namespace tributary
