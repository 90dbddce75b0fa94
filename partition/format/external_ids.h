// The ids that nodes have in the user's own data.
#ifndef TRIBUTARY_PARTITION_FORMAT_EXTERNAL_IDS_H_
#define TRIBUTARY_PARTITION_FORMAT_EXTERNAL_IDS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/io/file_mapping.h"
#include "partition/schema/schema.h"

namespace tributary {

// The dictionary of one node type in a graph's folder (docs/graph-format.md,
// ids): a word or a number of int64 for each original id, which ascend, words
// bytewise. Files are mapped; immutable and thread-safe.
//
//   ASSIGN_OR_RETURN(auto ids, ExternalIds::Open(folder, schema, "user"));
//   if (ids.has_value()) Print(ids->IdOf(7));
class ExternalIds {
 public:
  // Returns nullopt if the graph has no dictionary for the type: its original
  // ids are the user's. NOT_FOUND for an unknown type; DATA_LOSS for files that
  // contradict the schema; the system's errors.
  static absl::StatusOr<std::optional<ExternalIds>> Open(
      const std::string& folder, const GraphSchema& schema,
      const std::string& node_type);

  bool is_numbers() const { return bytes_ == nullptr; }
  int64_t num_nodes() const { return num_nodes_; }
  // Returns the user's id as text. OUT_OF_RANGE for an id that is no node;
  // DATA_LOSS for a damaged file.
  absl::StatusOr<std::string> IdOf(int64_t original_id) const;
  // Returns the original id of a user's id. NOT_FOUND if no node has it;
  // DATA_LOSS for a damaged file.
  absl::StatusOr<int64_t> Find(absl::string_view id) const;
  // Return the arrays as they are stored: numbers [num_nodes]; or texts, where
  // text i is bytes [offsets[i], offsets[i + 1]).
  absl::Span<const int64_t> numbers() const { return numbers_or_offsets_; }
  absl::Span<const int64_t> offsets() const { return numbers_or_offsets_; }
  absl::string_view bytes() const {
    return {bytes_, static_cast<size_t>(num_bytes_)};
  }

 private:
  ExternalIds() = default;
  absl::StatusOr<absl::string_view> TextAt(int64_t i) const;

  std::string path_;  // for messages
  std::optional<FileMapping> first_, second_;
  absl::Span<const int64_t> numbers_or_offsets_;
  const char* bytes_ = nullptr;  // null: the ids are numbers
  int64_t num_bytes_ = 0;
  int64_t num_nodes_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_EXTERNAL_IDS_H_
