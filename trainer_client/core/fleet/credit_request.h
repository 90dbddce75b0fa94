// The request of a loader to a server for one batch.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_CREDIT_REQUEST_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_CREDIT_REQUEST_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/batch/batch_key.h"
#include "trainer_client/core/fleet/batch_ref.h"
#include "trainer_client/core/fleet/receive_slot.h"
#include "trainer_client/core/held/held_rows.h"

namespace tributary {

// The inputs of one batch. A batch of nodes has the three vectors; a batch of
// links has `link_credit` alone.
struct CreditInputs {
  std::vector<uint64_t> numbers;      // positions in the input list
  std::vector<int64_t> original_ids;  // one for each number
  std::vector<int64_t> times;         // one for each number, or none
  // Numbers, links and times, encoded; null for a batch of nodes.
  std::shared_ptr<const std::vector<uint8_t>> link_credit;
  uint64_t num_links = 0;
};

// The rows that a trainer holds, and what of them a credit names.
struct HeldCredit {
  std::shared_ptr<HeldRows> rows;
  std::shared_ptr<const HeldView> view;  // null: nothing
};

// A credit: the batch, its inputs, and the room to put it into.
struct CreditRequest {
  BatchKey key;
  uint64_t generation = 0;
  // The server gets no other request until this one is answered.
  bool exclusive = false;
  std::shared_ptr<ReceiveSlot> slot;
  CreditInputs inputs;
  HeldCredit held;
  bool compact = true;   // edges may come compact
  std::string trace_id;  // 16 bytes; empty: the batch is not traced

  BatchRef batch() const { return {key.index, generation}; }
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_CREDIT_REQUEST_H_
