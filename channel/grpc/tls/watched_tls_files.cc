#include "channel/grpc/tls/watched_tls_files.h"

#include <grpcpp/security/tls_certificate_provider.h>

#include <chrono>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "common/observe/log.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// gRPC polls the files in memory in whole seconds.
constexpr unsigned kProviderSeconds = 1;

}  // namespace

absl::StatusOr<std::unique_ptr<WatchedTlsFiles>> WatchedTlsFiles::Start(
    TlsFiles files, absl::Duration interval) {
  ASSIGN_OR_RETURN(TlsMaterial material, ReadTlsMaterial(files));
  auto watched =
      absl::WrapUnique(new WatchedTlsFiles(std::move(files), interval));
  WatchedTlsFiles& self = *watched;
  {
    MutexLock lock(self.mutex_);
    RETURN_IF_ERROR(self.Use(std::move(material)));
    self.provider_ =
        std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
            self.staged_->pair.path(), self.staged_->pair.path(),
            self.staged_->authorities.path(), kProviderSeconds);
  }
  self.thread_ = std::thread([&self] { self.Watch(); });
  return watched;
}

WatchedTlsFiles::WatchedTlsFiles(TlsFiles files, absl::Duration interval)
    : files_(std::move(files)),
      interval_(interval),
      staged_(std::make_shared<Staged>()) {}

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
  return material_.identity;
}

absl::Time WatchedTlsFiles::expires() const {
  MutexLock lock(mutex_);
  return material_.expires;
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
    Read();
  }
}

void WatchedTlsFiles::Read() {
  auto read = ReadTlsMaterial(files_);
  absl::Status error = read.status();
  if (read.ok()) {
    MutexLock lock(mutex_);
    if (!read->SameTextsAs(material_)) {
      error = Use(*std::move(read));
      if (error.ok()) {
        ++num_changes_;
        LogInfo(absl::StrCat(
            "new TLS files are in use: ", material_.identity.ToString(),
            ", valid until ",
            absl::FormatTime(material_.expires, absl::UTCTimeZone())));
      }
    }
  }
  if (!error.ok() && error != last_error_) {
    LogError(absl::StrCat("the TLS files in use stay, for the new ones: ",
                          error.message()));
  }
  last_error_ = error;
}

absl::Status WatchedTlsFiles::Use(TlsMaterial material) {
  RETURN_IF_ERROR(staged_->authorities.Replace(material.ca));
  RETURN_IF_ERROR(
      staged_->pair.Replace(absl::StrCat(material.cert, "\n", material.key)));
  material_ = std::move(material);
  return absl::OkStatus();
}

}  // namespace tributary
