// Writes rendered files as a folder.
#ifndef TRIBUTARY_CLI_K8S_RENDERED_FOLDER_H_
#define TRIBUTARY_CLI_K8S_RENDERED_FOLDER_H_

#include <string>

#include "absl/status/status.h"
#include "cli/k8s/render.h"

namespace tributary {

// Makes `folder` hold the files and nothing else, at one instant: readers see
// the old folder or the new one. A folder that exists is replaced if all of its
// files begin with kRenderedMark; otherwise ALREADY_EXISTS names one that does
// not, and nothing is changed.
absl::Status WriteRenderedFolder(const std::string& folder,
                                 const RenderedFiles& files);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_K8S_RENDERED_FOLDER_H_
