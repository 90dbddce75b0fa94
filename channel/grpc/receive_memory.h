// How the process's malloc treats the memory that gRPC receives into.
#ifndef TRIBUTARY_CHANNEL_GRPC_RECEIVE_MEMORY_H_
#define TRIBUTARY_CHANNEL_GRPC_RECEIVE_MEMORY_H_

namespace tributary {

// gRPC allocates what it receives and frees it a message later. As it comes,
// glibc gives such memory back to the kernel each time and faults it in again,
// which is half of the CPU time of a bulk stream. So, once per process: heaps
// keep up to 64 MiB each, and blocks below 4 MiB come from heaps. Settings of
// the user's own (GLIBC_TUNABLES, MALLOC_...) are left alone. Thread-safe.
void KeepReceiveMemory();

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_RECEIVE_MEMORY_H_
