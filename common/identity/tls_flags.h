// The flags by which every program that listens or connects is given its
// certificate.
#ifndef TRIBUTARY_COMMON_IDENTITY_TLS_FLAGS_H_
#define TRIBUTARY_COMMON_IDENTITY_TLS_FLAGS_H_

#include "common/identity/tls_files.h"

namespace CLI {
class App;
}

namespace tributary {

// Adds --tls-ca, --tls-cert and --tls-key, whose values parsing writes into
// `files`, which must outlive `app`. A flag that is not given has the value of
// TRIBUTARY_TLS_CA, TRIBUTARY_TLS_CERT or TRIBUTARY_TLS_KEY, so that a shell or
// a pod can set them once for all programs. CheckTlsFiles() says whether all
// three are there.
void AddTlsFlags(CLI::App& app, TlsFiles& files);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IDENTITY_TLS_FLAGS_H_
