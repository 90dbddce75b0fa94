// Files of a folder that one input of a fuzzer changes.
#ifndef TRIBUTARY_TESTS_FUZZ_CHANGED_FILES_H_
#define TRIBUTARY_TESTS_FUZZ_CHANGED_FILES_H_

#include <map>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "partition/schema/schema.h"
#include "tests/fuzz/script.h"

namespace tributary {

// The contents of files by their path in a folder.
using Files = std::map<std::string, std::string>;

// Returns the files in the folder and in those below it.
Files ReadFiles(const std::string& folder);

// Applies a script (script.h) of these changes. `json` is the path of the file
// that lists the others; `correct` updates its lengths and checksums.
//
//   f number       selects a file, by path ascending; `json` is 0, and first
//   w number text  writes the text at that offset, in place
//   v number number  writes a 64-bit value at that offset
//   t number       truncates the file to that size
//   a text         appends to the file
//   c              calls `correct`
void ChangeFiles(Script script, const std::string& json,
                 absl::FunctionRef<void(Files&)> correct, Files& files);

// Sets lengths and checksums of those of `listed` that there are, as whoever
// made the files so would have written them.
void CorrectList(const Files& files, std::vector<FileSchema>& listed);

// Calls `use` while the folder, which has the files `good`, has `files`.
void WithFiles(const std::string& folder, const Files& good, const Files& files,
               absl::FunctionRef<void()> use);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_FUZZ_CHANGED_FILES_H_
