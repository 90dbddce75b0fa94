#include "trainer_client/core/fleet/refusals.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace tributary {
namespace {

// More texts would not help whoever reads them.
constexpr size_t kMaxTexts = 3;

}  // namespace

absl::Status SaidBy(const Address& server, const absl::Status& why) {
  return absl::Status(why.code(), absl::StrCat("server ", server.ToString(),
                                               ": ", why.message()));
}

absl::Status SaidByOneAlone(const Address& server, const absl::Status& why) {
  return absl::Status(why.code(),
                      absl::StrCat("server ", server.ToString(),
                                   ", which alone says so: ", why.message()));
}

void Refusals::Add(const Address& server, absl::Status why) {
  std::erase_if(refusals_, [&](const auto& r) { return r.first == server; });
  refusals_.emplace_back(server, std::move(why));
}

std::vector<Address> Refusals::servers() const {
  std::vector<Address> servers;
  servers.reserve(refusals_.size());
  for (const auto& [server, why] : refusals_) servers.push_back(server);
  return servers;
}

bool Refusals::Final(const BatchFleet& fleet) const {
  if (refusals_.empty() || fleet.AnyUpBeside(servers())) return false;
  return refusals_.size() > 1 || !fleet.AnyMayComeBeside(servers());
}

absl::Status Refusals::Error() const {
  if (refusals_.size() == 1) {
    return SaidByOneAlone(refusals_[0].first, refusals_[0].second);
  }
  // What most say comes first, and of that the latest.
  std::vector<std::pair<int, absl::Status>> texts;  // how often it is said
  std::vector<absl::string_view> said;
  for (auto it = refusals_.rbegin(); it != refusals_.rend(); ++it) {
    const absl::string_view message = it->second.message();
    const auto at = std::find(said.begin(), said.end(), message) - said.begin();
    if (at == static_cast<ptrdiff_t>(said.size())) {
      said.push_back(message);
      texts.emplace_back(0, SaidBy(it->first, it->second));
    }
    ++texts[static_cast<size_t>(at)].first;
  }
  std::stable_sort(
      texts.begin(), texts.end(),
      [](const auto& a, const auto& b) { return a.first > b.first; });
  const absl::StatusCode code = texts[0].second.code();
  texts.resize(std::min(texts.size(), kMaxTexts));
  return absl::Status(
      code, absl::StrJoin(texts, "; ", [](std::string* out, const auto& text) {
        absl::StrAppend(out, text.second.message());
      }));
}

}  // namespace tributary
