#include "trainer_client/core/fleet/death_record.h"

#include <cmath>

namespace tributary {
namespace {

// What is taken for seen before anything was: one loss in this time.
constexpr absl::Duration kPrior = absl::Seconds(5);
constexpr double kChance = 1e-6;

}  // namespace

void DeathRecord::AddLost(Loss loss) {
  const bool known = std::any_of(
      losses_.begin(), losses_.end(),
      [&](const Loss& other) { return other.holder == loss.holder; });
  if (!known) losses_.push_back(std::move(loss));
}

bool DeathRecord::Convicts(const std::vector<const Loss*>& deaths,
                           const FleetLosses& fleet) const {
  if (deaths.size() < kMinDeaths) return false;
  if (deaths.size() >= kMaxDeaths) return true;
  const uint64_t others =
      fleet.lost - std::min<uint64_t>(fleet.lost, losses_.size());
  const double rate = (static_cast<double>(others) + 1) /
                      absl::ToDoubleSeconds(fleet.up + kPrior);
  double chance = 1;
  for (const Loss* death : deaths) {
    chance *= -std::expm1(-rate * absl::ToDoubleSeconds(death->age));
  }
  return chance < kChance;
}

}  // namespace tributary
