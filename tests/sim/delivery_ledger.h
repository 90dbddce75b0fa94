// Which batches were delivered, to whom, and whether they were right.
#ifndef TRIBUTARY_TESTS_SIM_DELIVERY_LEDGER_H_
#define TRIBUTARY_TESTS_SIM_DELIVERY_LEDGER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "tests/sim/coverage.h"
#include "tests/sim/sampled_graph.h"
#include "tests/sim/verdict.h"

namespace tributary {

// What may excuse an error in a batch's place.
struct SimExcuses {
  uint64_t ring_bytes = 0;    // a larger batch can never be received
  uint64_t credit_bytes = 0;  // nor one that no server can make
  int deaths = 0;             // servers lost so far
};

// One job's epoch: exactly once, to one trainer, in order, the right bytes. A
// trainer that dies takes back what it had not yet committed.
class DeliveryLedger {
 public:
  DeliveryLedger(const std::vector<ExpectedBatch>* expected, Verdict* verdict,
                 SimCoverage* coverage)
      : expected_(expected),
        verdict_(verdict),
        coverage_(coverage),
        entries_(expected->size()) {}

  // `wanted`: the index that is the trainer's next.
  void OnBatch(int trainer, uint64_t wanted, const BatchView& view,
               absl::Time now);
  void OnError(int trainer, uint64_t wanted, const absl::Status& why,
               const SimExcuses& excuses, absl::Time now);
  // The user lets go of it: nobody wrote into it meanwhile.
  void OnRelease(int trainer, const BatchView& view);
  void TakeBack(int trainer, uint64_t index);
  void CheckComplete();

  // When the index was delivered; InfiniteFuture: not yet.
  absl::Time DeliveredAt(uint64_t index) const {
    return index < entries_.size() ? entries_[index].at
                                   : absl::InfiniteFuture();
  }
  bool IsDelivered(uint64_t index) const {
    return index < entries_.size() && entries_[index].trainer >= 0;
  }

 private:
  struct Entry {
    int trainer = -1;  // that has it
    absl::Time at = absl::InfiniteFuture();
  };
  bool Take(int trainer, uint64_t index, absl::Time now);

  const std::vector<ExpectedBatch>* const expected_;
  Verdict* const verdict_;
  SimCoverage* const coverage_;
  std::vector<Entry> entries_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_DELIVERY_LEDGER_H_
