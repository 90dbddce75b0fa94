// What a fuzzer of a state machine does, read from its input.
#ifndef TRIBUTARY_TESTS_FUZZ_SCRIPT_H_
#define TRIBUTARY_TESTS_FUZZ_SCRIPT_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "channel/message.h"

namespace google::protobuf {
class Message;
}

namespace tributary {

// A script is made for mutation: every byte string is one, and a change in one
// place changes little else. The seeds are text. At its end all reads give 0.
//
//   number   0 to 9; a to z, sizes that matter (kEdges); # and decimal digits;
//            any other byte is its own value
//   text     bytes up to and without the next '
//   change   a capital letter: the header's field (A is the first), then what
//            the field takes: a number, a text, for a message its changes. A
//            list gets one more element. -A clears the field; *A and a number
//            n add 0 to n - 1 to a list of numbers
//   payload  = and a number: so many bytes of a pattern; " and a text: that;
//            else what it was. Then @ and two numbers: a 64-bit value at that
//            offset; & number text: the text there; % number: cut to that
class Script {
 public:
  explicit Script(absl::Span<const uint8_t> input) : left_(input) {}

  bool done() const { return left_.empty(); }
  // The next byte.
  char Take();
  uint64_t Number();
  std::string Text();
  // Changes `header` for as long as changes follow.
  void Change(google::protobuf::Message& header);
  // Changes `payload` likewise.
  void ChangePayload(std::string& payload);

 private:
  char Peek() const { return done() ? '\0' : static_cast<char>(left_.front()); }
  uint64_t Decimal();
  std::string Pattern();
  void ChangeField(google::protobuf::Message& header);
  void AddRange(google::protobuf::Message& header);

  absl::Span<const uint8_t> left_;
};

// A message with `payload` as its own.
OutgoingMessage MakeMessage(MessageKind kind, uint64_t call_id,
                            std::string header, std::string payload = "");

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_FUZZ_SCRIPT_H_
