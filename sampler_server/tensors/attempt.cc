#include "sampler_server/tensors/attempt.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"

namespace tributary {

Attempt::Attempt(AttemptOptions options, std::shared_ptr<const void> pin,
                 Executor* executor)
    : options_(std::move(options)),
      clients_{{0, options_.opener}},
      pin_(std::move(pin)),
      meetings_(options_.world, executor),
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
  }
  applied_->End(why);
  meetings_.End(why);
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
    std::function<void(std::shared_ptr<Attempt>, uint64_t)> unused) {
  {
    MutexLock lock(mutex_);
    ++uses_;
    ++users_;
  }
  return std::shared_ptr<const void>(
      this, [self = shared_from_this(),
             unused = std::move(unused)](const void*) mutable {
        uint64_t uses = 0;
        {
          MutexLock lock(self->mutex_);
          if (--self->users_ == 0) uses = self->uses_;
        }
        if (uses > 0) unused(std::move(self), uses);
      });
}

bool Attempt::UnusedSince(uint64_t number) const {
  MutexLock lock(mutex_);
  return users_ == 0 && uses_ == number;
}

void Attempt::HoldServer(std::shared_ptr<const void> hold) {
  MutexLock lock(mutex_);
  if (server_hold_ == nullptr) server_hold_ = std::move(hold);
}

}  // namespace tributary
