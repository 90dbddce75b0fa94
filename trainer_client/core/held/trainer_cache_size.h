// How much of a graph's features a trainer holds, as users write it.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_HELD_TRAINER_CACHE_SIZE_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_HELD_TRAINER_CACHE_SIZE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tributary {

inline constexpr char kTrainerCacheSizes[] =
    "auto, off, a share of the rows from 0 to 1 as 0.2, or a size of memory as "
    "2GB "
    "or 512MiB";

// The size of a trainer's cache, as users write it.
struct TrainerCacheSize {
  // It is found out how many rows pay; the others are not set then.
  bool automatic = false;
  // Of each node type's rows, from 0 to 1; or of memory. Neither: no cache.
  std::optional<double> share;
  std::optional<uint64_t> bytes;

  bool off() const {
    return !automatic && !share.has_value() && !bytes.has_value();
  }
  // Reads "auto", "off", a share as "0.2", or a size as "2GB" or "512MiB".
  // INVALID_ARGUMENT, with what is allowed.
  static absl::StatusOr<TrainerCacheSize> Parse(std::string_view text);
  // Returns the same text for equal sizes.
  std::string ToString() const;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_HELD_TRAINER_CACHE_SIZE_H_
