// A user's folder, as one input of a fuzzer describes it, and what must hold
// for whoever reads it.
#ifndef TRIBUTARY_TESTS_FUZZ_INPUTS_FOLDER_INPUT_H_
#define TRIBUTARY_TESTS_FUZZ_INPUTS_FOLDER_INPUT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "partition/pipeline/inputs/options/input_options.h"

namespace tributary {

// Returns whether `title` may name a file of an input: a name, or two with a
// '/' between them, of up to 100 letters, digits and "_-,;.", not beginning
// with '.'.
bool IsFolderFile(absl::string_view title);

// Writes `content` to the file `title` of `folder`, and makes the folder that
// it is in; .npy files may be text (array_text.h). Leaves out what is no
// IsFolderFile.
void WriteFolderFile(const std::string& folder, absl::string_view title,
                     absl::string_view content);

// Reads options.folder. Aborts (must.h) unless it is refused with a message
// that names the folder or a file in it, or becomes a graph that can be
// written, opened and verified, and is the same then. Graphs of more than
// 100,000 nodes, whose memory is the user's to judge, are not written.
// `scratch` is an empty folder.
void ReadWriteAndVerify(const InputOptions& options,
                        const std::string& scratch);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_FUZZ_INPUTS_FOLDER_INPUT_H_
