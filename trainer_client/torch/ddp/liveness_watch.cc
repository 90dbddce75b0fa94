#include "trainer_client/torch/ddp/liveness_watch.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

std::string Seconds(absl::Duration duration) {
  return absl::StrCat(absl::ToInt64Seconds(duration), " s");
}

void Count(uint64_t& last, uint64_t now, absl::Duration step,
           absl::Duration& silence) {
  silence = last == now ? silence + step : absl::ZeroDuration();
  last = now;
}

}  // namespace

LivenessWatch::LivenessWatch(size_t members, SilenceLimits limits,
                             absl::Time now)
    : limits_(limits), observed_at_(now), members_(members) {}

void LivenessWatch::Observe(absl::Span<const Beats> beats, absl::Time now) {
  const absl::Duration step = std::min(now - observed_at_, kLongestStep);
  observed_at_ = now;
  for (size_t i = 0; i < members_.size() && i < beats.size(); ++i) {
    Member& member = members_[i];
    Count(member.last.alive, beats[i].alive, step, member.alive_silence);
    Count(member.last.progress, beats[i].progress, step,
          member.progress_silence);
  }
}

std::optional<std::string> LivenessWatch::FrozenReason(size_t i) const {
  const Member& member = members_[i];
  if (member.last.alive == 0) {
    if (member.alive_silence < limits_.start) return std::nullopt;
    return absl::StrCat("no heartbeat in its first ", Seconds(limits_.start));
  }
  if (member.alive_silence >= limits_.alive) {
    return absl::StrCat("no heartbeat for ", Seconds(limits_.alive));
  }
  if (member.last.progress > 0 && member.progress_silence >= limits_.progress) {
    return absl::StrCat("no progress for ", Seconds(limits_.progress),
                        ", though its process lives");
  }
  return std::nullopt;
}

}  // namespace tributary
