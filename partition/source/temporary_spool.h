// A spool for a command that keeps nothing.
#ifndef TRIBUTARY_PARTITION_SOURCE_TEMPORARY_SPOOL_H_
#define TRIBUTARY_PARTITION_SOURCE_TEMPORARY_SPOOL_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "partition/source/spool.h"

namespace tributary {

// A spool in a new folder below the system's folder for temporary files
// (TMPDIR), which is removed with all that is in it when this is destroyed;
// columns of it must not be read any more then. Move-only.
class TemporarySpool {
 public:
  // UNAVAILABLE, naming TMPDIR, if there is no such folder; the system's error
  // if none can be made in it.
  static absl::StatusOr<TemporarySpool> Make();
  TemporarySpool(TemporarySpool&& other) noexcept
      : path_(std::exchange(other.path_, "")), spool_(other.spool_) {}
  TemporarySpool& operator=(TemporarySpool&&) = delete;
  ~TemporarySpool();

  const Spool& spool() const { return spool_; }

 private:
  explicit TemporarySpool(const std::string& path)
      : path_(path), spool_(path) {}

  std::string path_;  // empty: moved away
  Spool spool_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SOURCE_TEMPORARY_SPOOL_H_
