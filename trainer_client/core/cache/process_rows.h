// Held rows that the loaders of this process share, and other processes.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_PROCESS_ROWS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_PROCESS_ROWS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/hash/sha256.h"
#include "common/runtime/mutex.h"
#include "trainer_client/core/cache/machine_rows.h"
#include "trainer_client/core/held/held_rows.h"

namespace tributary {

// The process's one part in the rows of an identity. Thread-safe.
class ProcessRows {
 public:
  // Returns the one that some loader of this process holds, or a new one.
  // Errors as MachineRows::Start.
  static absl::StatusOr<std::shared_ptr<ProcessRows>> Of(
      const std::string& identity);
  explicit ProcessRows(std::unique_ptr<MachineRows> machine)
      : machine_(std::move(machine)) {}

  const std::shared_ptr<MachineRows>& machine() const { return machine_; }
  // Returns the rows; the first caller says of which list and form.
  std::shared_ptr<HeldRows> Rows(const Sha256Digest& list,
                                 std::vector<HeldRows::Type> types);

 private:
  const std::shared_ptr<MachineRows> machine_;
  Mutex mutex_;
  std::shared_ptr<HeldRows> rows_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_PROCESS_ROWS_H_
