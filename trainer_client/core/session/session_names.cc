#include "trainer_client/core/session/session_names.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/text/status.h"
#include "common/text/utf8.h"

namespace tributary {
namespace {

absl::Status Bad(absl::string_view field, absl::string_view value,
                 absl::string_view allowed) {
  return absl::InvalidArgumentError(absl::StrCat(
      "NeighborLoaderOptions.", field, " is ", value, "; allowed: ", allowed));
}

absl::Status CheckMaskNames(const std::vector<EdgeCondition>& conditions) {
  for (const EdgeCondition& condition : conditions) {
    if (!IsUtf8(condition.mask)) {
      return Bad("draws.edge_predicates", condition.mask, "UTF-8");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckNames(const DrawOptions& draws) {
  if (!IsUtf8(draws.edge_mask)) {
    return Bad("draws.edge_mask", draws.edge_mask, "UTF-8");
  }
  RETURN_IF_ERROR(CheckMaskNames(draws.edge_predicates.by_default));
  for (const auto& [type, conditions] : draws.edge_predicates.by_edge_type) {
    if (!IsUtf8(type)) return Bad("draws.edge_predicates", type, "UTF-8");
    RETURN_IF_ERROR(CheckMaskNames(conditions));
  }
  return absl::OkStatus();
}

absl::Status CheckLinkNames(const NeighborLoaderOptions& options) {
  if (!options.link.has_value()) return absl::OkStatus();
  for (const LinkList& list : options.link->lists) {
    if (!IsUtf8(list.edge_type)) {
      return Bad("link.edge_type", list.edge_type, "UTF-8");
    }
    if (!IsUtf8(list.split)) return Bad("link.split", list.split, "UTF-8");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckNames(const NeighborLoaderOptions& options) {
  if (!IsUtf8(options.input_split)) {
    return Bad("input_split", options.input_split, "UTF-8");
  }
  if (!IsUtf8(options.input_type)) {
    return Bad("input_type", options.input_type, "UTF-8");
  }
  for (const auto& [type, fanouts] : options.num_neighbors_by_type) {
    if (!IsUtf8(type)) return Bad("num_neighbors_by_type", type, "UTF-8");
  }
  RETURN_IF_ERROR(CheckNames(options.draws));
  if (options.ppr.has_value() && !IsUtf8(options.ppr->edge_type)) {
    return Bad("edge_type", options.ppr->edge_type, "UTF-8");
  }
  if (options.layerwise.has_value() && !IsUtf8(options.layerwise->edge_type)) {
    return Bad("edge_type", options.layerwise->edge_type, "UTF-8");
  }
  RETURN_IF_ERROR(CheckLinkNames(options));
  if (!options.walk.has_value()) return absl::OkStatus();
  for (const std::string& type : options.walk->metapath) {
    if (!IsUtf8(type)) return Bad("metapath", type, "UTF-8");
  }
  return absl::OkStatus();
}

}  // namespace tributary
