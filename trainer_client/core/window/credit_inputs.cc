#include "trainer_client/core/window/credit_inputs.h"

#include <memory>
#include <utility>
#include <vector>

namespace tributary {

CreditInputs MakeCreditInputs(const LoaderSession& session,
                              const EpochOrder& order, uint64_t index) {
  std::vector<uint64_t> numbers = order.InputNumbers(index);
  session.link_lists.Group(&numbers);
  CreditInputs inputs;
  if (session.input_times != nullptr) {
    for (uint64_t i : numbers)
      inputs.times.push_back((*session.input_times)[i]);
  }
  if (session.links != nullptr) {
    inputs.num_links = numbers.size();
    inputs.link_credit = std::make_shared<const std::vector<uint8_t>>(
        EncodeLinkCredit({{numbers.begin(), numbers.end()},
                          session.links->Take(numbers),
                          std::move(inputs.times)}));
    inputs.times.clear();
    return inputs;
  }
  for (uint64_t i : numbers) {
    inputs.original_ids.push_back((*session.input_ids)[i]);
  }
  inputs.numbers = std::move(numbers);
  return inputs;
}

}  // namespace tributary
