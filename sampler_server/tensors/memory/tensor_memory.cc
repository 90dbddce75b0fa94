#include "sampler_server/tensors/memory/tensor_memory.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tributary {

TensorMemory::TensorMemory(std::string name, size_t limit, JobWeights weights)
    : name_(std::move(name)), limit_(limit), weights_(std::move(weights)) {}

size_t TensorMemory::ShareOf(const std::string& job) const {
  if (!weights_.ListsAny()) return limit_;
  return static_cast<size_t>(static_cast<unsigned __int128>(limit_) *
                             weights_.WeightOf(job) / weights_.TotalWeight());
}

absl::StatusOr<Reservation> TensorMemory::Reserve(const std::string& job,
                                                  size_t bytes,
                                                  const std::string& what) {
  const std::string account = AccountOf(job);
  std::shared_ptr<ByteBudget> budget;
  {
    MutexLock lock(mutex_);
    auto& found = accounts_[account];
    if (found == nullptr) {
      found = ByteBudget::Create(name_, ShareOf(job));
    }
    budget = found;
  }
  auto reservation = budget->TryReserve(bytes);
  if (reservation.ok()) return reservation;
  const size_t used = budget->used();
  const std::string share =
      weights_.ListsAny()
          ? absl::StrCat(" that --job-weights give to job '", account, "'")
          : "";
  return absl::ResourceExhaustedError(absl::StrCat(
      what, " needs ", bytes, " bytes on this server; ",
      budget->limit() - std::min(used, budget->limit()), " of the ",
      budget->limit(), " of ", name_, share, " are free"));
}

size_t TensorMemory::used() const {
  MutexLock lock(mutex_);
  size_t used = 0;
  for (const auto& [name, budget] : accounts_) used += budget->used();
  return used;
}

}  // namespace tributary
