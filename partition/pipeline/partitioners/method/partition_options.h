// Options of partitioners, and what bounds their work.
#ifndef TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METHOD_PARTITION_OPTIONS_H_
#define TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METHOD_PARTITION_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tributary {

// What partitions shall have equal shares of.
struct BalanceOptions {
  bool nodes = false;
  bool edges = false;  // in-edges of the partition's nodes: what it stores
  bool train = false;  // nodes of the splits named "train"
  bool types = false;  // the nodes of each node type by themselves

  bool none() const { return !nodes && !edges && !train && !types; }
  // Returns "nodes,train"; "" for none.
  std::string ToText() const;
  friend bool operator==(const BalanceOptions&,
                         const BalanceOptions&) = default;
};

// Parses names separated by commas. INVALID_ARGUMENT lists the names.
absl::StatusOr<BalanceOptions> ParseBalance(std::string_view text);

// Options that determine a plan, together with the graph.
struct PartitionOptions {
  std::string method = "random";
  uint32_t num_partitions = 1;
  uint64_t random_seed = 0;      // of random
  BalanceOptions balance;        // of metis and ldg; none: nodes
  bool minimize_volume = false;  // of metis: communication volume, not cut
  // Of metis and ldg: the largest share of a partition, in thousandths of the
  // mean: 1001 to 100000. 0: 1030 for metis, 1050 for ldg.
  uint32_t imbalance_permille = 0;
  std::string assignment;  // of assignment: a file or folder
};

// Returns the options other than method, number and seed as flags: " --balance
// nodes,train --imbalance 1.05"; the path of an assignment is left out.
std::string MethodFlagsText(const PartitionOptions& options);

// Checks values, and that each option is one of the method. INVALID_ARGUMENT
// names the flag and what is allowed.
absl::Status CheckPartitionOptions(const PartitionOptions& options);

// What bounds the work of a partitioner. It changes no plan.
struct PartitionContext {
  uint64_t memory_bytes = UINT64_MAX;  // for arrays and buffers of the plan
  int threads = 0;                     // 0: UsableCores()
  // An existing folder for spill files and the finished plan, which the next
  // call for the same graph and options finds. Must belong to one graph: only
  // counts are compared. Empty: nothing is kept, and LDG makes a temporary
  // folder below TMPDIR.
  std::string work_folder;
  // Called by one thread at a time, at most some hundred times a stage, with
  // the stage's name and how much of it is done; may be null.
  std::function<void(std::string_view stage, uint64_t done, uint64_t total)>
      progress;
  // Called with a line about a plan that is not quite what was asked for; may
  // be null.
  std::function<void(std::string_view note)> note;

  int num_threads() const;
  void Report(std::string_view stage, uint64_t done, uint64_t total) const {
    if (progress) progress(stage, done, total);
  }
  void Note(std::string_view text) const {
    if (note) note(text);
  }
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METHOD_PARTITION_OPTIONS_H_
