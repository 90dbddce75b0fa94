// A server whose replies a script changes on their way.
#ifndef TRIBUTARY_TESTS_FUZZ_LYING_ACCEPTOR_H_
#define TRIBUTARY_TESTS_FUZZ_LYING_ACCEPTOR_H_

#include <memory>
#include <string>

#include "channel/transport.h"
#include "tests/fuzz/script.h"

namespace tributary {

// Passes on the messages that `honest` sends. Until the script ends, each of
// them is changed by its next part (script.h), up to a semicolon:
//
//   changes, payload  changes the header, then the payload
//   k number          sets the kind
//   i number          sets the call id
//   e number text     sends a CallError of that code instead
//   p number          sends it so many times more
//   s                 sends nothing
//   q                 closes the stream before it is sent
//   ;                 ends the changes of this message
//
// Runs on the simulation's thread.
class LyingAcceptor final : public StreamAcceptor {
 public:
  // Both outlive it and its streams.
  LyingAcceptor(StreamAcceptor* honest, Script* script)
      : honest_(honest), script_(script) {}

  std::shared_ptr<StreamHandler> Accept(StreamMethod method, CallerPtr caller,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override;

 private:
  StreamAcceptor* const honest_;
  Script* const script_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_FUZZ_LYING_ACCEPTOR_H_
