#include "partition/schema/partition_choice.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace tributary {
namespace {

absl::Status WrongPartition(absl::string_view part) {
  return absl::InvalidArgumentError(absl::StrCat(
      "partition \"", part,
      "\"; allowed: all, numbers from 0 to 4294967295: 0,2, or a share K%N "
      "with K below N: 1%4"));
}

}  // namespace

absl::StatusOr<PartitionChoice> PartitionChoice::Parse(std::string_view text) {
  PartitionChoice choice;
  if (text == "all" || text == "*") return choice;
  const std::string list(text);
  const std::vector<std::string> share = absl::StrSplit(list, '%');
  if (share.size() == 2) {
    if (!absl::SimpleAtoi(share[0], &choice.share_) ||
        !absl::SimpleAtoi(share[1], &choice.of_) ||
        choice.share_ >= choice.of_) {
      return WrongPartition(list);
    }
    return choice;
  }
  for (absl::string_view part : absl::StrSplit(list, ',')) {
    if (!absl::SimpleAtoi(part, &choice.numbers_.emplace_back())) {
      return WrongPartition(part);
    }
  }
  return choice;
}

std::string PartitionChoice::ToString() const {
  if (is_share()) return absl::StrCat(share_, "%", of_);
  return numbers_.empty() ? "all" : absl::StrJoin(numbers_, ",");
}

std::vector<uint32_t> PartitionChoice::Of(uint32_t num_partitions) const {
  if (!is_share()) return numbers_;
  std::vector<uint32_t> chosen;
  for (uint64_t p = share_; p < num_partitions; p += of_) {
    chosen.push_back(static_cast<uint32_t>(p));
  }
  if (chosen.empty() && num_partitions > 0) {
    chosen.push_back(share_ % num_partitions);
  }
  return chosen;
}

}  // namespace tributary
