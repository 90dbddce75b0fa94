#include "common/io/mapping_guard.h"

#include <sys/mman.h>
#include <csignal>

#include <array>
#include <cerrno>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/runtime/mutex.h"

namespace tributary {

// A place in the registry. The handler reads it without a lock: `version` is
// odd while the slot changes, and has changed if another mapping took it
// meanwhile.
struct MappingGuard::Slot {
  std::atomic<uint64_t> version{0};
  std::atomic<uintptr_t> begin{0}, end{0};  // whole pages; 0: free
  std::atomic<const char*> path{nullptr};
  std::atomic<MappingDamage*> damage{nullptr};
};

// A block of slots, never freed: the handler may read any of them.
struct MappingGuard::Block {
  std::array<Slot, 512> slots;
  std::atomic<Block*> next{nullptr};
};

MappingGuard::Block& MappingGuard::FirstBlock() {
  static Block block;
  return block;
}

namespace {

Mutex registry_mutex;  // of those who register

constexpr uintptr_t kPage = 4096;

uintptr_t PageDown(uintptr_t at) { return at / kPage * kPage; }

struct sigaction old_action;  // set once, before the handler runs

// Lets the fault happen again, with its effect of before.
void OnOtherFault(int signal, const siginfo_t* info) {
  sigaction(signal, &old_action, nullptr);
  if (info->si_code <= 0) raise(signal);  // sent by a process
}

void OnSigbus(int signal, siginfo_t* info, void*) {
  const int saved = errno;
  const bool ours =
      info->si_code == BUS_ADRERR &&
      ReplaceLostMapping(reinterpret_cast<uintptr_t>(info->si_addr));
  if (!ours) OnOtherFault(signal, info);
  errno = saved;
}

}  // namespace

absl::Status MappingDamage::status() const {
  if (!lost_.load(std::memory_order_acquire)) return absl::OkStatus();
  const char* const path = path_.load(std::memory_order_acquire);
  return absl::AbortedError(
      absl::StrCat(path == nullptr ? "a file" : path,
                   " is damaged or gone: bytes of it could not be read"));
}

MappingGuard::Slot* MappingGuard::TakeSlot(const void* data, size_t size,
                                           MappingGuard* guard) {
  const auto begin = reinterpret_cast<uintptr_t>(data);
  MutexLock lock(registry_mutex);
  for (Block* block = &FirstBlock();;) {
    for (Slot& slot : block->slots) {
      if (slot.begin.load() != 0) continue;
      slot.version.fetch_add(1);
      slot.begin.store(PageDown(begin));
      slot.end.store(PageDown(begin + size + kPage - 1));
      slot.path.store(guard->path_.c_str());
      slot.damage.store(guard->damage_.get());
      slot.version.fetch_add(1);
      return &slot;
    }
    if (block->next.load() == nullptr) block->next.store(new Block());
    block = block->next.load();
  }
}

MappingGuard::MappingGuard(const void* data, size_t size, std::string path,
                           std::shared_ptr<MappingDamage> damage)
    : path_(std::move(path)),
      damage_(std::move(damage)),
      slot_(TakeSlot(data, size, this)) {}

MappingGuard::~MappingGuard() {
  MutexLock lock(registry_mutex);
  slot_->version.fetch_add(1);
  slot_->begin.store(0);
  slot_->end.store(0);
  slot_->version.fetch_add(1);
  const char* path = path_.c_str();
  damage_->path_.compare_exchange_strong(path, nullptr);
}

// The mapping of an honest reader stays registered as long as it is read.
bool ReplaceLostMapping(uintptr_t address) {
  using Guard = MappingGuard;
  for (Guard::Block* block = &Guard::FirstBlock(); block != nullptr;
       block = block->next.load()) {
    for (Guard::Slot& slot : block->slots) {
      const uint64_t version = slot.version.load();
      const uintptr_t begin = slot.begin.load(), end = slot.end.load();
      const char* const path = slot.path.load();
      MappingDamage* const damage = slot.damage.load();
      if (address < begin || address >= end || version % 2 != 0) continue;
      if (slot.version.load() != version) continue;
      // First, so that who reads a zero finds the damage afterwards.
      const char* none = nullptr;
      damage->path_.compare_exchange_strong(none, path);
      damage->lost_.store(true, std::memory_order_seq_cst);
      return mmap(reinterpret_cast<void*>(begin), end - begin, PROT_READ,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
                  0) != MAP_FAILED;
    }
  }
  return false;
}

void InstallMappingGuard() {
  static std::once_flag once;
  std::call_once(once, [] {
    (void)MappingGuard::FirstBlock();  // made outside of the handler
    struct sigaction action {};
    action.sa_sigaction = OnSigbus;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, nullptr, &old_action);
    sigaction(SIGBUS, &action, nullptr);
  });
}

}  // namespace tributary
