#include "trainer_client/core/kinds/input_list.h"

#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/tensor/value_bytes.h"
#include "trainer_client/core/kinds/option_error.h"

namespace tributary {
absl::Status CheckInputList(const CommonLoaderOptions& options) {
  const int ways = !options.input_split.empty() + !options.input_nodes.empty() +
                   !options.input_mask.empty() + options.all_nodes;
  if (ways == 1) return absl::OkStatus();
  return BadLoaderOption(
      "input_nodes", ways == 0 ? "empty" : "given beside another list",
      "one of input_nodes (original ids), input_split (a split's name), "
      "input_mask and all_nodes");
}

absl::StatusOr<std::vector<int64_t>> InputIdsOf(
    const CommonLoaderOptions& options, const NodeTypeSchema& type) {
  if (!options.input_nodes.empty()) return options.input_nodes;
  const auto num_nodes = static_cast<size_t>(type.num_nodes);
  std::vector<int64_t> ids;
  if (options.all_nodes) {
    ids.resize(num_nodes);
    std::iota(ids.begin(), ids.end(), 0);
  } else if (options.input_mask.size() != num_nodes) {
    return BadLoaderOption(
        "input_mask", absl::StrCat(options.input_mask.size(), " long"),
        absl::StrCat(num_nodes, ", one for each node of type ", type.name));
  }
  for (size_t i = 0; i < options.input_mask.size(); ++i) {
    if (options.input_mask[i]) ids.push_back(static_cast<int64_t>(i));
  }
  if (!ids.empty()) return ids;
  return options.all_nodes
             ? BadLoaderOption("all_nodes", "true",
                               absl::StrCat("false, for node type ", type.name,
                                            " has no nodes"))
             : BadLoaderOption("input_mask", "false everywhere",
                               "an input at least");
}

absl::StatusOr<std::shared_ptr<const WeightedOrder>> WeightedOrderOf(
    const CommonLoaderOptions& options, uint64_t num_inputs) {
  const std::vector<double>& weights = options.input_weight;
  if (weights.empty()) return nullptr;
  if (options.shuffle != ShuffleMode::kGlobal) {
    return BadLoaderOption("input_weight",
                           "given with another shuffle than global",
                           "shuffle global, whose order is then by weight");
  }
  if (weights.size() != num_inputs) {
    return BadLoaderOption("input_weight",
                           absl::StrCat(weights.size(), " weights"),
                           absl::StrCat(num_inputs, ", one for each input"));
  }
  auto order = WeightedOrder::Make(weights);
  if (order.ok()) {
    return std::make_shared<const WeightedOrder>(*std::move(order));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("input_weight: ", order.status().message()));
}

Sha256Digest WithWeights(const Sha256Digest& inputs,
                         const std::vector<double>& weights) {
  if (weights.empty()) return inputs;
  Sha256 sha;
  sha.Update(inputs);
  sha.Update("weight");
  sha.Update(ValueBytes(weights));
  return sha.Finish();
}

}  // namespace tributary
