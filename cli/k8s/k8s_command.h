// `tributary k8s render`: manifests for Kubernetes.
#ifndef TRIBUTARY_CLI_K8S_K8S_COMMAND_H_
#define TRIBUTARY_CLI_K8S_K8S_COMMAND_H_

#include <memory>

#include "cli/command/command.h"

namespace tributary {

std::unique_ptr<Command> MakeK8sCommand();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_K8S_K8S_COMMAND_H_
