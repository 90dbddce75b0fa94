#include "trainer_client/embedded/user_ids.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/format/external_ids.h"
#include "partition/format/graph_json.h"

namespace tributary {

absl::StatusOr<UserIds> UserIds::Open(const std::string& graph_folder,
                                      const Sha256Digest& content,
                                      const std::string& node_type) {
  ASSIGN_OR_RETURN(const GraphSchema schema, ReadGraphJson(graph_folder));
  if (schema.content_digest != content) {
    return absl::FailedPreconditionError(
        absl::StrCat(graph_folder, " holds another graph: its content is ",
                     ToHex(schema.content_digest), ", wanted ", ToHex(content),
                     "; allowed: the folder of the same graph"));
  }
  ASSIGN_OR_RETURN(std::optional<ExternalIds> ids,
                   ExternalIds::Open(graph_folder, schema, node_type));
  UserIds result;
  if (ids.has_value()) {
    result.ids_ = std::make_shared<const ExternalIds>(*std::move(ids));
  }
  return result;
}

bool UserIds::are_texts() const {
  return ids_ != nullptr && !ids_->is_numbers();
}

absl::StatusOr<int64_t> UserIds::NumberOf(int64_t node) const {
  if (ids_ == nullptr) return node;
  if (node < 0 || node >= ids_->num_nodes()) {
    return absl::OutOfRangeError(absl::StrCat(
        node, " is no node; allowed: 0 to ", ids_->num_nodes() - 1));
  }
  return ids_->numbers()[static_cast<size_t>(node)];
}

absl::StatusOr<std::string> UserIds::TextOf(int64_t node) const {
  if (ids_ == nullptr) return absl::StrCat(node);
  return ids_->IdOf(node);
}

}  // namespace tributary
