// A graph as a server of a fleet serves it: with the peers that hold the
// partitions which are not here.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVER_PEERED_GRAPH_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVER_PEERED_GRAPH_H_

#include <cstdint>
#include <memory>

#include "channel/transport.h"
#include "common/runtime/executor.h"
#include "partition/format/graph.h"
#include "partition/format/hot_cache.h"
#include "sampler_server/engine/gather/row_reader.h"
#include "sampler_server/peers/peer_directory.h"
#include "sampler_server/peers/peer_statuses.h"
#include "sampler_server/service/catalog/graph_catalog.h"

namespace tributary {

struct PeeredGraph {
  ServedGraph served;
  // Knows no peers yet: tell it by SetListed. Stop it when the graph is no
  // longer served.
  std::shared_ptr<PeerDirectory> directory;
};

// `rows` and `hot` as in ServedGraph; `incarnation` is that of this server. A
// server that never has peers, whatever its directory is told, refuses what
// needs partitions that are not here. `transport` and `executor` outlive the
// directory. `statuses` as in PeerDirectoryOptions.
PeeredGraph MakePeeredGraph(std::shared_ptr<const Graph> graph,
                            std::shared_ptr<RowReader> rows,
                            std::shared_ptr<const HotCache> hot,
                            uint64_t incarnation, bool has_peers,
                            Transport* transport, Executor* executor,
                            std::shared_ptr<PeerStatuses> statuses = nullptr);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_PEERED_GRAPH_H_
