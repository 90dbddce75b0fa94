// Which servers are a trainer's own when several share a fleet.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_SPREAD_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_SPREAD_H_

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tributary {

// Numbers [first, second) in the list of servers. In order and in even parts,
// the first trainers one more: 2 trainers and 4 servers are {0: [0, 1], 1: [2,
// 3]}. Of more trainers than servers each has one, in turns. As GLT's clients
// (assign_server_by_order). Requires client < num_clients; empty without
// servers.
inline std::pair<size_t, size_t> SpreadServers(size_t num_servers,
                                               size_t num_clients,
                                               size_t client) {
  if (num_servers == 0) return {0, 0};
  if (num_servers < num_clients) {
    return {client % num_servers, client % num_servers + 1};
  }
  const size_t part = num_servers / num_clients;
  const size_t more = num_servers % num_clients;
  const size_t first = client * part + std::min(client, more);
  return {first, first + part + (client < more ? 1 : 0)};
}

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_SPREAD_H_
