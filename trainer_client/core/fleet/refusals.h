// The answers by which servers say that something cannot be done.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_REFUSALS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_REFUSALS_H_

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/fleet/address.h"
#include "trainer_client/core/fleet/batch_fleet.h"

namespace tributary {

// Returns `why` with the server before its text: "server HOST:PORT: ...".
absl::Status SaidBy(const Address& server, const absl::Status& why);
// Likewise, for an answer that no other server has confirmed.
absl::Status SaidByOneAlone(const Address& server, const absl::Status& why);

// Collects the refusals of one thing that every server of a fleet should be
// able to do: to make a batch, or to send a page. One server may be wrong or
// lie, so its word alone decides nothing while another one may be asked. Pure
// state; not thread-safe.
class Refusals {
 public:
  // The latest refusal of a server replaces an earlier one.
  void Add(const Address& server, absl::Status why);
  void Clear() { refusals_.clear(); }

  bool empty() const { return refusals_.empty(); }
  // Returns who has refused, each once.
  std::vector<Address> servers() const;

  // Returns whether they are final: every server that is up has refused, and
  // either two have or no other one can come back. Otherwise another server is
  // to be asked, now or once it is up, until the caller's own deadline.
  bool Final(const BatchFleet& fleet) const;
  // Returns what the servers say: one text if they agree; else each with its
  // server, that which most say first, whose code it has. Says so if there is
  // one alone. Requires !empty().
  absl::Status Error() const;

 private:
  std::vector<std::pair<Address, absl::Status>> refusals_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_REFUSALS_H_
