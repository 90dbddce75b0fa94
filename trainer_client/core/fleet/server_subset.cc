#include "trainer_client/core/fleet/server_subset.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

#include "common/hash/sha256.h"

namespace tributary {

uint64_t SubsetScore(std::string_view client, const Address& server) {
  const Sha256Digest digest =
      Sha256Of(std::string(client) + "\n" + server.ToString());
  uint64_t score = 0;
  std::memcpy(&score, digest.data(), sizeof(score));
  return score;
}

std::vector<size_t> ChooseSubset(const std::vector<SubsetCandidate>& candidates,
                                 size_t max, uint32_t num_partitions) {
  std::vector<size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order, [&](size_t i) { return !candidates[i].usable; });
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tuple(!candidates[a].own, ~candidates[a].score, a) <
           std::tuple(!candidates[b].own, ~candidates[b].score, b);
  });
  std::set<size_t> chosen;
  std::set<uint32_t> owned;
  for (const size_t i : order) {
    bool more = false;
    for (uint32_t p : candidates[i].partitions) more |= owned.insert(p).second;
    if (more) chosen.insert(i);
  }
  for (const size_t i : order) {
    if (chosen.size() >= max) break;
    chosen.insert(i);
  }
  const auto unknown = std::find_if(order.begin(), order.end(), [&](size_t i) {
    return candidates[i].partitions.empty() && !chosen.contains(i);
  });
  if (owned.size() < num_partitions && unknown != order.end()) {
    chosen.insert(*unknown);
  }
  return {chosen.begin(), chosen.end()};
}

}  // namespace tributary
