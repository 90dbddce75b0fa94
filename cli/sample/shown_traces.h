// Prints where the time of each batch went, for `tributary sample --trace`.
#ifndef TRIBUTARY_CLI_SAMPLE_SHOWN_TRACES_H_
#define TRIBUTARY_CLI_SAMPLE_SHOWN_TRACES_H_

#include <cstddef>
#include <deque>

#include "common/batch/batch_key.h"
#include "common/runtime/mutex.h"
#include "common/trace/batch_timeline.h"

namespace tributary {

// Keeps the timelines that the loader's thread tells until the thread that
// prints batches asks for them, so that a batch's explanation stands after its
// line. Thread-safe.
class ShownTraces {
 public:
  // Returns what receives the timelines; this object outlives it.
  TracedObserver Observer();
  // Prints the explanation of a batch that was delivered on stderr. Does
  // nothing for a batch of which there is none.
  void Print(const BatchKey& key);

 private:
  // More than are ever delivered and not yet printed.
  static constexpr size_t kMost = 64;

  Mutex mutex_;
  std::deque<BatchTimeline> kept_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SHOWN_TRACES_H_
