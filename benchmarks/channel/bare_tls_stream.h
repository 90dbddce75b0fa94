// A baseline: bytes over a bare OpenSSL stream of TLS 1.3, with the options
// that it has by itself.
#ifndef TRIBUTARY_BENCHMARKS_CHANNEL_BARE_TLS_STREAM_H_
#define TRIBUTARY_BENCHMARKS_CHANNEL_BARE_TLS_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/identity/tls_files.h"

namespace tributary {

// The sending end: writes `bytes` bytes of `room`, over and over from its
// beginning, a MiB at a time, to each connection in turn. No CRC, no header,
// blocking sockets. `room` outlives the object.
class BareTlsSource {
 public:
  virtual ~BareTlsSource() = default;
  static absl::StatusOr<std::unique_ptr<BareTlsSource>> Start(
      const TlsFiles& files, absl::Span<const uint8_t> room, uint64_t bytes);
  virtual uint16_t port() const = 0;
};

// Returns the seconds until one connection has received `bytes` into `to`, over
// and over from its beginning. The handshake is done before the clock starts.
absl::StatusOr<double> BareTlsSeconds(const TlsFiles& files, uint16_t port,
                                      uint64_t bytes, absl::Span<uint8_t> to);

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_CHANNEL_BARE_TLS_STREAM_H_
