// The ids that nodes have in the user's own data, from a graph's folder, for
// trainers that are to write them.
#ifndef TRIBUTARY_TRAINER_CLIENT_EMBEDDED_USER_IDS_H_
#define TRIBUTARY_TRAINER_CLIENT_EMBEDDED_USER_IDS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/hash/sha256.h"

namespace tributary {

class ExternalIds;

// The dictionary of one node type. A type without one has the user's ids as
// they are. Copies share it; immutable and thread-safe.
class UserIds {
 public:
  // FAILED_PRECONDITION if the folder's graph is not the one of this content;
  // errors as ReadGraphJson and ExternalIds::Open.
  static absl::StatusOr<UserIds> Open(const std::string& graph_folder,
                                      const Sha256Digest& content,
                                      const std::string& node_type);

  // Returns whether the ids are texts; else they are numbers.
  bool are_texts() const;
  // Return the user's id of a node. OUT_OF_RANGE for an id that is no node;
  // DATA_LOSS for a damaged file. NumberOf requires !are_texts().
  absl::StatusOr<int64_t> NumberOf(int64_t node) const;
  absl::StatusOr<std::string> TextOf(int64_t node) const;

 private:
  UserIds() = default;

  std::shared_ptr<const ExternalIds> ids_;  // null: there is no dictionary
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_EMBEDDED_USER_IDS_H_
