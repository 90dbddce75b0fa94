// Files that one input of a fuzzer describes.
#ifndef TRIBUTARY_TESTS_FUZZ_INPUTS_SECTION_FILES_H_
#define TRIBUTARY_TESTS_FUZZ_INPUTS_SECTION_FILES_H_

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace tributary {

// Calls `take(title, content)` for each section of `text`: a line "=TITLE" and
// what follows up to the next '='. Text before the first '=' is left out.
void ForEachSection(
    absl::string_view text,
    absl::FunctionRef<void(absl::string_view, absl::string_view)> take);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_FUZZ_INPUTS_SECTION_FILES_H_
