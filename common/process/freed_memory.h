// Memory that a process has freed and will soon want again.
#ifndef TRIBUTARY_COMMON_PROCESS_FREED_MEMORY_H_
#define TRIBUTARY_COMMON_PROCESS_FREED_MEMORY_H_

namespace tributary {

// Makes malloc keep what is freed, instead of returning it to the system: by
// default blocks of 128 KiB to 32 MiB and more, and the end of the heap, are
// unmapped when they are freed, so a program that allocates and frees the same
// large tensors in each step pays for a page fault and zeroing per 4 KiB each
// time. The process keeps its peak (2 GiB of free memory at most); blocks above
// 1 GiB are returned as before.
//
// Has no effect if the user has set MALLOC_TRIM_THRESHOLD_,
// MALLOC_MMAP_THRESHOLD_ or GLIBC_TUNABLES. Call it before other threads start.
void KeepFreedMemory();

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_PROCESS_FREED_MEMORY_H_
