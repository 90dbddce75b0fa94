#include "tests/sim/shrink.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tributary {
namespace {

class Shrinker {
 public:
  Shrinker(Schedule schedule, const std::function<bool(const Schedule&)>& fails,
           const ShrinkOptions& options)
      : best_(std::move(schedule)), fails_(fails), options_(options) {}

  Schedule Run() {
    bool shorter = true;
    while (shorter && runs_ < options_.max_runs) {
      shorter = LeaveOutFaults();
      shorter |= LeaveOutNodes(&Schedule::servers, /*servers=*/true);
      shorter |= LeaveOutNodes(&Schedule::trainers, /*servers=*/false);
      for (const SimField& field : SimFields()) shorter |= LessOf(field);
      for (size_t i = 0; i < best_.faults.size(); ++i) shorter |= Soften(i);
    }
    return best_;
  }

 private:
  // Adopts the candidate if it differs and still fails.
  bool Try(Schedule candidate) {
    Normalize(candidate);
    if (candidate == best_ || runs_ >= options_.max_runs) return false;
    ++runs_;
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  // Large pieces first, then ever smaller ones.
  bool LeaveOutFaults() {
    bool any = false;
    for (size_t piece = best_.faults.size(); piece > 0; piece /= 2) {
      for (size_t from = 0; from < best_.faults.size();) {
        Schedule candidate = best_;
        const auto first = candidate.faults.begin() + from;
        const size_t n = std::min(piece, candidate.faults.size() - from);
        candidate.faults.erase(first, first + n);
        if (Try(std::move(candidate))) {
          any = true;
        } else {
          from += piece;
        }
      }
    }
    return any;
  }

  // Later nodes are renumbered and keep their faults.
  bool LeaveOutNodes(int64_t Schedule::*count, bool servers) {
    bool any = false;
    for (int64_t gone = best_.*count - 1; gone >= 0 && best_.*count > 1;
         --gone) {
      Schedule candidate = best_;
      --(candidate.*count);
      const auto renumber = [&](SimNodeName& node) {
        if (node.is_server != servers) return true;
        if (node.number == gone) return false;
        if (node.number > gone) --node.number;
        return true;
      };
      std::erase_if(candidate.faults, [&](SimFault& fault) {
        const bool keep = renumber(fault.node);
        return !renumber(fault.other) || !keep;
      });
      any |= Try(std::move(candidate));
    }
    return any;
  }

  // Moves a number to its default, or half the way, or by one.
  bool LessOf(const SimField& field) {
    if (field.value == &Schedule::seed) return false;
    const int64_t least = Schedule().*field.value;
    bool any = false;
    while (best_.*field.value != least) {
      const int64_t now = best_.*field.value;
      const int64_t one = now > least ? -1 : 1;
      bool shorter = false;
      for (int64_t value : {least, now + (least - now) / 2, now + one}) {
        if (value == now) continue;
        Schedule candidate = best_;
        candidate.*field.value = value;
        shorter = Try(std::move(candidate));
        if (shorter) break;
        if (now - least > 64 || least - now > 64) break;  // bytes, rates
      }
      if (!shorter) break;
      any = true;
    }
    return any;
  }

  bool Soften(size_t i) {
    bool any = false;
    for (absl::Duration unit :
         {absl::Seconds(1), absl::Milliseconds(100), absl::Milliseconds(1)}) {
      Schedule candidate = best_;
      SimFault& fault = candidate.faults[i];
      fault.lasts = absl::Ceil(fault.lasts / 2, unit);
      if (fault.lasts < best_.faults[i].lasts) any |= Try(candidate);
      candidate = best_;
      candidate.faults[i].at = absl::Floor(candidate.faults[i].at, unit);
      any |= Try(std::move(candidate));
    }
    return any;
  }

  Schedule best_;
  const std::function<bool(const Schedule&)>& fails_;
  const ShrinkOptions options_;
  int runs_ = 0;
};

}  // namespace

Schedule Shrink(const Schedule& schedule,
                const std::function<bool(const Schedule&)>& fails,
                const ShrinkOptions& options) {
  Schedule normal = schedule;
  Normalize(normal);
  return Shrinker(std::move(normal), fails, options).Run();
}

}  // namespace tributary
