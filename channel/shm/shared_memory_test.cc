#include "channel/shm/shared_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "common/io/buffer.h"

namespace tributary {
namespace {

constexpr size_t kMost = size_t{1} << 30;

UniqueFd Copy(const SharedMemory& memory) {
  return UniqueFd(fcntl(memory.fd(), F_DUPFD_CLOEXEC, 0));
}

TEST(SharedMemory, IsSeenByAllWhoMapIt) {
  auto memory = SharedMemory::Create(100000);
  ASSERT_TRUE(memory.ok()) << memory.status();
  EXPECT_EQ((*memory)->bytes().size(), 102400u);  // 25 pages
  auto other = SharedMemory::Map(Copy(**memory), kMost);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_NE((*other)->bytes().data(), (*memory)->bytes().data());
  EXPECT_EQ((*other)->bytes()[102399], 0);
  std::memcpy((*memory)->bytes().data() + 102396, "abc", 4);
  EXPECT_STREQ(reinterpret_cast<const char*>((*other)->bytes().data()) + 102396,
               "abc");
  memory->reset();  // the other mapping keeps it
  EXPECT_EQ((*other)->bytes()[102396], 'a');
}

TEST(SharedMemory, CannotBeCutOffByWhoHasTheDescriptor) {
  auto memory = SharedMemory::Create(8192).value();
  EXPECT_NE(ftruncate(memory->fd(), 4096), 0);
  EXPECT_NE(ftruncate(memory->fd(), 16384), 0);
}

TEST(SharedMemory, RefusesWhatCouldBeCutOffOrIsNone) {
  UniqueFd open(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(open.get(), 4096), 0);
  EXPECT_EQ(SharedMemory::Map(std::move(open), kMost).status().message(),
            "shared memory whose size is not sealed: it might be cut off while "
            "it is written");
  UniqueFd file(open64("/dev/null", O_RDWR | O_CLOEXEC));
  EXPECT_EQ(SharedMemory::Map(std::move(file), kMost).status().message(),
            "the descriptor that came is no shared memory");
  EXPECT_EQ(SharedMemory::Map(UniqueFd(), kMost).status().code(),
            absl::StatusCode::kInvalidArgument);
  auto large = SharedMemory::Create(8192).value();
  EXPECT_EQ(SharedMemory::Map(Copy(*large), 4096).status().message(),
            "shared memory of 8192 bytes; allowed: 1 to 4096");
}

TEST(SharedMemory, RefusesNoBytesAndNodesThatAreNone) {
  EXPECT_EQ(SharedMemory::Create(0).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(SharedMemory::Create(SIZE_MAX).status().code(),
            absl::StatusCode::kInvalidArgument);
  const auto at_node = [](int node) {
    return SharedMemory::Create(4096, {.numa_node = node}).status();
  };
  EXPECT_EQ(at_node(1024).message(), "numa_node: 1024; allowed: -1 to 1023");
  EXPECT_EQ(at_node(1000).message(),
            "numa_node: 1000; allowed: a node of this machine, or -1");
}

// Node 0 is on every machine that has a kernel with NUMA.
TEST(SharedMemory, TakesItsPagesFromANode) {
  if (!std::ifstream("/sys/devices/system/node/node0/cpulist").good()) {
    GTEST_SKIP() << "a kernel without NUMA";
  }
  EXPECT_TRUE(SharedMemory::Create(4096, {.numa_node = 0}).ok());
}

// Where the system keeps no huge pages back, that is said.
TEST(SharedMemory, HugePagesOrAnError) {
  auto memory = SharedMemory::Create(4096, {.huge_pages = true});
  if (!memory.ok()) {
    EXPECT_EQ(memory.status().code(), absl::StatusCode::kResourceExhausted)
        << memory.status();
    return;
  }
  EXPECT_EQ((*memory)->bytes().size(), size_t{2} << 20);
}

constexpr size_t kHuge = size_t{2} << 20;

// How much of the mapping at `data` is in huge pages, as the system says.
size_t MappedHuge(const void* data) {
  std::ifstream maps("/proc/self/smaps");
  std::stringstream begin;
  begin << std::hex << reinterpret_cast<uintptr_t>(data) << '-';
  std::string word;
  for (bool here = false; maps >> word;) {
    here |= word.starts_with(begin.str());
    size_t kib = 0;
    if (here && word == "ShmemPmdMapped:" && maps >> kib) return kib << 10;
  }
  return 0;
}

// Whether the system makes huge pages of small ones at all.
bool SystemMakesHugePages() {
  const UniqueFd fd(memfd_create("test", MFD_CLOEXEC));
  void* const aligned = reinterpret_cast<void*>(uintptr_t{1} << 40);
  if (ftruncate(fd.get(), kHuge) != 0) return false;
  void* const at =
      mmap(aligned, kHuge, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (at == MAP_FAILED) return false;
  std::memset(at, 1, kHuge);
  const bool huge = at == aligned && madvise(at, kHuge, 25) == 0;
  munmap(at, kHuge);
  return huge;
}

TEST(SharedMemory, NobodyWritesIntoAFrozenOne) {
  auto memory = SharedMemory::Create(8192, {.freezable = true}).value();
  memory->bytes()[5] = 9;
  EXPECT_EQ(SharedMemory::MapFrozen(Copy(*memory), kMost).status().code(),
            absl::StatusCode::kInvalidArgument);
  ASSERT_TRUE(memory->Freeze().ok());
  auto other = SharedMemory::MapFrozen(Copy(*memory), kMost);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ((*other)->bytes()[5], 9);
  EXPECT_FALSE(SharedMemory::Map(Copy(*memory), kMost).ok());
  char byte = 1;
  EXPECT_EQ(pwrite(memory->fd(), &byte, 1, 0), -1);
  // By SIGSEGV, or by a sanitizer's handler of it.
  EXPECT_DEATH(memory->bytes()[5] = 1, "");
  EXPECT_DEATH((*other)->bytes()[5] = 1, "");
  EXPECT_EQ(mprotect((*other)->bytes().data(), 4096, PROT_READ | PROT_WRITE),
            -1);
}

// As much as all memory is allowed, and only what is used is taken.
TEST(SharedMemory, WhatIsLargeIsNotTakenAtOnce) {
  auto memory = SharedMemory::Create(PhysicalMemoryBytes());
  ASSERT_TRUE(memory.ok()) << memory.status();
  EXPECT_EQ(MappedHuge((*memory)->bytes().data()), 0u);
  (*memory)->bytes()[0] = 1;
  EXPECT_LE(MappedHuge((*memory)->bytes().data()), kHuge) << "where allowed";
}

TEST(SharedMemory, IsInHugePagesForAllWhoMapIt) {
  if (!SystemMakesHugePages()) GTEST_SKIP() << "no MADV_COLLAPSE";
  auto memory = SharedMemory::Create(2 * kHuge + 4096).value();
  auto other = SharedMemory::Map(Copy(*memory), kMost).value();
  EXPECT_EQ(MappedHuge(memory->bytes().data()), 2 * kHuge);
  EXPECT_EQ(MappedHuge(other->bytes().data()), 0u) << "not looked at yet";
  other->bytes()[0] = 7;
  other->bytes()[2 * kHuge] = 8;
  EXPECT_EQ(MappedHuge(other->bytes().data()), kHuge);
  EXPECT_EQ(memory->bytes()[0], 7);
  EXPECT_EQ(memory->bytes()[2 * kHuge - 1], 0);
  EXPECT_EQ(memory->bytes()[2 * kHuge], 8) << "no whole huge page";
}

}  // namespace
}  // namespace tributary
