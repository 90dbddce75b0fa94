// Tells the user of a loader which servers it waits for, and why.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_WAIT_NOTICE_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_WAIT_NOTICE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace tributary {

// A wait that the user should know of, or its end.
struct WaitNotice {
  std::string reason;   // names the servers; empty: the wait has ended
  absl::Duration left;  // until the wait becomes an error
};

// Receives notices, on the loader's executor.
using WaitObserver = std::function<void(const WaitNotice&)>;

// Decides when a wait is reported: after 2 s, then every second, then its end.
// Waits that end earlier are never reported. Not thread-safe.
class WaitReporter {
 public:
  explicit WaitReporter(WaitObserver observer)
      : observer_(std::move(observer)) {}

  // Whether reports have a receiver; if not, Update does nothing.
  bool enabled() const { return observer_ != nullptr; }
  // Call it repeatedly during a wait, which began `waited` ago and becomes an
  // error after `timeout`. `reason` returns an empty string if the wait is not
  // the servers' fault.
  void Update(absl::Duration waited, absl::Duration timeout,
              absl::FunctionRef<std::string()> reason);
  // Call it when the wait has ended.
  void End();

 private:
  static constexpr absl::Duration kFirst = absl::Seconds(2);
  static constexpr absl::Duration kEvery = absl::Seconds(1);

  const WaitObserver observer_;
  absl::Duration next_ = kFirst;
  bool reported_ = false;
};

// One server as a loader sees it.
struct ServerState {
  std::string address;
  bool up = false;
  absl::Status problem;              // why it is not up
  std::vector<uint32_t> partitions;  // that it owns, if it is up
};

// Returns what keeps these servers from making every batch of a graph with
// `num_partitions` partitions: none is listed, none answers (with the reason
// for each), or none of those that answer owns some partition. An empty string
// if nothing does. `num_partitions` is 0 if it is not known yet.
std::string DescribeMissing(absl::Span<const ServerState> servers,
                            uint32_t num_partitions,
                            const absl::Status& listing_problem);

// Returns the cause of a failed connection in a few words, such as "connection
// refused" or "name not found"; otherwise the status itself.
std::string ShortReason(const absl::Status& status);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_WAIT_NOTICE_H_
