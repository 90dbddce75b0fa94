#include "channel/shm/shared_memory.h"

#include <fcntl.h>
#include <linux/memfd.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "boost/interprocess/exceptions.hpp"
#include "common/io/buffer.h"
#include "common/process/memory_limit.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kPage = 4096, kHugePage = size_t{2} << 20;
constexpr int kMadvCollapse = 25;  // glibc 2.36 does not name it
constexpr int kMaxNumaNode = 1023;
constexpr int kSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW;
constexpr int kFrozenSeals = F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;

// An object with a mapping handle, as boost's mapped_region requires.
class Memfd {
 public:
  explicit Memfd(int fd) : handle_{fd, false} {}
  boost::interprocess::mapping_handle_t get_mapping_handle() const {
    return handle_;
  }

 private:
  const boost::interprocess::mapping_handle_t handle_;
};

// Returns an address where huge pages can be mapped as such and which was free
// a moment ago; null if there is none.
void* AlignedPlace(size_t bytes) {
  if (bytes < kHugePage) return nullptr;
  const size_t size = bytes + kHugePage;
  void* const place = mmap(nullptr, size, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return nullptr;
  munmap(place, size);
  return reinterpret_cast<void*>(
      AlignUp(reinterpret_cast<uintptr_t>(place), kHugePage));
}

boost::interprocess::mapped_region MapAligned(
    int fd, size_t bytes, boost::interprocess::mode_t mode) {
  const auto map = [fd, bytes, mode](void* place) {
    return boost::interprocess::mapped_region(Memfd(fd), mode, 0, bytes, place);
  };
  try {
    return map(AlignedPlace(bytes));
  } catch (const boost::interprocess::interprocess_exception& error) {
    if (error.get_error_code() != boost::interprocess::busy_error) throw;
    return map(nullptr);  // another thread has mapped there meanwhile
  }
}

// The part of the free memory that is allocated at once. A larger memory may
// never be used completely, and allocating it would leave too little for
// others.
constexpr uint64_t kPartTakenAtOnce = 4;

// Makes the system put `bytes` into huge pages, as far as it can, for every
// process that maps them, unless shmem_enabled is "deny". Does so in one call,
// because each call may wait for every core of the machine.
void MakeHuge(absl::Span<uint8_t> bytes) {
  AdviseHugePages(bytes.data(), bytes.size());
  const absl::StatusOr<MemoryLimit> limit = ReadMemoryLimit();
  if (!limit.ok() || bytes.size() > limit->free / kPartTakenAtOnce) return;
  for (size_t at = 0; at + kHugePage <= bytes.size(); at += kHugePage) {
    // A huge page is made only where one small page is present.
    (void)madvise(bytes.data() + at, kPage, MADV_POPULATE_READ);
  }
  (void)madvise(bytes.data(), bytes.size(), kMadvCollapse);
}

absl::Status NoMemory(size_t bytes, const char* what) {
  return absl::ErrnoToStatus(
      errno, absl::StrCat(bytes, " bytes of shared memory: ", what));
}

// Takes the region's pages from `node`, as far as it has any.
absl::Status PreferNode(absl::Span<uint8_t> bytes, int node) {
  if (node < 0) return absl::OkStatus();
  constexpr int kBits = 8 * sizeof(unsigned long);
  unsigned long mask[(kMaxNumaNode + 1) / kBits] = {};
  mask[node / kBits] = 1ul << (node % kBits);
  if (syscall(SYS_mbind, bytes.data(), bytes.size(), MPOL_PREFERRED, mask,
              kMaxNumaNode + 1, 0) == 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "numa_node: ", node, "; allowed: a node of this machine, or -1"));
}

}  // namespace

absl::StatusOr<std::shared_ptr<SharedMemory>> SharedMemory::MapWhole(
    UniqueFd fd, size_t bytes, boost::interprocess::mode_t mode) {
  try {
    auto region = MapAligned(fd.get(), bytes, mode);
    return std::shared_ptr<SharedMemory>(
        new SharedMemory(std::move(fd), std::move(region)));
  } catch (const boost::interprocess::interprocess_exception& error) {
    return absl::ResourceExhaustedError(absl::StrCat(
        bytes, " bytes of shared memory cannot be mapped: ", error.what()));
  }
}

absl::StatusOr<std::shared_ptr<SharedMemory>> SharedMemory::Create(
    size_t bytes, const SharedMemoryOptions& options) {
  if (options.numa_node < -1 || options.numa_node > kMaxNumaNode) {
    return absl::InvalidArgumentError(absl::StrCat(
        "numa_node: ", options.numa_node, "; allowed: -1 to ", kMaxNumaNode));
  }
  const size_t page = options.huge_pages ? kHugePage : kPage;
  const size_t size = AlignUp(bytes, page);
  if (bytes == 0 || size < bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(bytes, " bytes of shared memory; allowed: above 0"));
  }
  const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING |
                         (options.huge_pages ? MFD_HUGETLB | MFD_HUGE_2MB : 0);
  UniqueFd fd(memfd_create("tributary", flags));
  if (!fd.valid()) return NoMemory(size, "memfd_create");
  if (ftruncate(fd.get(), static_cast<off_t>(size)) != 0) {
    return NoMemory(size, "ftruncate");
  }
  const int seals = kSizeSeals | (options.freezable ? 0 : F_SEAL_SEAL);
  if (fcntl(fd.get(), F_ADD_SEALS, seals) != 0) return NoMemory(size, "seal");
  ASSIGN_OR_RETURN(
      std::shared_ptr<SharedMemory> memory,
      MapWhole(std::move(fd), size, boost::interprocess::read_write));
  RETURN_IF_ERROR(PreferNode(memory->bytes(), options.numa_node));
  if (!options.huge_pages) MakeHuge(memory->bytes());
  return memory;
}

absl::Status SharedMemory::Freeze() {
  if (fcntl(fd_.get(), F_ADD_SEALS, kFrozenSeals) != 0 ||
      mprotect(bytes().data(), bytes().size(), PROT_READ) != 0) {
    return NoMemory(bytes().size(), "freeze");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<SharedMemory>> SharedMemory::Map(
    UniqueFd fd, size_t most_bytes) {
  return MapChecked(std::move(fd), most_bytes, /*frozen=*/false);
}

absl::StatusOr<std::shared_ptr<SharedMemory>> SharedMemory::MapFrozen(
    UniqueFd fd, size_t most_bytes) {
  return MapChecked(std::move(fd), most_bytes, /*frozen=*/true);
}

absl::StatusOr<std::shared_ptr<SharedMemory>> SharedMemory::MapChecked(
    UniqueFd fd, size_t most_bytes, bool frozen) {
  struct stat info {};
  const int seals = fcntl(fd.get(), F_GET_SEALS);
  if (fstat(fd.get(), &info) != 0 || seals < 0) {
    return absl::InvalidArgumentError(
        "the descriptor that came is no shared memory");
  }
  const auto size = static_cast<size_t>(info.st_size);
  if ((seals & F_SEAL_SHRINK) == 0) {
    return absl::InvalidArgumentError(
        "shared memory whose size is not sealed: it might be cut off while it "
        "is written");
  }
  if (frozen && (seals & F_SEAL_FUTURE_WRITE) == 0) {
    return absl::InvalidArgumentError(
        "shared memory that others may write; allowed: frozen");
  }
  if (size == 0 || size > most_bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "shared memory of ", size, " bytes; allowed: 1 to ", most_bytes));
  }
  return MapWhole(std::move(fd), size,
                  frozen ? boost::interprocess::read_only
                         : boost::interprocess::read_write);
}

}  // namespace tributary
