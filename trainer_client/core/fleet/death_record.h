// Finds out whether making a batch kills the servers that try.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_DEATH_RECORD_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_DEATH_RECORD_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/fleet/address.h"

namespace tributary {

// Remembers the servers that were lost while they made one batch. A lost
// connection is no proof of death: a holder that is found alive again is
// forgotten. After two losses the batch is requested exclusively, so that
// batches made beside it are not blamed; after three it waits until the fate of
// all three is known. Pure state; not thread-safe.
class DeathRecord {
 public:
  // One process: `incarnation` differs after a restart.
  struct Holder {
    Address address;
    uint64_t incarnation = 0;
    friend bool operator==(const Holder&, const Holder&) = default;
  };
  enum class Fate { kAlive, kDead, kUnknown };
  enum class Decision {
    kRequest,
    kRequestExclusively,  // of a server with no other open grant
    kWait,                // it may have killed kDeaths servers
    kGiveUp,              // kDeaths servers died making it
  };
  static constexpr size_t kDeaths = 3;

  // Records each holder once.
  void AddLost(Holder holder) {
    if (std::find(holders_.begin(), holders_.end(), holder) == holders_.end()) {
      holders_.push_back(std::move(holder));
    }
  }

  // Forgets holders that are alive. `fate_of(holder)` returns the Fate that is
  // known now.
  template <typename FateOf>
  Decision Decide(const FateOf& fate_of) {
    size_t dead = 0;
    std::erase_if(holders_, [&](const Holder& holder) {
      const Fate fate = fate_of(holder);
      dead += fate == Fate::kDead;
      return fate == Fate::kAlive;
    });
    if (dead >= kDeaths) return Decision::kGiveUp;
    if (holders_.size() >= kDeaths) return Decision::kWait;
    return holders_.size() + 1 == kDeaths ? Decision::kRequestExclusively
                                          : Decision::kRequest;
  }

  const std::vector<Holder>& holders() const { return holders_; }

 private:
  std::vector<Holder> holders_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_DEATH_RECORD_H_
