// Finds and starts the program of sampling workers.
#ifndef TRIBUTARY_TRAINER_CLIENT_MODES_WORKER_PROCESS_H_
#define TRIBUTARY_TRAINER_CLIENT_MODES_WORKER_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tributary {

// The descriptor under which a worker process inherits its door.
inline constexpr int kWorkerDoorFd = 3;

// Returns `program` if it is a path; else the program of that name, "tributary"
// if it is empty, beside the running program or in PATH. NOT_FOUND, with the
// places searched, if there is none.
absl::StatusOr<std::string> FindWorkerProgram(const std::string& program);

// Starts `program` with the arguments after argv[0], and returns its process
// id. The process inherits `door` as kWorkerDoorFd, reads /dev/null, prints to
// the caller's stderr, has no signal blocked or ignored, and leads a process
// group of its own, so that a terminal's Ctrl-C does not reach it. Returns the
// error of posix_spawn. The caller must wait for the process.
absl::StatusOr<pid_t> SpawnWorkerProcess(const std::string& program,
                                         std::vector<std::string> arguments,
                                         int door);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_MODES_WORKER_PROCESS_H_
