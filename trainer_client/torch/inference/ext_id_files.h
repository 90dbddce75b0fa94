// The ids of a prediction's rows as the user's data has them. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_EXT_ID_FILES_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_EXT_ID_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/hash/sha256.h"
#include "trainer_client/embedded/user_ids.h"

namespace tributary {

// Translates ids.npy by the dictionaries of a graph's folder into files beside
// it. NAME is ext_id for nodes, src_ext_id and dst_ext_id for links:
//
//   NAME.npy           int64 [n], where the ids are numbers; or
//   NAME_offsets.npy   int64 [n + 1], and
//   NAME_bytes.npy     uint8: text i is bytes [offsets[i], offsets[i + 1])
//
// Used by one thread of one rank.
class ExtIdFiles {
 public:
  // Opens the dictionaries of the rows' node type, or of both ends' of links. A
  // type without one has the user's ids as they are. Errors as UserIds::Open.
  static absl::StatusOr<ExtIdFiles> Open(
      const std::string& graph_folder, const Sha256Digest& content,
      const std::vector<std::string>& node_types);

  // Names of the files, without ".part".
  std::vector<std::string> names() const;
  // Writes them into `folder`, with ".part" at the end, and flushes them, from
  // the ids that ids.npy.part has there for `num_rows` rows. Replaces files.
  // OUT_OF_RANGE for an id that is no node; the disk's errors.
  absl::Status Write(const std::string& folder, int64_t num_rows) const;

 private:
  struct Column {
    std::string name;
    UserIds ids;
  };

  ExtIdFiles() = default;
  static absl::Status WriteNumbers(const std::string& folder,
                                   const Column& column,
                                   absl::Span<const int64_t> nodes,
                                   size_t stride);
  static absl::Status WriteTexts(const std::string& folder,
                                 const Column& column,
                                 absl::Span<const int64_t> nodes,
                                 size_t stride);

  std::vector<Column> columns_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_EXT_ID_FILES_H_
