// A session as a loader runs it.
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

// A session's specification, its inputs, and their order. Immutable once made;
// exactly one of input_ids and links is set.
struct LoaderSession {
  std::shared_ptr<const std::string> spec;  // bytes of a v1::SessionSpec
  Sha256Digest identity{};                  // SHA-256 of spec
  Sha256Digest inputs{};                    // digest of the list of inputs
  Sha256Digest graph{};                     // digest of the graph's content
  std::shared_ptr<const std::vector<int64_t>> input_ids;  // original ids
  std::shared_ptr<const LinkColumns> links;
  LinkLists link_lists;  // which links are of which edge type
  // One time for each input; null: none are given.
  std::shared_ptr<const std::vector<int64_t>> input_times;
  EpochOrderOptions order;
  uint32_t own_rank = 0;  // see OrderIdentity
  uint32_t own_world = 0;
  uint32_t num_partitions = 0;   // of the graph; 0: unknown
  uint64_t max_batch_bytes = 0;  // no batch is larger; 0: unknown
  // Returns an error for servers that hold another graph.
  std::function<absl::Status(const ServerDescription&)> accept;

  OrderIdentity order_identity() const {
    return {inputs,          graph,    order.random_seed, order.shuffle,
            order.drop_last, own_rank, own_world};
  }
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_LOADER_SESSION_H_
