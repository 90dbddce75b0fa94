#include "partition/pipeline/partitioners/method/partition_options.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/runtime/usable_cores.h"
#include "common/text/status.h"
#include "partition/schema/schema_check.h"

namespace tributary {
namespace {

constexpr uint32_t kMaxImbalance = 100000;

absl::Status NotOf(const PartitionOptions& options, const char* flag,
                   const char* methods) {
  return absl::InvalidArgumentError(absl::StrCat(flag, " is not for --method ",
                                                 options.method,
                                                 "\nallowed with: ", methods));
}

}  // namespace

std::string BalanceOptions::ToText() const {
  std::vector<const char*> names;
  if (nodes) names.push_back("nodes");
  if (edges) names.push_back("edges");
  if (train) names.push_back("train");
  if (types) names.push_back("types");
  return absl::StrJoin(names, ",");
}

absl::StatusOr<BalanceOptions> ParseBalance(std::string_view text) {
  BalanceOptions balance;
  for (const absl::string_view name :
       absl::StrSplit(absl::string_view(text.data(), text.size()), ',')) {
    if (name == "nodes") {
      balance.nodes = true;
    } else if (name == "edges") {
      balance.edges = true;
    } else if (name == "train") {
      balance.train = true;
    } else if (name == "types") {
      balance.types = true;
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("--balance has the name \"", name,
                       "\"\nallowed: nodes, edges, train, types, separated by "
                       "commas"));
    }
  }
  return balance;
}

std::string MethodFlagsText(const PartitionOptions& options) {
  std::string text;
  if (!options.balance.none()) {
    absl::StrAppend(&text, " --balance ", options.balance.ToText());
  }
  if (options.minimize_volume) absl::StrAppend(&text, " --objective volume");
  if (options.imbalance_permille != 0) {
    absl::StrAppendFormat(&text, " --imbalance %u.%03u",
                          options.imbalance_permille / 1000,
                          options.imbalance_permille % 1000);
  }
  return text;
}

absl::Status CheckPartitionOptions(const PartitionOptions& options) {
  if (options.num_partitions < 1 || options.num_partitions > kMaxPartitions) {
    return absl::InvalidArgumentError(
        absl::StrCat("--num-parts ", options.num_partitions, "; allowed: 1 to ",
                     kMaxPartitions));
  }
  const bool metis = options.method == "metis";
  const bool balances = metis || options.method == "ldg";
  if (!options.balance.none() && !balances) {
    return NotOf(options, "--balance", "metis, ldg");
  }
  if (options.imbalance_permille != 0) {
    if (!balances) return NotOf(options, "--imbalance", "metis, ldg");
    if (options.imbalance_permille <= 1000 ||
        options.imbalance_permille > kMaxImbalance) {
      return absl::InvalidArgumentError(
          absl::StrCat("--imbalance ", options.imbalance_permille / 1000.0,
                       "; allowed: 1.001 to ", kMaxImbalance / 1000));
    }
  }
  if (options.minimize_volume && !metis) {
    return NotOf(options, "--objective volume", "metis");
  }
  const bool assigned = options.method == "assignment";
  if (assigned && options.assignment.empty()) {
    return absl::InvalidArgumentError(
        "--method assignment needs --assignment FILE or FOLDER");
  }
  if (!assigned && !options.assignment.empty()) {
    return NotOf(options, "--assignment", "assignment");
  }
  return absl::OkStatus();
}

int PartitionContext::num_threads() const {
  return threads > 0 ? threads : UsableCores();
}

}  // namespace tributary
