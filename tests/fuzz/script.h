// Reads the actions of a fuzzer from its input.
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

// A cursor over the input of a fuzzer of a state machine. The language is made
// for mutation: every byte string is a valid script, and a change in one place
// changes little else. Seeds are text. Reads past the end return 0 or nothing.
// `input` outlives the script.
//
//   number   0 to 9; a to z, the sizes of kEdges; # and decimal digits; any
//            other byte is its own value
//   text     the bytes before the next '
//   change   a capital letter, the header's field (A is the first), then its
//            value: a number, a text, or for a message its changes. A list gets
//            one more element. -A clears the field; *A and a number n append 0
//            to n - 1 to a list of numbers
//   payload  = and a number: so many bytes of a pattern; " and a text: those
//            bytes; else unchanged. Then any of @ and two numbers: writes a
//            64-bit value at that offset; & number text: writes the text there;
//            % number: truncates to that size
class Script {
 public:
  explicit Script(absl::Span<const uint8_t> input) : left_(input) {}

  bool done() const { return left_.empty(); }
  // Takes the next byte.
  char Take();
  // Takes the next byte if it is this one. Returns whether it was.
  bool TakeIf(char wanted) {
    if (done() || Peek() != wanted) return false;
    Take();
    return true;
  }
  uint64_t Number();
  std::string Text();
  // Applies the changes that follow to `header`.
  void Change(google::protobuf::Message& header);
  // Applies the payload changes that follow to `payload`.
  void ChangePayload(std::string& payload);

 private:
  char Peek() const { return done() ? '\0' : static_cast<char>(left_.front()); }
  uint64_t Decimal();
  std::string Pattern();
  void ChangeField(google::protobuf::Message& header);
  void AddRange(google::protobuf::Message& header);

  absl::Span<const uint8_t> left_;
};

// Returns a message that owns `payload`.
OutgoingMessage MakeMessage(MessageKind kind, uint64_t call_id,
                            std::string header, std::string payload = "");

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_FUZZ_SCRIPT_H_
