#include "channel/tls/watched_tls_files.h"

#include <chrono>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "common/observe/log.h"
#include "common/text/status.h"

namespace tributary {

absl::StatusOr<std::unique_ptr<WatchedTlsFiles>> WatchedTlsFiles::Start(
    TlsFiles files, Use use, absl::Duration interval) {
  auto watched = absl::WrapUnique(
      new WatchedTlsFiles(std::move(files), std::move(use), interval));
  RETURN_IF_ERROR(watched->Read().status());
  WatchedTlsFiles& self = *watched;
  self.thread_ = std::thread([&self] { self.Watch(); });
  return watched;
}

WatchedTlsFiles::WatchedTlsFiles(TlsFiles files, Use use,
                                 absl::Duration interval)
    : files_(std::move(files)), use_(std::move(use)), interval_(interval) {}

WatchedTlsFiles::~WatchedTlsFiles() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
    stopped_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

Identity WatchedTlsFiles::identity() const {
  MutexLock lock(mutex_);
  return identity_;
}

absl::Time WatchedTlsFiles::expires() const {
  MutexLock lock(mutex_);
  return expires_;
}

int WatchedTlsFiles::num_changes() const {
  MutexLock lock(mutex_);
  return num_changes_;
}

void WatchedTlsFiles::Watch() {
  for (;;) {
    const auto next =
        std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(interval_);
    {
      MutexLock lock(mutex_);
      while (!stop_ && stopped_.WaitUntil(mutex_, next)) {
      }
      if (stop_) return;
    }
    ReadAgain();
  }
}

absl::StatusOr<bool> WatchedTlsFiles::Read() {
  const auto use = [this](const TlsMaterial& material) -> absl::Status {
    RETURN_IF_ERROR(use_(material));
    MutexLock lock(mutex_);
    identity_ = material.identity;
    expires_ = material.expires;
    return absl::OkStatus();
  };
  return RereadTlsMaterial(files_, &in_use_, use);
}

void WatchedTlsFiles::ReadAgain() {
  const absl::StatusOr<bool> changed = Read();
  if (changed.ok() && *changed) {
    MutexLock lock(mutex_);
    ++num_changes_;
    LogInfo(absl::StrCat("new TLS files are in use: ", identity_.ToString(),
                         ", valid until ",
                         absl::FormatTime(expires_, absl::UTCTimeZone())));
  }
  if (!changed.ok() && changed.status() != last_error_) {
    LogError(absl::StrCat("the TLS files in use stay, for the new ones: ",
                          changed.status().message()));
  }
  last_error_ = changed.status();
}

}  // namespace tributary
