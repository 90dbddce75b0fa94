// No destructor of this library runs when the process ends, since its threads,
// and gRPC's, then still run: handles may be open, and even after they are
// closed gRPC keeps threads. The kernel takes back what they hold.
//
// The linker passes each call of __cxa_atexit() from the objects of
// libtributary.so to the function below (--wrap in BUILD.bazel): those that
// compilers emit for objects of static storage duration, and those of atexit(),
// by which OpenSSL registers its clean-up.

extern "C" {

// Registers nothing, and succeeds. The name is the linker's.
int __wrap___cxa_atexit(  // NOLINT(bugprone-reserved-identifier)
    void (*)(void*), void*, void*) {
  return 0;
}

}  // extern "C"
