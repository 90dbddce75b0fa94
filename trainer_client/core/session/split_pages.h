// Checks the pages of a split that a server sends against the graph's schema.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SPLIT_PAGES_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SPLIT_PAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/fleet/control_calls.h"
#include "trainer_client/core/kinds/session_inputs.h"

namespace tributary {

// Collects the values of a split. Their number and their range are those of the
// schema, so that no server can make the list longer, or name a node that the
// graph does not have. Pure state; not thread-safe.
class SplitPages {
 public:
  // NOT_FOUND: the graph has no such split, with those that it has;
  // INVALID_ARGUMENT: no such type, or the split is empty.
  static absl::StatusOr<SplitPages> Start(const GraphSchema& schema,
                                          const InputSource& source);

  // Returns the number of values that are known, where the next page begins.
  uint64_t offset() const { return values_.size(); }
  bool complete() const { return values_.size() == total_; }
  // Appends the page at offset(). DATA_LOSS, and nothing is taken: it is empty,
  // too long, of a split of another size, or names what the graph lacks.
  absl::Status Add(const InputPage& page);
  // Whether the latest page was shorter than an earlier one that another was to
  // follow: a server that sends such pages makes a list of many ids take very
  // long.
  bool latest_was_short() const { return latest_was_short_; }
  // Requires complete(). Call once.
  std::vector<int64_t> Take() { return std::move(values_); }

 private:
  // What the values at one position of an entry are: node ids, or edge ids.
  struct Range {
    int64_t least = 0;
    int64_t end = 0;
  };
  SplitPages(std::string name, uint64_t total, std::vector<Range> ranges)
      : name_(std::move(name)), total_(total), ranges_(std::move(ranges)) {}

  std::string name_;
  uint64_t total_;
  std::vector<Range> ranges_;  // of the values of an entry
  std::vector<int64_t> values_;
  size_t longest_page_ = 0;
  bool latest_was_short_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SPLIT_PAGES_H_
