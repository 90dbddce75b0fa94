// The partitions of a graph that a server holds: option --partitions.
#ifndef TRIBUTARY_PARTITION_SCHEMA_PARTITION_CHOICE_H_
#define TRIBUTARY_PARTITION_SCHEMA_PARTITION_CHOICE_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace tributary {

// All partitions, given ones, or a share. A share K of N fits graphs of any
// number of partitions: it is the partitions whose number is K modulo N. Where
// the graph has no such partition, because it has fewer than N, it is the
// partition K modulo the graph's number. So N servers with the shares 0 to N-1
// hold every partition, each of them holds at least one, and N servers of a
// graph of N partitions hold one each.
class PartitionChoice {
 public:
  PartitionChoice() = default;  // all
  PartitionChoice(std::initializer_list<uint32_t> numbers)
      : numbers_(numbers) {}
  PartitionChoice(std::vector<uint32_t> numbers)  // none: all
      : numbers_(std::move(numbers)) {}

  // Parses "all" or "*", numbers such as "0,2", or a share such as "1%4".
  // INVALID_ARGUMENT names the number that is wrong.
  static absl::StatusOr<PartitionChoice> Parse(std::string_view text);

  // Returns the partitions chosen of a graph of `num_partitions`; empty: all.
  // Given numbers are returned as they are, also if the graph lacks them.
  std::vector<uint32_t> Of(uint32_t num_partitions) const;
  // Returns the text that Parse takes.
  std::string ToString() const;
  // Whether Of depends on its argument.
  bool is_share() const { return of_ > 0; }

  friend bool operator==(const PartitionChoice&,
                         const PartitionChoice&) = default;

 private:
  std::vector<uint32_t> numbers_;
  uint32_t share_ = 0;
  uint32_t of_ = 0;  // 0: no share
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SCHEMA_PARTITION_CHOICE_H_
