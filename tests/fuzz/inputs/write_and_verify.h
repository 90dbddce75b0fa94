// Checks that a graph which was read can be written.
#ifndef TRIBUTARY_TESTS_FUZZ_INPUTS_WRITE_AND_VERIFY_H_
#define TRIBUTARY_TESTS_FUZZ_INPUTS_WRITE_AND_VERIFY_H_

#include <string>

#include "absl/status/status.h"
#include "partition/writer/content.h"

namespace tributary {

// Writes the graph in two partitions to `folder`, which must not exist; returns
// the writer's error. Aborts (must.h) unless what it wrote has the same
// content.
absl::Status WriteAndVerify(const GraphContent& content,
                            const std::string& folder);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_FUZZ_INPUTS_WRITE_AND_VERIFY_H_
