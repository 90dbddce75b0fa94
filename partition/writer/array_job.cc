#include "partition/writer/array_job.h"

#include <algorithm>

namespace tributary {

NpyType IdType(uint64_t num_ids) {
  return num_ids <= uint64_t{1} << 32 ? kNpyUint32 : kNpyUint64;
}

NpyType EdgePositionType(absl::Span<const int64_t> partition_edges) {
  int64_t most = 0;
  for (const int64_t edges : partition_edges) most = std::max(most, edges);
  return IdType(static_cast<uint64_t>(most) + 1);
}

void PushId(ArrayWriter& out, NpyType type, int64_t id) {
  if (type == kNpyUint32) {
    out.Push(static_cast<uint32_t>(id));
  } else {
    out.Push(static_cast<uint64_t>(id));
  }
}

}  // namespace tributary
