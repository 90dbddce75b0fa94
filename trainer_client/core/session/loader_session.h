// One session as a loader works on it: the specification and its inputs.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_LOADER_SESSION_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_LOADER_SESSION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/hash/sha256.h"
#include "common/session/link_columns.h"
#include "common/session/link_lists.h"
#include "trainer_client/core/fleet/control_calls.h"
#include "trainer_client/core/session/epoch_order.h"

namespace tributary {

// What a loader works on.
struct LoaderSession {
  std::shared_ptr<const std::string> spec;  // the bytes that are hashed
  Sha256Digest identity{};                  // of the spec
  Sha256Digest inputs{};                    // of the input list
  std::shared_ptr<const std::vector<int64_t>> input_ids;
  std::shared_ptr<const LinkColumns> links;  // instead, of links; or null
  LinkLists link_lists;                      // of these, by edge type
  std::shared_ptr<const std::vector<int64_t>> input_times;  // as many; or null
  EpochOrderOptions order;
  uint64_t max_batch_bytes = 0;  // the specification's bound; 0: unknown
  // Refuses servers that hold another graph.
  std::function<absl::Status(const ServerDescription&)> accept;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_LOADER_SESSION_H_
