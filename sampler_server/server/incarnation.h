// Tells the starts of servers apart.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVER_INCARNATION_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVER_INCARNATION_H_

#include <cstdint>
#include <random>

namespace tributary {

// Returns a random number by which clients and peers notice that the server at
// an address is another process than before.
inline uint64_t NewIncarnation() {
  std::random_device random;
  return uint64_t{random()} << 32 | random();
}

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_INCARNATION_H_
