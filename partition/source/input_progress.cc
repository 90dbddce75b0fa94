#include "partition/source/input_progress.h"

#include <algorithm>

namespace tributary {

void InputProgress::Begin(std::string stage) {
  Finish();
  stage_ = std::move(stage);
  parts_.clear();
  done_ = total_ = 0;
  share_ = 0;
  report_(stage_, 0, 0);
}

void InputProgress::Expect(const std::string& part, int64_t size) {
  size = std::min(size, INT64_MAX - total_);
  if (size <= 0 || !parts_.emplace(part, Part{size, 0}).second) return;
  total_ += size;
}

void InputProgress::Advance(const std::string& part, int64_t done) {
  const auto at = parts_.find(part);
  if (at == parts_.end()) return;
  // A file may have grown since it was measured.
  done = std::min(done, at->second.size);
  if (done <= at->second.done) return;
  done_ += done - at->second.done;
  at->second.done = done;
  ReportAtLeast(done_);
}

void InputProgress::Finish() {
  if (total_ > 0) ReportAtLeast(total_);
}

// Parts that are expected late must not move the share back.
void InputProgress::ReportAtLeast(int64_t done) {
  const auto total = static_cast<double>(total_);
  done =
      std::clamp<int64_t>(done, static_cast<int64_t>(share_ * total), total_);
  share_ = std::max(share_, static_cast<double>(done) / total);
  report_(stage_, done, total_);
}

}  // namespace tributary
