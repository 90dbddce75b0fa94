// ProtocolWatch::Patrol: violations that show in time, not in a message.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tests/sim/protocol_watch.h"

namespace tributary {
namespace {

// Progress comes every 100 ms of the server's clock; everything else that a
// node must do takes less than this while it is awake.
constexpr absl::Duration kSoon = absl::Milliseconds(300);

}  // namespace

void ProtocolWatch::Patrol() {
  for (auto& [id, link] : links_) {
    PatrolServer(link);
    PatrolTrainer(link);
  }
  PatrolIdleServers();
}

void ProtocolWatch::PatrolServer(BatchLink& link) {
  if (link.server_closed || !world_->awake(link.info.server)) return;
  const absl::Time awake = world_->awake_since(link.info.server);
  for (const auto& [number, grant] : link.grants) {
    if (grant.answered || grant.returned) continue;
    const auto text = absl::StrCat("grant ", number, ", batch ", grant.index);
    if (grant.arrived < absl::InfiniteFuture() &&
        now() - std::max({grant.arrived, grant.last_sign, awake}) > kSoon) {
      Fail(link.info, "no word of a credit", text);
    }
    if (grant.cancel_arrived < absl::InfiniteFuture() &&
        now() - std::max(grant.cancel_arrived, awake) > kSoon) {
      Fail(link.info, "a cancel is ignored", text);
    }
  }
}

void ProtocolWatch::PatrolTrainer(BatchLink& link) {
  const SimSeat* seat = world_->SeatOf(link.info.client);
  if (link.client_closed || link.info.is_double || seat == nullptr ||
      !world_->awake(link.info.client)) {
    return;
  }
  const absl::Time awake = world_->awake_since(link.info.client);
  for (const auto& [number, grant] : link.grants) {
    if (grant.ended || grant.cancel_sent) continue;
    const absl::Time got = seat->ledger->DeliveredAt(grant.index);
    if (got < absl::InfiniteFuture() && now() - std::max(got, awake) > kSoon) {
      Fail(link.info, "not cancelled though nobody wants it",
           absl::StrCat("grant ", number, ", batch ", grant.index));
    }
  }
}

// A server without a batch stream must have no work. Those of antagonists are
// not watched.
void ProtocolWatch::PatrolIdleServers() {
  if (world_->schedule().abuses != 0) return;
  for (int s = 0; s < world_->num_servers(); ++s) {
    if (!world_->alive(s)) continue;
    const int node = world_->server(s).executor->node();
    const bool has_links =
        std::any_of(links_.begin(), links_.end(), [node](const auto& l) {
          return l.second.info.server == node && !l.second.server_closed;
        });
    if (has_links || !world_->awake(node)) {
      no_links_since_.erase(node);
      continue;
    }
    const absl::Time since =
        no_links_since_.try_emplace(node, now()).first->second;
    const SamplerService& service = *world_->server(s).service;
    if (now() - since > kSoon && service.active() + service.queued() > 0) {
      world_->verdict().Fail(
          "work for nobody",
          absl::StrCat("server ", s, ": ", service.active(), " batches, ",
                       service.queued(), " credits"));
    }
  }
}

}  // namespace tributary
