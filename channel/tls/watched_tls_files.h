// Reads a process' TLS files again when they change, without a restart.
#ifndef TRIBUTARY_CHANNEL_TLS_WATCHED_TLS_FILES_H_
#define TRIBUTARY_CHANNEL_TLS_WATCHED_TLS_FILES_H_

#include <functional>
#include <memory>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/identity/identity.h"
#include "common/identity/tls_files.h"
#include "common/identity/tls_material.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Reads the files at an interval, on a thread of its own, and passes on only
// contents that have passed every check of ReadTlsMaterial together. New
// contents that do not pass are logged once and leave the old ones in use.
// Thread-safe.
class WatchedTlsFiles {
 public:
  // Takes contents into use; called in Start, then on the thread.
  using Use = std::function<absl::Status(const TlsMaterial&)>;

  // Errors as ReadTlsMaterial's and those of `use`.
  static absl::StatusOr<std::unique_ptr<WatchedTlsFiles>> Start(
      TlsFiles files, Use use, absl::Duration interval = absl::Seconds(1));
  ~WatchedTlsFiles();
  WatchedTlsFiles(const WatchedTlsFiles&) = delete;
  WatchedTlsFiles& operator=(const WatchedTlsFiles&) = delete;

  // Returns whom the certificate in use names, and until when it is valid.
  Identity identity() const;
  absl::Time expires() const;
  // Returns how often new contents were put to use.
  int num_changes() const;

 private:
  WatchedTlsFiles(TlsFiles files, Use use, absl::Duration interval);

  void Watch();
  absl::StatusOr<bool> Read();
  void ReadAgain();

  const TlsFiles files_;
  const Use use_;
  const absl::Duration interval_;
  TlsMaterial in_use_;       // used by Start, then by the thread only
  absl::Status last_error_;  // likewise
  mutable Mutex mutex_;
  CondVar stopped_;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  Identity identity_ ABSL_GUARDED_BY(mutex_);
  absl::Time expires_ ABSL_GUARDED_BY(mutex_);
  int num_changes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::thread thread_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TLS_WATCHED_TLS_FILES_H_
