// Names a batch: with the graph and the inputs, all that its bytes depend on.
#ifndef TRIBUTARY_COMMON_BATCH_BATCH_KEY_H_
#define TRIBUTARY_COMMON_BATCH_BATCH_KEY_H_

#include <cstdint>
#include <string>

#include "common/hash/sha256.h"

namespace tributary {

struct BatchKey {
  Sha256Digest session{};  // identity of the specification
  uint64_t epoch = 0;
  uint64_t index = 0;  // within the epoch, over all ranks

  // "batch 5 of epoch 2", as messages name it.
  std::string ToString() const {
    return "batch " + std::to_string(index) + " of epoch " +
           std::to_string(epoch);
  }
  friend bool operator==(const BatchKey&, const BatchKey&) = default;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_BATCH_BATCH_KEY_H_
