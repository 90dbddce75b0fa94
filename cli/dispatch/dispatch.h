// Sends the folders of a graph's partitions to the machines that serve them.
#ifndef TRIBUTARY_CLI_DISPATCH_DISPATCH_H_
#define TRIBUTARY_CLI_DISPATCH_DISPATCH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/dispatch/command_template.h"
#include "cli/dispatch/host_list.h"

namespace tributary {

struct DispatchOptions {
  std::string graph;  // folder, with all partitions
  std::string to;     // folder at each host, a plain word
  CommandTemplate copy;
  std::optional<CommandTemplate> verify;  // none: copies are believed
  // Further ones, which are run for each host before all others, with the
  // places of `copy` that are the same for all of its files.
  std::vector<CommandTemplate> beside;
  int jobs = 4;  // hosts at a time
};

// The result for one host, and what it was sent.
struct Dispatched {
  DispatchHost host;
  uint64_t files = 0;  // beside graph.json
  uint64_t bytes = 0;
  bool already = false;  // `verify` found it complete: nothing was copied
  absl::Status status;
};

// The places of the commands.
std::vector<std::string> CopyPlaces();
std::vector<std::string> VerifyPlaces();

// Sends to each host the files that a server of its partitions reads. First
// `verify` is run: a host where it succeeds is complete. Else `copy` is run
// for all files but graph.json, hot/hot.json and the files.json of hot lists,
// then for these, so that no server opens half a graph, and `verify` again.
// {list} is a file with a path per line, relative to {graph}; {folder} a folder
// with just these files, as hard links. Calls `report`, one call at a time,
// when a host is done or has failed; other hosts go on. UNAVAILABLE if one has
// failed, naming them; the errors of reading the graph.
absl::Status Dispatch(const DispatchOptions& options,
                      const std::vector<DispatchHost>& hosts,
                      absl::FunctionRef<void(const Dispatched&)> report);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_DISPATCH_DISPATCH_H_
