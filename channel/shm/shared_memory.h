// Memory that several processes of one machine map, without a name.
#ifndef TRIBUTARY_CHANNEL_SHM_SHARED_MEMORY_H_
#define TRIBUTARY_CHANNEL_SHM_SHARED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "boost/interprocess/mapped_region.hpp"
#include "common/io/unique_fd.h"

namespace tributary {

struct SharedMemoryOptions {
  // True: uses only pages that the system has reserved (hugetlbfs), 2 MiB each,
  // and fails if there are too few. False: a memory of up to a quarter of the
  // free memory is put into transparent huge pages where the system has them
  // (Linux 6.1 and later). They are allocated at once, in a tenth of the time
  // that the faults of small pages take. Otherwise, small pages are allocated
  // when they are first touched.
  bool huge_pages = false;
  // The NUMA node from which pages are taken as long as it has some; -1: the
  // node of the thread that first touches them.
  int numa_node = -1;
  // Whether Freeze may be called.
  bool freezable = false;
};

// A memfd that is mapped into this process; another process maps it when it
// receives the descriptor. It has no name, so nothing is left behind: the
// memory is freed with the last process that maps it or holds the descriptor.
// Its size is sealed, so that no process can cut off bytes that another one
// reads. The object is immutable; its users synchronise their access to the
// bytes.
class SharedMemory {
 public:
  // Creates a memory of `bytes` zeros, rounded up to whole pages. Returns
  // RESOURCE_EXHAUSTED if the system does not have as much, INVALID_ARGUMENT if
  // `bytes` is 0 or there is no such NUMA node.
  static absl::StatusOr<std::shared_ptr<SharedMemory>> Create(
      size_t bytes, const SharedMemoryOptions& options = {});
  // Maps a memory that another process has created. Returns INVALID_ARGUMENT if
  // the descriptor is not a memfd, its size is not sealed against shrinking, or
  // it is larger than `most_bytes`.
  static absl::StatusOr<std::shared_ptr<SharedMemory>> Map(UniqueFd fd,
                                                           size_t most_bytes);

  // Maps a frozen memory; its bytes must only be read. Errors as Map, and
  // INVALID_ARGUMENT if it is not frozen.
  static absl::StatusOr<std::shared_ptr<SharedMemory>> MapFrozen(
      UniqueFd fd, size_t most_bytes);

  // From now on nobody can write: not this process, nor one that gets the
  // descriptor. Requires a memory that this process has created as freezable,
  // and that no other one has mapped yet. Returns the system's error.
  absl::Status Freeze();

  absl::Span<uint8_t> bytes() const {
    return {static_cast<uint8_t*>(region_.get_address()), region_.get_size()};
  }
  // The descriptor to send to another process; this object keeps owning it.
  int fd() const { return fd_.get(); }

 private:
  SharedMemory(UniqueFd fd, boost::interprocess::mapped_region region)
      : fd_(std::move(fd)), region_(std::move(region)) {}
  static absl::StatusOr<std::shared_ptr<SharedMemory>> MapWhole(
      UniqueFd fd, size_t bytes, boost::interprocess::mode_t mode);
  static absl::StatusOr<std::shared_ptr<SharedMemory>> MapChecked(
      UniqueFd fd, size_t most_bytes, bool frozen);

  const UniqueFd fd_;
  const boost::interprocess::mapped_region region_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_SHM_SHARED_MEMORY_H_
