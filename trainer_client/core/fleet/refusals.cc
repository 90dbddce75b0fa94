#include "trainer_client/core/fleet/refusals.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

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
  return absl::Status(
      why.code(),
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
  const auto& [last, why] = refusals_.back();
  if (refusals_.size() == 1) return SaidByOneAlone(last, why);
  std::string text;
  size_t texts = 0;
  for (auto it = refusals_.rbegin();
       it != refusals_.rend() && texts < kMaxTexts; ++it) {
    const bool said = std::any_of(
        refusals_.rbegin(), it, [&](const auto& other) {
          return other.second.message() == it->second.message();
        });
    if (said) continue;
    absl::StrAppend(&text, texts++ == 0 ? "" : "; ",
                    SaidBy(it->first, it->second).message());
  }
  return absl::Status(why.code(), text);
}

}  // namespace tributary
