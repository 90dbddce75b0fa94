#include "channel/transports/carrier_book.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

// Whether an end may be the fault of what lies between: the connection was
// refused, cut, silent, or carried bytes of something else. A refusal or a
// planned end is a server's own word.
bool MayBeInTheWay(const absl::Status& why) {
  return absl::IsUnavailable(why) || absl::IsDataLoss(why);
}

}  // namespace

void CarrierBook::NoteTakesTcp(const Address& address, uint64_t incarnation,
                               bool takes) {
  const auto [found, added] = servers_.try_emplace(address);
  Server& server = found->second;
  server.takes_tcp = takes;
  if (server.incarnation != incarnation) {
    server.incarnation = incarnation;
    server.paused_until = absl::InfinitePast();
  }
  if (!added) return;
  server.number = next_number_++;
  if (servers_.size() > kMaxServers) ForgetTheFirst();
}

void CarrierBook::ForgetTheFirst() {
  servers_.erase(std::min_element(servers_.begin(), servers_.end(),
                                  [](const auto& a, const auto& b) {
                                    return a.second.number < b.second.number;
                                  }));
}

bool CarrierBook::ChoosesTcp(const Address& address, StreamMethod method,
                             absl::Time now) const {
  if (carrier_ == Carrier::kGrpc || method == StreamMethod::kControl) {
    return false;
  }
  if (carrier_ == Carrier::kTcp) return true;
  const auto server = servers_.find(address);
  return server != servers_.end() && server->second.takes_tcp &&
         now >= server->second.paused_until;
}

std::string CarrierBook::NoteEnd(const Address& address, const End& end,
                                 absl::Time now) {
  const auto found = servers_.find(address);
  if (carrier_ != Carrier::kAuto || found == servers_.end()) return "";
  Server& server = found->second;
  if (end.heard) {
    if (end.tcp) server.next_pause = kFirstPause;
    return "";
  }
  if (!MayBeInTheWay(end.why)) return "";
  if (!end.tcp) {
    // The server cannot be reached at all: nothing speaks against TCP.
    server.paused_until = absl::InfinitePast();
    return "";
  }
  if (now < server.paused_until) return "";  // of a stream opened before
  const absl::Duration pause = server.next_pause;
  server.paused_until = now + pause;
  server.next_pause = std::min(2 * pause, kLongestPause);
  return absl::StrCat("server ", address.ToString(), ": a stream over TCP ",
                      "ended before anything arrived (", end.why.message(),
                      "); streams go over gRPC for ",
                      absl::FormatDuration(pause));
}

bool CarrierBook::RefusesTcp(const Address& address) const {
  const auto server = servers_.find(address);
  return server != servers_.end() && !server->second.takes_tcp;
}

}  // namespace tributary
