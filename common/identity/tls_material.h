// The contents of a process' TLS files, read and checked together.
#ifndef TRIBUTARY_COMMON_IDENTITY_TLS_MATERIAL_H_
#define TRIBUTARY_COMMON_IDENTITY_TLS_MATERIAL_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/identity/identity.h"
#include "common/identity/tls_files.h"

namespace tributary {

struct TlsMaterial {
  std::string ca;    // PEM texts
  std::string cert;  // this process' certificate, then intermediate ones
  std::string key;
  Identity identity;  // of the certificate
  absl::Time expires;

  bool SameTextsAs(const TlsMaterial& other) const {
    return ca == other.ca && cert == other.cert && key == other.key;
  }
};

// Reads the three files and checks that they can be used now. The error names
// the file and what is expected of it: NOT_FOUND or PERMISSION_DENIED for one
// that cannot be read; INVALID_ARGUMENT for one that is not PEM or holds no
// certificate or key, a key of another certificate, a certificate without a
// URI as in identity.h; FAILED_PRECONDITION for a certificate that has expired
// or is not valid yet. Whether the other end will trust the certificate is not
// known here. Blocks on the files; the caller is no event thread.
absl::StatusOr<TlsMaterial> ReadTlsMaterial(const TlsFiles& files);

// Reads the files again. Passes contents of other texts than `*in_use` to
// `use`, and assigns them to `*in_use` if it returns OK; returns whether that
// was so. Errors of either leave the old ones in use. Compares texts because
// times of files may be coarse.
absl::StatusOr<bool> RereadTlsMaterial(
    const TlsFiles& files, TlsMaterial* in_use,
    absl::FunctionRef<absl::Status(const TlsMaterial&)> use);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IDENTITY_TLS_MATERIAL_H_
