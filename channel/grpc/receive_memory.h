// How the process's malloc treats the memory that gRPC receives into.
#ifndef TRIBUTARY_CHANNEL_GRPC_RECEIVE_MEMORY_H_
#define TRIBUTARY_CHANNEL_GRPC_RECEIVE_MEMORY_H_

namespace tributary {

// gRPC allocates what it receives, in pieces of 64 KiB, and frees it a message
// later. As it comes, glibc gives such memory back to the kernel each time and
// faults it in again, which is half of the CPU time of a bulk stream. So, once
// per process: heaps keep up to 8 MiB each, twice the receive window, and
// blocks below 1 MiB come from heaps. There are at most 8 heaps, whatever the
// number of threads: so what is kept of freed memory is bounded, but for holes
// between what is not free. Settings of the user's own (GLIBC_TUNABLES,
// MALLOC_...) are left alone. Thread-safe.
void KeepReceiveMemory();

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_RECEIVE_MEMORY_H_
