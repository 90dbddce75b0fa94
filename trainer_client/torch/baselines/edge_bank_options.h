// The options of EdgeBank.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_BASELINES_EDGE_BANK_OPTIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_BASELINES_EDGE_BANK_OPTIONS_H_

#include <cstdint>
#include <optional>

namespace tributary {

struct EdgeBankOptions {
  // How much older than a link an edge may be to be remembered, in the graph's
  // unit of time. None: any edge is (EdgeBank with infinite memory).
  std::optional<int64_t> window;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_BASELINES_EDGE_BANK_OPTIONS_H_
