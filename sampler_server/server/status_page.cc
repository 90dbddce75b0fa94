#include "sampler_server/server/status_page.h"

#include <utility>

#include "common/status/fleet_html.h"

namespace tributary {

HttpReply StatusPageFor(const Identity& client, const std::string& address,
                        v1::ServerStatus own, std::vector<ServerView> peers,
                        absl::Time at) {
  ServerView self;
  self.address = address;
  self.status = own;
  std::vector<ServerView> servers = std::move(peers);
  servers.push_back(std::move(self));
  FleetStatus fleet = MakeFleetStatus(at, address, servers);
  if (client.role == Role::kTrainer) {
    fleet = OnlyJob(std::move(fleet), client.name, own);
  }
  HttpReply reply{200, "text/html; charset=utf-8", FleetHtml(fleet), {}};
  // The page is text and a style: a browser is told to fetch and run nothing,
  // should anything ever get through the escaping.
  reply.headers = {
      {"Content-Security-Policy",
       "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
       "form-action 'none'; frame-ancestors 'none'"},
      {"Cache-Control", "no-store"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"}};
  return reply;
}

}  // namespace tributary
