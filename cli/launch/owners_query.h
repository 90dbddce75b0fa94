// Asks a fleet, on a thread of its own, which partitions have no owner.
#ifndef TRIBUTARY_CLI_LAUNCH_OWNERS_QUERY_H_
#define TRIBUTARY_CLI_LAUNCH_OWNERS_QUERY_H_

#include <optional>
#include <string>
#include <thread>

#include "cli/query/fleet_access.h"
#include "common/runtime/mutex.h"

namespace tributary {

// A question at a time. The destructor waits for the last, for a few seconds at
// most.
class OwnersQuery {
 public:
  explicit OwnersQuery(FleetAccess access);
  ~OwnersQuery();
  OwnersQuery(const OwnersQuery&) = delete;
  OwnersQuery& operator=(const OwnersQuery&) = delete;

  void Ask();
  // Returns the answer to the last question once, as MissingOwners(): empty if
  // each partition has an owner. None while there is no answer.
  std::optional<std::string> TakeAnswer();

 private:
  void Run();

  const FleetAccess access_;
  Mutex mutex_;
  CondVar changed_;
  bool asked_ ABSL_GUARDED_BY(mutex_) = false;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<std::string> answer_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;  // last: it uses all members above
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_LAUNCH_OWNERS_QUERY_H_
