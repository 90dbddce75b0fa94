// Tells a batch that kills servers from one that was near when they died.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_DEATH_RECORD_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_DEATH_RECORD_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/fleet/address.h"

namespace tributary {

// The servers that were making one batch when they were lost. Losing touch is
// not dying: a holder found alive again is forgiven. After two, the batch is
// made alone, so that what was made beside it is not blamed; with three that
// may have died it waits until their fate is known. Not thread-safe.
class DeathRecord {
 public:
  struct Holder {
    Address address;
    uint64_t incarnation = 0;
    friend bool operator==(const Holder&, const Holder&) = default;
  };
  enum class Fate { kAlive, kDead, kUnknown };
  enum class Verdict { kInnocent, kAlone, kWait, kGuilty };
  static constexpr size_t kDeaths = 3;

  void Lost(Holder holder) {
    if (std::find(holders_.begin(), holders_.end(), holder) == holders_.end()) {
      holders_.push_back(std::move(holder));
    }
  }

  // `fate_of(holder)` says what is known of it now.
  template <typename FateOf>
  Verdict Judge(const FateOf& fate_of) {
    size_t dead = 0;
    std::erase_if(holders_, [&](const Holder& holder) {
      const Fate fate = fate_of(holder);
      dead += fate == Fate::kDead;
      return fate == Fate::kAlive;
    });
    if (dead >= kDeaths) return Verdict::kGuilty;
    if (holders_.size() >= kDeaths) return Verdict::kWait;
    return holders_.size() + 1 == kDeaths ? Verdict::kAlone
                                          : Verdict::kInnocent;
  }

  const std::vector<Holder>& holders() const { return holders_; }

 private:
  std::vector<Holder> holders_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_DEATH_RECORD_H_
