// Fetches the planned files of a folder.
#ifndef TRIBUTARY_CLI_FETCH_FETCH_FILES_H_
#define TRIBUTARY_CLI_FETCH_FETCH_FILES_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "cli/fetch/object_store.h"
#include "cli/fetch/staged_folder.h"
#include "cli/fetch/transfer_plan.h"
#include "cli/fetch/transfer_progress.h"
#include "cli/fetch/try_again.h"

namespace tributary {

struct FetchOptions {
  int jobs = 8;                    // requests at a time
  size_t chunk = size_t{8} << 20;  // bytes of a request
};

// Fetches `files` into the folder, `jobs` chunks at a time, each into a buffer
// of its own: at most jobs * chunk bytes. The chunks of a file may arrive in
// any order, but are written in order, so that a file that is not finished has
// its first bytes, and the next run goes on behind them. A file gets its name
// when its checksum is right. If the bytes of an earlier run spoil it, it is
// fetched again from its start, once.
//
// Errors are the store's and the disk's; DATA_LOSS for an object whose length
// or checksum is not the planned one.
absl::Status FetchFiles(const std::vector<PlannedFile>& files,
                        const FetchOptions& options, ObjectStore& store,
                        TryAgain& again, const StagedFolder& folder,
                        TransferProgress& progress);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FETCH_FETCH_FILES_H_
