// Memory that processes of one machine have in common, without a name.
#ifndef TRIBUTARY_CHANNEL_SHM_SHARED_MEMORY_H_
#define TRIBUTARY_CHANNEL_SHM_SHARED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "boost/interprocess/mapped_region.hpp"
#include "common/io/unique_fd.h"

namespace tributary {

struct SharedMemoryOptions {
  // Pages that the system keeps back (hugetlbfs), 2 MiB each, or an error.
  // Without, up to a quarter of the memory that is free comes in those that it
  // has (Linux 6.1 and later), which are there from the start: made in a tenth
  // of the time that small pages' faults take. Else, and beyond, in small ones
  // as they are first touched.
  bool huge_pages = false;
  // The node that pages are taken from while it has some; -1: where they are
  // first touched.
  int numa_node = -1;
};

// A memfd, mapped here, that others map when they are given its descriptor.
// It has no name, so nothing is left behind: it is gone with the last process
// that maps it or holds the descriptor. Its size is sealed, so that no process
// can cut off what another one reads. Immutable; what is in it is the users'.
class SharedMemory {
 public:
  // `bytes` is rounded up to whole pages; zeros. RESOURCE_EXHAUSTED: the system
  // has not so much; INVALID_ARGUMENT: no bytes, no such NUMA node.
  static absl::StatusOr<std::shared_ptr<SharedMemory>> Create(
      size_t bytes, const SharedMemoryOptions& options = {});
  // What another process made. INVALID_ARGUMENT when the descriptor is no
  // memory, may still shrink, or is larger than `most_bytes`.
  static absl::StatusOr<std::shared_ptr<SharedMemory>> Map(UniqueFd fd,
                                                           size_t most_bytes);

  absl::Span<uint8_t> bytes() const {
    return {static_cast<uint8_t*>(region_.get_address()), region_.get_size()};
  }
  // To be passed on; this keeps its own.
  int fd() const { return fd_.get(); }

 private:
  SharedMemory(UniqueFd fd, boost::interprocess::mapped_region region)
      : fd_(std::move(fd)), region_(std::move(region)) {}
  static absl::StatusOr<std::shared_ptr<SharedMemory>> MapWhole(UniqueFd fd,
                                                                size_t bytes);

  const UniqueFd fd_;
  const boost::interprocess::mapped_region region_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_SHM_SHARED_MEMORY_H_
