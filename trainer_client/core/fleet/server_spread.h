// Shares a fleet's servers out among trainers.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_SPREAD_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_SPREAD_H_

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tributary {

// Returns the range [first, second) of positions in the list of servers that
// belongs to trainer `client`. The list is cut in order into even parts, the
// first parts one longer: 2 trainers and 4 servers give {0: [0, 2), 1: [2, 4)}.
// If there are more trainers than servers, each trainer has one server, in
// turns. This is GLT's assign_server_by_order. The range is empty if there are
// no servers. Requires client < num_clients.
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
