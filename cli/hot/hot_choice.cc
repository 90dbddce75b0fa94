#include "cli/hot/hot_choice.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "cli/command/command.h"
#include "common/text/parse_byte_size.h"

namespace tributary {
namespace {

// A class of nodes of one type, in the order in which classes are chosen.
struct Candidate {
  double gain = 0;  // bytes of replies saved for each byte of the cache
  size_t type = 0;
  uint32_t count = 0;
  uint64_t nodes = 0;
};

std::vector<Candidate> CandidatesOf(absl::Span<const HotType> types) {
  std::vector<Candidate> candidates;
  for (size_t t = 0; t < types.size(); ++t) {
    if (types[t].cached_bytes == 0) continue;
    const double worth = static_cast<double>(types[t].reply_bytes) /
                         static_cast<double>(types[t].cached_bytes);
    for (const auto& [count, nodes] : types[t].remote) {
      if (count == 0) continue;
      candidates.push_back({count * worth, t, count, nodes.nodes});
    }
  }
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.gain > b.gain; });
  return candidates;
}

// Takes up to `room` nodes of the next class of a type. Returns how many.
uint64_t TakeClass(const Candidate& candidate, uint64_t room,
                   HotTypeChoice& choice) {
  const uint64_t nodes = std::min(candidate.nodes, room);
  if (nodes == 0) return 0;
  choice.above = candidate.count;
  choice.ties = nodes;
  choice.rows += nodes;
  return nodes;
}

}  // namespace

absl::StatusOr<HotSize> HotSize::Parse(absl::string_view text) {
  HotSize size;
  double ratio = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, ratio);
  if (error == std::errc() && at == end && ratio > 0 && ratio <= 1) {
    size.ratio = ratio;
    return size;
  }
  // 1.5 is neither a share nor a number of bytes.
  const bool whole = at != end || ratio == std::floor(ratio);
  const auto bytes = ParseByteSize(std::string(text));
  if (whole && bytes.ok() && *bytes > 0) {
    size.bytes = *bytes;
    return size;
  }
  return UsageError(absl::StrCat(
      "--hot-cache ", text,
      "\nallowed: a share of the nodes above 0 and up to 1 (0.2), or bytes "
      "(500MB, 2GB)"));
}

std::string HotSize::ToString() const {
  return ratio.has_value() ? absl::StrCat(*ratio) : absl::StrCat(bytes, "B");
}

std::vector<HotTypeChoice> ChooseHotRows(const HotSize& size,
                                         absl::Span<const HotType> types) {
  std::vector<HotTypeChoice> choice(types.size());
  uint64_t bytes_left = size.bytes;
  std::vector<bool> full(types.size());
  for (const Candidate& candidate : CandidatesOf(types)) {
    const HotType& type = types[candidate.type];
    HotTypeChoice& of_type = choice[candidate.type];
    if (full[candidate.type]) continue;
    const uint64_t room =
        size.ratio.has_value()
            ? static_cast<uint64_t>(std::floor(
                  *size.ratio * static_cast<double>(type.num_nodes))) -
                  of_type.rows
            : bytes_left / type.cached_bytes;
    const uint64_t taken = TakeClass(candidate, room, of_type);
    full[candidate.type] = taken < candidate.nodes;
    if (!size.ratio.has_value()) bytes_left -= taken * type.cached_bytes;
  }
  return choice;
}

RemoteRows PredictRemote(absl::Span<const HotType> types,
                         absl::Span<const HotTypeChoice> choice) {
  RemoteRows remote;
  for (size_t t = 0; t < types.size(); ++t) {
    for (const auto& [count, nodes] : types[t].remote) {
      double share = 1;  // of the accesses that stay remote
      if (count > choice[t].above) share = 0;
      if (count == choice[t].above && nodes.nodes > 0) {
        share = 1 - static_cast<double>(choice[t].ties) /
                        static_cast<double>(nodes.nodes);
      }
      const double rows = share * static_cast<double>(nodes.later);
      remote.rows += rows;
      remote.bytes += rows * static_cast<double>(types[t].reply_bytes);
    }
  }
  return remote;
}

RemoteRows CountRemote(absl::Span<const HotType> types) {
  return PredictRemote(types, std::vector<HotTypeChoice>(types.size()));
}

}  // namespace tributary
