// `tributary status --watch`: shows a fleet again and again.
#ifndef TRIBUTARY_CLI_STATUS_WATCH_STATUS_H_
#define TRIBUTARY_CLI_STATUS_WATCH_STATUS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/query/fleet_access.h"
#include "common/process/signal_watcher.h"
#include "common/status/fleet_status.h"

namespace tributary {

struct WatchOptions {
  FleetAccess access;
  absl::Duration timeout = absl::Seconds(5);   // for the answers of a round
  absl::Duration interval = absl::Seconds(2);  // from one round to the next
  uint64_t count = 0;                          // rounds; 0: until a signal
  // Whether reports replace one another on the screen; else an empty line is
  // between them.
  bool redraw = false;
};

// Asks the servers of a list how they are, over connections that it keeps. Not
// thread-safe, but for Stop.
class StatusQuery {
 public:
  // Usage errors as AskServers.
  static absl::StatusOr<std::unique_ptr<StatusQuery>> Open(FleetAccess access);
  virtual ~StatusQuery() = default;

  // Reads the list and asks all servers at once. Those that do not answer
  // within `timeout` are silent; those of a release without StatusRequest tell
  // nothing. Errors are those of the list.
  virtual absl::StatusOr<std::vector<ServerView>> Ask(
      absl::Duration timeout) = 0;
  // Makes Ask, running or called later, return CANCELLED. Thread-safe.
  virtual void Stop() = 0;
};

// Passes reports to `print`, until `options.count` are made or a signal comes:
// either is OK. A list that cannot be read is reported in its place and read
// again, but for usage errors.
absl::Status WatchStatus(const WatchOptions& options, SignalWatcher& signals,
                         const std::function<void(const std::string&)>& print);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_STATUS_WATCH_STATUS_H_
