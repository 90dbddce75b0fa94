// Renders the fleet of samplers as a kustomization.
#ifndef TRIBUTARY_CLI_K8S_RENDER_H_
#define TRIBUTARY_CLI_K8S_RENDER_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "cli/k8s/values.h"

namespace tributary {

// The first line of every file that is rendered.
inline constexpr char kRenderedMark[] =
    "# Rendered by `tributary k8s render`: change its values, not this.\n";

// Contents of files by their names.
using RenderedFiles = std::map<std::string, std::string>;

// Returns a kustomization: kustomization.yaml, samplers.yaml with what all pods
// share and the alerts, and a file for each Deployment: partition-K.yaml, or
// whole.yaml; with `tls` also the certificates and patches of
// k8s/components/tls-samplers. The pod template and all else come from
// k8s/base/samplers; the same values give the same bytes. INTERNAL if the
// embedded manifests lack what is to be set.
absl::StatusOr<RenderedFiles> RenderSamplers(const SamplerValues& values);

// Returns how many Deployments the values make.
size_t CountDeployments(const SamplerValues& values);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_K8S_RENDER_H_
