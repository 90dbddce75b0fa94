#include "sampler_server/server/peered_graph.h"

#include <utility>

#include "sampler_server/peers/peer_partitions.h"

namespace tributary {

PeeredGraph MakePeeredGraph(std::shared_ptr<const Graph> graph,
                            std::shared_ptr<RowReader> rows,
                            std::shared_ptr<const HotCache> hot,
                            uint64_t incarnation, bool has_peers,
                            Transport* transport, Executor* executor,
                            std::shared_ptr<PeerStatuses> statuses) {
  const GraphSchema& schema = graph->schema();
  PeerDirectoryOptions options;
  options.schema = schema;
  options.own_incarnation = incarnation;
  options.statuses = std::move(statuses);
  PeeredGraph peered;
  peered.directory =
      std::make_shared<PeerDirectory>(std::move(options), transport, executor);
  if (has_peers && graph->partitions().size() < schema.num_partitions) {
    peered.served.remote =
        std::make_shared<PeerPartitions>(schema, peered.directory);
  }
  peered.served.rows = std::move(rows);
  peered.served.hot = std::move(hot);
  peered.served.peers = [directory = peered.directory] {
    return directory->States();
  };
  peered.served.graph = std::move(graph);
  return peered;
}

}  // namespace tributary
