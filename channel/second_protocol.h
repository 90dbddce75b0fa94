// The interface of a protocol that shares a server's port with another one.
#ifndef TRIBUTARY_CHANNEL_SECOND_PROTOCOL_H_
#define TRIBUTARY_CHANNEL_SECOND_PROTOCOL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "channel/net/connection_use.h"
#include "channel/net/stream_places.h"
#include "common/io/unique_fd.h"
#include "common/observe/refusal_counter.h"

namespace tributary {

// Takes some of the connections that a server has accepted. The server limits
// and guards them all; streams have their places in common. Thread-safe.
class SecondProtocol {
 public:
  virtual ~SecondProtocol() = default;
  // Returns whether it speaks on a connection that begins with `first`; nullopt
  // if more bytes are needed to tell.
  virtual std::optional<bool> Takes(absl::Span<const uint8_t> first) const = 0;
  // Takes such a connection, of which nothing has been read; returns soon.
  // `table`, which outlives it, has its use.
  virtual void Adopt(UniqueFd socket, const ConnectionTable& table) = 0;
  virtual size_t num_streams() const = 0;
  // As StreamRegistry's.
  virtual size_t CloseIdle(absl::Duration timeout) = 0;
  // Closes all streams as NetworkServer::Shutdown does; nothing is adopted any
  // more.
  virtual void Shutdown(absl::Duration grace) = 0;
};

// Makes a server's, which shares its places and counts its refused connections;
// both outlive the result.
using MakeSecondProtocol =
    std::function<absl::StatusOr<std::unique_ptr<SecondProtocol>>(
        StreamPlaces* places, RefusalCounter* refused)>;

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_SECOND_PROTOCOL_H_
