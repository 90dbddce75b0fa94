#include "sampler_server/tensors/attempt.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"

namespace tributary {
namespace {

// A node of a map, with what the allocator adds.
constexpr size_t kNodeBytes = 80;
// Scope and caller as keys and in closures, the timer of an unused attempt, and
// the purposes of two meetings.
constexpr size_t kFixedBytes =
    sizeof(Attempt) + 2048 + 2 * Meetings::kMaxPurposeBytes;

}  // namespace

size_t Attempt::BytesOf(const AttemptOptions& options) {
  const size_t of_rank = RoundStaging::BytesOfRank() + Meetings::BytesOfRank() +
                         sizeof(WriteLog) + sizeof(AsyncLock) + 3 * kNodeBytes;
  size_t bytes = kFixedBytes + options.world * of_rank +
                 2 * (options.scope.job.size() + options.caller.size());
  for (const RowMember& member : options.members) {
    // The list has grown by doubling.
    bytes += 2 * sizeof(member) + member.address.capacity() + kNodeBytes;
  }
  return bytes;
}

void AttemptOptions::SetPlacement(RowPlacement made, uint32_t index) {
  const auto& sorted = made.members();
  const auto self = std::find(sorted.begin(), sorted.end(), members[index]);
  member = static_cast<uint32_t>(self - sorted.begin());
  placement = std::make_shared<const RowPlacement>(std::move(made));
}

bool AttemptOptions::SameAs(const AttemptOptions& other) const {
  return opener == other.opener && world == other.world &&
         members == other.members && member == other.member;
}

Attempt::Attempt(AttemptOptions options, std::shared_ptr<const void> pin,
                 Executor* executor)
    : options_(std::move(options)),
      executor_(executor),
      clients_{{0, options_.opener}},
      pin_(std::move(pin)),
      meetings_(options_.world, executor, options_.share),
      rounds_(options_.world, options_.rank_staging),
      applied_(std::make_shared<ParkedCalls>(executor)) {}

absl::Status Attempt::Admit(uint32_t rank, uint64_t client) {
  if (rank >= options_.world) {
    return absl::InvalidArgumentError(absl::StrCat(
        "rank ", rank, " in attempt ", options_.number, " of ", options_.world,
        " ranks; allowed: 0 to ", options_.world - 1));
  }
  MutexLock lock(mutex_);
  const auto [it, is_new] = clients_.emplace(rank, client);
  if (it->second == client) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "rank ", rank, " of attempt ", options_.number, " of job '",
      TerminalLine(options_.scope.job),
      "' is another process: a rank that starts again needs a new attempt"));
}

absl::StatusOr<std::shared_ptr<const void>> Attempt::Begin() {
  MutexLock lock(mutex_);
  RETURN_IF_ERROR(ended_);
  return work_->Hold();
}

absl::Status Attempt::WhileOpen(absl::FunctionRef<absl::Status()> work) {
  ASSIGN_OR_RETURN(const auto hold, Begin());
  return work();
}

absl::Status Attempt::ended() const {
  MutexLock lock(mutex_);
  return ended_;
}

void Attempt::End(const absl::Status& why, absl::AnyInvocable<void()> over) {
  absl::Status first;
  {
    MutexLock lock(mutex_);
    if (ended_.ok()) ended_ = why;
    first = ended_;
  }
  applied_->End(first);
  meetings_.End(first);
  work_->OnIdle([self = shared_from_this(), over = std::move(over)]() mutable {
    self->Release();
    over();
  });
}

void Attempt::Release() {
  rounds_.Clear();
  std::shared_ptr<const void> pin, hold;  // released without the lock
  std::map<std::string, std::shared_ptr<TensorTable>> tables;
  MutexLock lock(mutex_);
  pin.swap(pin_);
  hold.swap(server_hold_);
  tables.swap(tables_);
}

void Attempt::Put(const std::string& name, std::shared_ptr<TensorTable> table) {
  MutexLock lock(mutex_);
  tables_[name] = std::move(table);
}

void Attempt::Remove(const std::string& name) {
  std::shared_ptr<TensorTable> table;  // destroyed without the lock
  MutexLock lock(mutex_);
  const auto it = tables_.find(name);
  if (it == tables_.end()) return;
  table = std::move(it->second);
  tables_.erase(it);
}

absl::StatusOr<std::shared_ptr<TensorTable>> Attempt::Find(
    const std::string& name) const {
  MutexLock lock(mutex_);
  const auto it = tables_.find(name);
  if (it != tables_.end()) return it->second;
  return absl::NotFoundError(absl::StrCat(
      "no tensor '", TerminalLine(name), "' in attempt ", options_.number,
      " of job '", TerminalLine(options_.scope.job),
      "' on this server: create it first"));
}

WriteLog& Attempt::log(uint32_t rank) {
  MutexLock lock(mutex_);
  auto& log = logs_[rank];
  if (log == nullptr) log = std::make_unique<WriteLog>();
  return *log;
}

std::shared_ptr<const void> Attempt::Use(
    std::function<void(std::shared_ptr<Attempt>)> unused) {
  {
    MutexLock lock(mutex_);
    ++users_;
  }
  return std::shared_ptr<const void>(
      this, [self = shared_from_this(),
             unused = std::move(unused)](const void*) mutable {
        {
          MutexLock lock(self->mutex_);
          if (--self->users_ > 0) return;
          self->unused_since_ = self->executor_->Now();
          if (!self->ended_.ok()) return;
          if (std::exchange(self->told_unused_, true)) return;
        }
        unused(std::move(self));
      });
}

std::optional<absl::Duration> Attempt::Idle() {
  MutexLock lock(mutex_);
  if (users_ == 0) return executor_->Now() - unused_since_;
  told_unused_ = false;
  return std::nullopt;
}

void Attempt::HoldServer(std::shared_ptr<const void> hold) {
  MutexLock lock(mutex_);
  if (server_hold_ == nullptr) server_hold_ = std::move(hold);
}

}  // namespace tributary
