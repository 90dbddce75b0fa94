// Finds out whether making a batch kills the servers that try.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_DEATH_RECORD_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_DEATH_RECORD_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "common/fleet/address.h"

namespace tributary {

// How often the servers of a fleet are lost: `lost` of them, planned ends left
// out, in `up`, the sum of the times that each has been up.
struct FleetLosses {
  uint64_t lost = 0;
  absl::Duration up;
};

// Remembers the servers that were lost while they made one batch, and convicts
// the batch only on evidence that chance does not give.
//
// A lost connection is no proof of death: a holder that is found alive again is
// forgotten. After two losses the batch is requested exclusively, of a server
// that makes nothing else for this loader, and from then on only deaths of such
// servers are evidence. Servers also die of other causes, perhaps every few
// seconds: each death counts for as much as it is unlikely to have come by
// chance, 1 - exp(-rate * age), where `rate` is that of the losses that this
// batch had no part in (one is added, over five seconds, while little is
// known), and `age` is the batch's at the server's death. The batch is
// convicted once the product is below one in a million, after two such deaths
// at least and kMaxDeaths at most. In a healthy fleet that is after two to
// four; deaths that are not known for certain make it wait. Pure state; not
// thread-safe.
class DeathRecord {
 public:
  // One process: `incarnation` differs after a restart.
  struct Holder {
    Address address;
    uint64_t incarnation = 0;
    friend bool operator==(const Holder&, const Holder&) = default;
  };
  struct Loss {
    Holder holder;
    bool alone = false;  // it had no other grant of this loader
    absl::Duration age;  // of the grant, when the server was lost
  };
  enum class Fate { kAlive, kDead, kUnknown };
  enum class Decision {
    kRequest,
    kRequestExclusively,  // of a server with no other open grant
    kWait,                // those of unknown fate would convict it
    kGiveUp,              // convicted
  };
  // Losses after which a batch is suspect.
  static constexpr size_t kSuspect = 2;
  // Deaths of servers that made nothing else.
  static constexpr size_t kMinDeaths = 2;
  static constexpr size_t kMaxDeaths = 12;

  // Records each holder once.
  void AddLost(Loss loss);

  // Forgets holders that are alive. `fate_of(holder)` returns the Fate that is
  // known now; `fleet` is what the loader has seen of all its servers.
  template <typename FateOf>
  Decision Decide(const FateOf& fate_of, const FleetLosses& fleet) {
    std::vector<const Loss*> dead, all;
    std::erase_if(losses_, [&](const Loss& loss) {
      return fate_of(loss.holder) == Fate::kAlive;
    });
    for (const Loss& loss : losses_) {
      if (!loss.alone) continue;
      all.push_back(&loss);
      if (fate_of(loss.holder) == Fate::kDead) dead.push_back(&loss);
    }
    if (Convicts(dead, fleet)) return Decision::kGiveUp;
    if (Convicts(all, fleet)) return Decision::kWait;
    return is_suspect() ? Decision::kRequestExclusively : Decision::kRequest;
  }

  bool is_suspect() const { return losses_.size() >= kSuspect; }
  const std::vector<Loss>& losses() const { return losses_; }

 private:
  bool Convicts(const std::vector<const Loss*>& deaths,
                const FleetLosses& fleet) const;

  std::vector<Loss> losses_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_DEATH_RECORD_H_
