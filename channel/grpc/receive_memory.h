// Configures the process's malloc for the memory that gRPC receives into.
#ifndef TRIBUTARY_CHANNEL_GRPC_RECEIVE_MEMORY_H_
#define TRIBUTARY_CHANNEL_GRPC_RECEIVE_MEMORY_H_

namespace tributary {

// Makes glibc keep freed receive buffers for reuse. gRPC allocates received
// data in pieces of 64 KiB and frees them a message later; by default glibc
// returns such memory to the kernel each time and faults it in again, which
// takes half of the CPU time of a bulk stream.
//
// Sets, once per process: each heap keeps up to 8 MiB (twice the receive
// window), blocks below 1 MiB come from heaps, and there are at most 8 heaps
// whatever the number of threads. So the freed memory that is kept is bounded,
// except for holes between blocks in use. Settings of the user (GLIBC_TUNABLES,
// MALLOC_...) are not changed. Thread-safe.
void KeepReceiveMemory();

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_RECEIVE_MEMORY_H_
