// A TCP port of 127.0.0.1 that stays a test's own until programs listen at it.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TESTING_HELD_PORT_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TESTING_HELD_PORT_H_

#include <cstdint>

namespace tributary {

// Holds a port that was free, for options that need a number because several
// processes must know it beforehand. While the object lives, the system gives
// the port to nobody who asks for any free one, as other tests do; a program
// that asks for this number with SO_REUSEADDR, as ListenSocket does, gets it,
// and again after an earlier one has ended. Does not listen itself: before a
// program does, connections are refused, as at a free port.
class HeldPort {
 public:
  HeldPort();
  ~HeldPort();
  HeldPort(const HeldPort&) = delete;
  HeldPort& operator=(const HeldPort&) = delete;

  uint16_t number() const { return number_; }

 private:
  int fd_ = -1;
  uint16_t number_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TESTING_HELD_PORT_H_
