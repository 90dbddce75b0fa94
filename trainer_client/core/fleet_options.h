// Derives the options of a trainer's connections from those of the trainer.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_OPTIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_OPTIONS_H_

#include <cstdint>
#include <memory>

#include "channel/transport.h"
#include "common/fleet/discovery_source.h"
#include "common/fleet/host_resolver.h"
#include "common/runtime/executor.h"
#include "trainer_client/core/fleet/server_fleet.h"
#include "trainer_client/core/options.h"

namespace tributary {

// Returns the options of a fleet that reaches the servers of `source`, which is
// worker.Source(). Requires options that were validated. `transport` and
// `resolver` must outlive the fleet.
ServerFleetOptions FleetOptionsOf(const RemoteDistSamplingWorkerOptions& worker,
                                  const DiscoverySource& source,
                                  Transport* transport,
                                  std::shared_ptr<Strand> strand,
                                  HostResolver* resolver, uint64_t jitter_seed);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_OPTIONS_H_
