// References of container images, as the OCI writes them.
#ifndef TRIBUTARY_CLI_K8S_IMAGE_REFERENCE_H_
#define TRIBUTARY_CLI_K8S_IMAGE_REFERENCE_H_

#include "absl/strings/string_view.h"

namespace tributary {

// What IsImageReference() allows, for errors.
inline constexpr char kAllowedImage[] =
    "REPOSITORY:TAG or REPOSITORY@sha256:DIGEST, such as "
    "registry.example/tributary-sampler:0.1.0; a repository is in lower case, "
    "a tag has up to 128 of letters, digits and _.-, a digest 64 hexadecimal "
    "digits";

// Returns whether `text` is a reference by the grammar of the OCI's
// distribution specification, [HOST[:PORT]/]PATH[:TAG][@ALGORITHM:DIGEST], that
// says which image it is: it has a tag, or a digest of SHA-256 or SHA-512. A
// registry is told from a folder of the path as Docker and Kubernetes do: it is
// `localhost`, or has a `.` or a port.
bool IsImageReference(absl::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_K8S_IMAGE_REFERENCE_H_
