// Checks that a graph which was read can be written.
#ifndef TRIBUTARY_TESTS_FUZZ_WRITE_AND_VERIFY_H_
#define TRIBUTARY_TESTS_FUZZ_WRITE_AND_VERIFY_H_

#include <string>

#include "partition/writer/content.h"

namespace tributary {

// Writes the graph in two partitions to `folder`, which must not exist, and
// verifies that it has the same content. Aborts otherwise (must.h).
void WriteAndVerify(const GraphContent& content, const std::string& folder);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_FUZZ_WRITE_AND_VERIFY_H_
