// Chooses the rows of a cache of hot rows by counts of accesses, and predicts
// what the cache saves.
#ifndef TRIBUTARY_CLI_HOT_HOT_CHOICE_H_
#define TRIBUTARY_CLI_HOT_HOT_CHOICE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tributary {

// The size of a partition's cache: a share of the nodes of each type, as GLT's
// cache_ratio, or bytes.
struct HotSize {
  std::optional<double> ratio;  // above 0, at most 1
  uint64_t bytes = 0;           // if there is no ratio

  // Parses "0.2" or "1" as a ratio, and "2GB" or "4096" as bytes. Returns a
  // usage error, naming --hot-cache, for anything else.
  static absl::StatusOr<HotSize> Parse(absl::string_view text);
  std::string ToString() const;
};

// The remote nodes of one type for one partition that were accessed equally
// often in the batches by which rows are chosen.
struct AccessClass {
  uint64_t nodes = 0;
  uint64_t later = 0;  // accesses in the batches by which savings are predicted
};
// Classes by their number of accesses, which is 0 for nodes that only the later
// batches have. There are few: n different numbers take n^2 / 2 accesses.
using AccessHistogram = std::map<uint32_t, AccessClass>;

// A node type as a cache sees it.
struct HotType {
  uint64_t num_nodes = 0;     // of the whole graph
  uint64_t reply_bytes = 0;   // that a row takes in a reply of its owner
  uint64_t cached_bytes = 0;  // that a row takes in the cache; 0: is not cached
  AccessHistogram remote;
};

// The nodes of a type that are chosen: all that were accessed more than `above`
// times, and `ties` of those that were accessed so often.
struct HotTypeChoice {
  uint32_t above = UINT32_MAX;
  uint64_t ties = 0;
  uint64_t rows = 0;  // in all
};

// Chooses for one partition, by type. With a ratio each type has the most
// accessed of its own nodes; with bytes those come first that save most bytes
// of replies for each byte of the cache. Nodes without an access are not
// chosen.
std::vector<HotTypeChoice> ChooseHotRows(const HotSize& size,
                                         absl::Span<const HotType> types);

// Remote rows and their bytes in replies.
struct RemoteRows {
  double rows = 0;
  double bytes = 0;
};
// Returns what the later batches still ask of peers; of nodes that tie, the
// mean over those that could be chosen.
RemoteRows PredictRemote(absl::Span<const HotType> types,
                         absl::Span<const HotTypeChoice> choice);
// Returns what they ask without a cache.
RemoteRows CountRemote(absl::Span<const HotType> types);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_HOT_HOT_CHOICE_H_
