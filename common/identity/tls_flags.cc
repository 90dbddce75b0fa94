#include "common/identity/tls_flags.h"

#include <CLI/CLI.hpp>

namespace tributary {

void AddTlsFlags(CLI::App& app, TlsFiles& files) {
  app.add_option("--tls-ca", files.ca,
                 "PEM file of the authorities that certificates of others are "
                 "checked with; without the three --tls-*: plain text")
      ->type_name("FILE")
      ->envname("TRIBUTARY_TLS_CA");
  app.add_option("--tls-cert", files.cert,
                 "PEM file of this program's certificate, whose URI says who "
                 "it is: tributary://sampler/NAME, trainer/JOB, operator/NAME")
      ->type_name("FILE")
      ->envname("TRIBUTARY_TLS_CERT");
  app.add_option("--tls-key", files.key, "PEM file of its private key")
      ->type_name("FILE")
      ->envname("TRIBUTARY_TLS_KEY");
}

}  // namespace tributary
