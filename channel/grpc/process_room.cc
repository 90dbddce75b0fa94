#include "channel/grpc/process_room.h"

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/io/unique_fd.h"
#include "common/runtime/mutex.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// It opens about ten: its poller's, and one to wake each of its threads. Each
// connection takes two, with fewer than some ten of which nothing works.
constexpr int kDescriptors = 40;
// Addresses, not memory: malloc reserves 64 MiB for each of its 8 heaps, and
// where it cannot, allocations fail on gRPC's threads, which ends the process.
constexpr size_t kBytes = 512 << 20;

// Its threads that poll, run timers and look up names, more where there are
// more cores.
int NumThreads() {
  const long cores = std::max(1L, sysconf(_SC_NPROCESSORS_CONF));
  return static_cast<int>(std::min(8 + 4 * cores, 64L));
}

std::string LimitText(int resource, rlim_t unit) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0 ||
      limit.rlim_cur == RLIM_INFINITY) {
    return "unlimited";
  }
  return absl::StrCat(limit.rlim_cur / unit);
}

absl::Status CheckDescriptors() {
  std::vector<UniqueFd> open_ones;
  for (int i = 0; i < kDescriptors; ++i) {
    // No file of a name: an image may have no /dev.
    open_ones.emplace_back(eventfd(0, EFD_CLOEXEC));
    if (open_ones.back().valid()) continue;
    return absl::ResourceExhaustedError(absl::StrCat(
        "cannot open the ", kDescriptors,
        " files that gRPC needs: ", std::strerror(errno), "; ulimit -n is ",
        LimitText(RLIMIT_NOFILE, 1), ", raise it"));
  }
  return absl::OkStatus();
}

absl::Status NoRoom(absl::string_view what, absl::string_view why) {
  return absl::ResourceExhaustedError(absl::StrCat(
      "cannot ", what, " that gRPC needs: ", why, "; ulimit -v is ",
      LimitText(RLIMIT_AS, 1024), " (KiB), ulimit -u is ",
      LimitText(RLIMIT_NPROC, 1), ", raise what is too low"));
}

// Threads that wait until all of them run.
class Probe {
 public:
  ~Probe() {
    {
      MutexLock lock(mutex_);
      over_ = true;
    }
    changed_.NotifyAll();
    for (std::thread& thread : threads_) thread.join();
  }
  absl::Status Start(int count) {
    threads_.reserve(static_cast<size_t>(count));
    try {
      for (int i = 0; i < count; ++i) {
        threads_.emplace_back([this] { Wait(); });
      }
    } catch (const std::system_error& error) {
      return NoRoom(absl::StrCat("start the ", count, " threads"),
                    error.what());
    }
    return absl::OkStatus();
  }

 private:
  void Wait() {
    MutexLock lock(mutex_);
    while (!over_) changed_.Wait(mutex_);
  }
  Mutex mutex_;
  CondVar changed_;
  bool over_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

absl::Status CheckThreads() {
  Probe probe;
  RETURN_IF_ERROR(probe.Start(NumThreads()));
  void* const space = mmap(nullptr, kBytes, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) {
    return NoRoom(absl::StrCat("reserve the ", kBytes >> 20, " MiB"),
                  std::strerror(errno));
  }
  munmap(space, kBytes);
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckRoomForGrpc() {
  static std::atomic<bool> enough = false;
  if (enough) return absl::OkStatus();
  RETURN_IF_ERROR(CheckDescriptors());
  RETURN_IF_ERROR(CheckThreads());
  enough = true;
  return absl::OkStatus();
}

}  // namespace tributary
