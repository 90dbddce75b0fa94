// Checks that each batch is delivered once, in order, with the right bytes.
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

// The conditions under which an error in a batch's place is expected.
struct SimExcuses {
  uint64_t ring_bytes = 0;    // a larger batch cannot be received
  uint64_t credit_bytes = 0;  // a larger batch cannot be made
  int deaths = 0;             // servers lost so far
  bool several_died = false;  // different ones, or the only one there is
  bool lies = false;  // whether a server lies: its error may come for another
};

// Follows one job's epoch: each batch goes exactly once to one trainer, in
// order, with the right bytes. Deliveries that a trainer had not committed when
// it died are revoked. Reports violations to the verdict. `expected`, `verdict`
// and `coverage` outlive it.
class DeliveryLedger {
 public:
  DeliveryLedger(const std::vector<ExpectedBatch>* expected, Verdict* verdict,
                 SimCoverage* coverage)
      : expected_(expected),
        verdict_(verdict),
        coverage_(coverage),
        entries_(expected->size()) {}

  // `wanted`: the index that the trainer must get next.
  void OnBatch(int trainer, uint64_t wanted, const BatchView& view,
               absl::Time now);
  void OnError(int trainer, uint64_t wanted, const absl::Status& why,
               const SimExcuses& excuses, absl::Time now);
  // The user releases the batch: checks that nobody wrote into it meanwhile.
  void OnRelease(int trainer, const BatchView& view);
  // Revokes a delivery to a trainer that died.
  void TakeBack(int trainer, uint64_t index);
  // Checks that every batch was delivered.
  void CheckComplete();

  // Returns when the index was delivered; InfiniteFuture if it was not.
  absl::Time DeliveredAt(uint64_t index) const {
    return index < entries_.size() ? entries_[index].at
                                   : absl::InfiniteFuture();
  }

 private:
  struct Entry {
    int trainer = -1;  // the trainer that has it; -1: none
    absl::Time at = absl::InfiniteFuture();
  };
  // Records a delivery or an error; returns false if it is a violation.
  bool Take(int trainer, uint64_t index, absl::Time now);

  const std::vector<ExpectedBatch>* const expected_;
  Verdict* const verdict_;
  SimCoverage* const coverage_;
  std::vector<Entry> entries_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_DELIVERY_LEDGER_H_
