// The manifests that the program renders from: files of k8s/, embedded when it
// is built.
#ifndef TRIBUTARY_CLI_K8S_MANIFESTS_H_
#define TRIBUTARY_CLI_K8S_MANIFESTS_H_

namespace tributary {

extern const char kDeploymentManifest[];
extern const char kServiceManifest[];
extern const char kDisruptionBudgetManifest[];
extern const char kNetworkPolicyManifest[];
extern const char kScaledObjectManifest[];
extern const char kPodMonitorManifest[];
extern const char kAlertsManifest[];
// A patch of the Deployment.
extern const char kFetchGraphManifest[];
// The content of k8s/components/tls-samplers: resources, and JSON patches.
extern const char kTlsCertificates[];
extern const char kTlsDeploymentPatch[];
extern const char kTlsServicePatch[];
extern const char kTlsPodMonitorPatch[];

}  // namespace tributary

#endif  // TRIBUTARY_CLI_K8S_MANIFESTS_H_
