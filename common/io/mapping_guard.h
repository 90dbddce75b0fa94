// Keeps the process alive when the bytes of a mapped file are lost: the file
// was cut, or its disk fails.
#ifndef TRIBUTARY_COMMON_IO_MAPPING_GUARD_H_
#define TRIBUTARY_COMMON_IO_MAPPING_GUARD_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"

namespace tributary {

// Says whether bytes of any of several mappings, such as those of one graph,
// were lost. Once they were, it stays so. Thread-safe.
class MappingDamage {
 public:
  // Returns ABORTED, naming the file, once bytes were lost: what was read since
  // may be zeros instead.
  absl::Status status() const;

 private:
  friend class MappingGuard;
  friend bool ReplaceLostMapping(uintptr_t address);
  // The first file; kept alive by its guard.
  std::atomic<const char*> path_{nullptr};
  std::atomic<bool> lost_{false};
};

// Registers a mapping until it is destroyed. Once bytes of it are lost, and the
// handler is installed, all of its bytes read as zeros, at once and for ever.
// So readers must tolerate that bytes become zeros at any time, even between
// two reads of the same one, and must look at MappingDamage before they use the
// result.
//
// A file's bytes behind its end are lost by pages: those of its last page read
// as zeros without notice.
class MappingGuard {
 public:
  MappingGuard(const void* data, size_t size, std::string path,
               std::shared_ptr<MappingDamage> damage);
  ~MappingGuard();
  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;

 private:
  struct Slot;
  struct Block;
  friend void InstallMappingGuard();
  friend bool ReplaceLostMapping(uintptr_t address);
  static Block& FirstBlock();
  static Slot* TakeSlot(const void* data, size_t size, MappingGuard* guard);

  const std::string path_;
  const std::shared_ptr<MappingDamage> damage_;
  Slot* const slot_;
};

// Handles SIGBUS from now on, in the whole process. A fault outside of all
// registered mappings has the effect that it had before: by default the process
// ends. Later calls do nothing.
void InstallMappingGuard();

// Replaces the registered mapping that holds `address` by zeros; returns false
// if there is none. Async-signal-safe.
bool ReplaceLostMapping(uintptr_t address);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IO_MAPPING_GUARD_H_
