// The other end of a stream that a server has accepted.
#ifndef TRIBUTARY_CHANNEL_CALLER_H_
#define TRIBUTARY_CHANNEL_CALLER_H_

#include <memory>
#include <string>
#include <utility>

#include "common/identity/identity.h"

namespace tributary {

class Caller {
 public:
  // `address` names it in messages: ipv4:10.0.0.7:41234. `identity` is that of
  // its certificate, fixed for the connection.
  explicit Caller(std::string address, Identity identity = {});

  const std::string address;
  const Identity identity;

  // Returns the address without its port; of IPv6 the /64 network, all of which
  // belongs to whoever has one of its addresses.
  std::string host() const;

  // Returns what limits are counted by: the job of a trainer, the host of all
  // others, since servers may share a certificate and claims without one are
  // worth nothing.
  const std::string& share_key() const { return share_key_; }

 private:
  const std::string share_key_;  // made once: each credit and call asks for it
};

using CallerPtr = std::shared_ptr<const Caller>;

inline CallerPtr MakeCaller(std::string address, Identity identity = {}) {
  return std::make_shared<const Caller>(std::move(address),
                                        std::move(identity));
}

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_CALLER_H_
