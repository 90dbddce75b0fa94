// The PEM files by which a process proves who it is and checks others.
#ifndef TRIBUTARY_COMMON_IDENTITY_TLS_FILES_H_
#define TRIBUTARY_COMMON_IDENTITY_TLS_FILES_H_

#include <string>

#include "absl/status/status.h"

namespace tributary {

// Empty: plain text. They are read again when they change, so that certificates
// may be renewed under a running process.
struct TlsFiles {
  std::string ca;    // authorities that certificates of others are checked with
  std::string cert;  // this process' certificate, with intermediate ones
  std::string key;   // its private key

  bool empty() const { return ca.empty() && cert.empty() && key.empty(); }
};

// INVALID_ARGUMENT when some of the three are given and others are not.
absl::Status CheckTlsFiles(const TlsFiles& files);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IDENTITY_TLS_FILES_H_
