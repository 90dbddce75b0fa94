// A server whose every answer a script may change on its way.
#ifndef TRIBUTARY_TESTS_FUZZ_LYING_ACCEPTOR_H_
#define TRIBUTARY_TESTS_FUZZ_LYING_ACCEPTOR_H_

#include <memory>
#include <string>

#include "channel/transport.h"
#include "tests/fuzz/script.h"

namespace tributary {

// Passes on what `honest` sends, each message changed as the script says for as
// long as there is one:
//
//   changes, payload  of it
//   k number          another kind
//   i number          to another call
//   e number text     a CallError of that code instead
//   p number          so many times more
//   s                 nothing at all instead
//   q                 the stream is closed instead
//   ;                 that is all for this message
class LyingAcceptor final : public StreamAcceptor {
 public:
  // Both outlive it and its streams.
  LyingAcceptor(StreamAcceptor* honest, Script* script)
      : honest_(honest), script_(script) {}

  std::shared_ptr<StreamHandler> Accept(StreamMethod method, std::string peer,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override;

 private:
  StreamAcceptor* const honest_;
  Script* const script_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_FUZZ_LYING_ACCEPTOR_H_
