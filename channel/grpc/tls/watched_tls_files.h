// Reads a process' TLS files again when they change, without a restart.
#ifndef TRIBUTARY_CHANNEL_GRPC_TLS_WATCHED_TLS_FILES_H_
#define TRIBUTARY_CHANNEL_GRPC_TLS_WATCHED_TLS_FILES_H_

#include <memory>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/grpc/tls/memory_file.h"
#include "common/identity/tls_files.h"
#include "common/identity/tls_material.h"
#include "common/runtime/mutex.h"

namespace grpc::experimental {
class CertificateProviderInterface;
}  // namespace grpc::experimental

namespace tributary {

// Reads the files at an interval, on a thread of its own, and gives gRPC only
// contents that have passed every check of ReadTlsMaterial together. New
// contents that do not pass are logged once and leave the old ones in use.
// Connections that are open keep what they began with. Thread-safe.
class WatchedTlsFiles {
 public:
  // Errors as ReadTlsMaterial's.
  static absl::StatusOr<std::unique_ptr<WatchedTlsFiles>> Start(
      TlsFiles files, absl::Duration interval = absl::Seconds(1));
  ~WatchedTlsFiles();
  WatchedTlsFiles(const WatchedTlsFiles&) = delete;
  WatchedTlsFiles& operator=(const WatchedTlsFiles&) = delete;

  const TlsFiles& files() const { return files_; }
  // Returns whom the certificate in use names, and until when it is valid.
  Identity identity() const;
  absl::Time expires() const;
  // Returns how often new contents were put to use.
  int num_changes() const;
  // Gives gRPC the contents in use: at most a second after they changed. It
  // reads staged(), which must live as long as the credentials made of it.
  std::shared_ptr<grpc::experimental::CertificateProviderInterface> provider()
      const {
    return provider_;
  }
  std::shared_ptr<const void> staged() const { return staged_; }

 private:
  // The files that gRPC reads. Certificate and key are one file, so that no
  // reader sees a new one beside an old one.
  struct Staged {
    MemoryFile authorities;
    MemoryFile pair;
  };

  WatchedTlsFiles(TlsFiles files, absl::Duration interval);

  void Watch();
  void Read();
  absl::Status Use(TlsMaterial material) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const TlsFiles files_;
  const absl::Duration interval_;
  mutable Mutex mutex_;
  CondVar stopped_;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  TlsMaterial material_ ABSL_GUARDED_BY(mutex_);
  int num_changes_ ABSL_GUARDED_BY(mutex_) = 0;
  const std::shared_ptr<Staged> staged_ ABSL_PT_GUARDED_BY(mutex_);
  absl::Status last_error_;  // used by the thread only
  std::shared_ptr<grpc::experimental::CertificateProviderInterface> provider_;
  std::thread thread_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_TLS_WATCHED_TLS_FILES_H_
