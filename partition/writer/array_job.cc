#include "partition/writer/array_job.h"

namespace tributary {

NpyType IdType(uint64_t num_ids) {
  return num_ids <= uint64_t{1} << 32 ? kNpyUint32 : kNpyUint64;
}

void PushId(ArrayWriter& out, NpyType type, int64_t id) {
  if (type == kNpyUint32) {
    out.Push(static_cast<uint32_t>(id));
  } else {
    out.Push(static_cast<uint64_t>(id));
  }
}

}  // namespace tributary
