#include "sampler_server/tensors/attempt.h"

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
                         sizeof(WriteLog) + 2 * kNodeBytes;
  size_t bytes = kFixedBytes + options.world * of_rank +
                 2 * (options.scope.job.size() + options.caller.size());
  for (const RowMember& member : options.members) {
    // The list has grown by doubling.
    bytes += 2 * sizeof(member) + member.address.capacity() + kNodeBytes;
  }
  return bytes;
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

bool Attempt::SameAs(const AttemptOptions& other) const {
  return options_.opener == other.opener && options_.world == other.world &&
         options_.members == other.members && options_.member == other.member;
}

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

absl::Status Attempt::WhileOpen(absl::FunctionRef<absl::Status()> work) {
  ReaderLock lock(gate_);
  RETURN_IF_ERROR(ended_);
  return work();
}

void Attempt::End(const absl::Status& why) {
  {
    WriterLock lock(gate_);
    if (!ended_.ok()) return;
    ended_ = why;
    over_ = true;
  }
  applied_->End(why);
  meetings_.End(why);
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
  MutexLock lock(mutex_);
  tables_.erase(name);
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
          if (self->ended()) return;
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
