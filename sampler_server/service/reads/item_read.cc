#include "common/text/status.h"
#include "sampler_server/service/reads/graph_reads.h"

namespace tributary {

absl::StatusOr<bool> ItemRead::Step(WorkSlice& slice) {
  while (next_ < num_items_) {
    if (slice.used_up()) return false;
    const size_t to = next_ + slice.Fitting(num_items_ - next_, work_);
    size_t read = to - next_;
    if (gather_.has_value()) {
      gather_->Copy(next_, to);
    } else {
      ASSIGN_OR_RETURN(read, read_(next_, to, slice));
    }
    slice.Spend(read * work_);
    next_ += read;
  }
  return true;
}

}  // namespace tributary
