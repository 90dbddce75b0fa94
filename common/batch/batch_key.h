// Identifies a batch. With the graph and the batch's inputs, the key determines
// all of the batch's bytes.
#ifndef TRIBUTARY_COMMON_BATCH_BATCH_KEY_H_
#define TRIBUTARY_COMMON_BATCH_BATCH_KEY_H_

#include <cstdint>
#include <string>

#include "common/hash/sha256.h"

namespace tributary {

// Session, epoch and index of a batch.
struct BatchKey {
  Sha256Digest session{};  // SHA-256 of the specification
  uint64_t epoch = 0;
  uint64_t index = 0;  // in the epoch's order, over all ranks

  // Returns "batch 5 of epoch 2", for messages.
  std::string ToString() const {
    return "batch " + std::to_string(index) + " of epoch " +
           std::to_string(epoch);
  }
  friend bool operator==(const BatchKey&, const BatchKey&) = default;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_BATCH_BATCH_KEY_H_
