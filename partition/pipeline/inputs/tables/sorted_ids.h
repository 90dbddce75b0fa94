// Sorts and merges distinct ids, in bounded memory.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_SORTED_IDS_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_SORTED_IDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "partition/source/spool.h"

namespace tributary {

// Texts by their number, in the order in which they were added; finds them by
// hash. Not thread-safe.
class TextSet {
 public:
  static constexpr uint32_t kNone = 0xffffffff;

  TextSet();
  // Adds a text unless it is there. Requires size() < 2^31.
  void Add(absl::string_view text);
  // Returns the number of a text, or kNone.
  uint32_t Find(absl::string_view text) const;
  absl::string_view text(uint32_t number) const {
    return {bytes_.data() + ends_[number], ends_[number + 1] - ends_[number]};
  }
  uint32_t size() const { return static_cast<uint32_t>(ends_.size() - 1); }
  // Returns the bytes that it takes, about.
  size_t memory() const;
  void Clear();

 private:
  size_t SlotOf(absl::string_view text) const;
  void Grow();

  std::vector<char> bytes_;
  std::vector<uint64_t> ends_;   // text i is [ends_[i], ends_[i + 1])
  std::vector<uint32_t> slots_;  // numbers by hash, with linear probing
};

// Collects texts and hands out the distinct ones in byte order. What does not
// fit into memory is kept as sorted runs in the spool, and merged. Not
// thread-safe.
class SortedIds {
 public:
  // Uses up to about `memory` bytes, and names NAME.run0, NAME.run1, ... of the
  // spool, which must outlive this.
  SortedIds(const Spool& spool, std::string name, size_t memory);

  absl::Status Add(absl::string_view text);
  // Calls use(text) for each distinct text, in byte order. Removes the runs.
  // Call once, at the end.
  absl::Status ForEach(absl::FunctionRef<absl::Status(absl::string_view)> use);

 private:
  absl::Status WriteRun();
  std::vector<uint32_t> Order() const;

  const Spool& spool_;
  const std::string name_;
  const size_t memory_;
  TextSet texts_;
  std::vector<std::string> runs_;  // their names in the spool
  int num_runs_ = 0;               // made so far
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_SORTED_IDS_H_
