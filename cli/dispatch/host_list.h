// The machines that a graph is sent to, and what each of them gets.
#ifndef TRIBUTARY_CLI_DISPATCH_HOST_LIST_H_
#define TRIBUTARY_CLI_DISPATCH_HOST_LIST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tributary {

struct DispatchHost {
  std::string name;
  std::vector<uint32_t> partitions;  // ascending; empty: all

  // Returns what `--partitions` takes: "all" or "0,3".
  std::string PartitionsText() const;
};

// Parses a file of lines "HOST [PARTITIONS]", where PARTITIONS is what `serve
// --partitions` takes: all, numbers, or a share such as 1%4. Host i of n
// without PARTITIONS gets the share i%n. # begins a comment. INVALID_ARGUMENT
// names `path` and the line, or a partition that no host gets.
absl::StatusOr<std::vector<DispatchHost>> ParseHostFile(
    absl::string_view text, absl::string_view path, uint32_t num_partitions);

// Parses DGL's ip_config file (ParseServerFile): ports are left out, each host
// gets its share once.
absl::StatusOr<std::vector<DispatchHost>> ParseIpConfig(
    absl::string_view text, absl::string_view path, uint32_t num_partitions);

// Returns whether `text` is the same to every shell: letters, digits and
// "/._+=:@%~-[]", neither empty nor beginning with '-'.
bool IsPlainWord(absl::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_DISPATCH_HOST_LIST_H_
