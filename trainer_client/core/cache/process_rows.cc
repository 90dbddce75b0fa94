#include "trainer_client/core/cache/process_rows.h"

#include <map>

#include "common/text/status.h"

namespace tributary {
namespace {

struct Registry {
  Mutex mutex;
  std::map<std::string, std::weak_ptr<ProcessRows>> rows ABSL_GUARDED_BY(mutex);
};

}  // namespace

absl::StatusOr<std::shared_ptr<ProcessRows>> ProcessRows::Of(
    const std::string& identity) {
  static auto& registry = *new Registry;
  MutexLock lock(registry.mutex);
  std::erase_if(registry.rows,
                [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<ProcessRows>& known = registry.rows[identity];
  if (auto rows = known.lock()) return rows;
  ASSIGN_OR_RETURN(std::unique_ptr<MachineRows> machine,
                   MachineRows::Start(identity));
  auto rows = std::make_shared<ProcessRows>(std::move(machine));
  known = rows;
  return rows;
}

std::shared_ptr<HeldRows> ProcessRows::Rows(const Sha256Digest& list,
                                            std::vector<HeldRows::Type> types) {
  MutexLock lock(mutex_);
  if (rows_ == nullptr) {
    rows_ = std::make_shared<HeldRows>(list, types);
    machine_->Attach(rows_, std::move(types));
  }
  return rows_;
}

}  // namespace tributary
