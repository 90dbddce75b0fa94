// Translates between the ids of the user's data and those of the graph, for
// `tributary sample --ext-ids` and --input-ext-ids.
#ifndef TRIBUTARY_CLI_SAMPLE_EXT_IDS_H_
#define TRIBUTARY_CLI_SAMPLE_EXT_IDS_H_

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/tensor/tensor_view.h"
#include "partition/format/external_ids.h"
#include "partition/schema/schema.h"

namespace tributary {

// Inputs by their original ids.
struct ExtInputs {
  std::string type;  // empty in a homogeneous graph
  std::vector<int64_t> nodes;
};

// Tensors and the bytes that they view.
struct ExtTensors {
  std::vector<TensorView> views;
  std::deque<std::vector<uint8_t>> bytes;
};

// The dictionaries of all node types of a graph's folder. A type without one
// has the user's ids as they are.
class ExtIds {
 public:
  // Errors as ReadGraphJson and ExternalIds::Open.
  static absl::StatusOr<ExtIds> Open(const std::string& graph_folder);

  // Reads "[TYPE:]ID,ID", or "[TYPE:]@FILE" with one id a line; TYPE is wanted
  // in a typed graph, and not allowed in another. NOT_FOUND, with the id or
  // file and line, for an id that no node has; INVALID_ARGUMENT for another
  // text.
  absl::StatusOr<ExtInputs> ReadInputs(absl::string_view text) const;

  // Returns for each n_id or n_id/TYPE the user's ids: ext_id, int64 [n], of
  // numbers; of texts ext_id_offsets, int64 [n + 1], and ext_id_bytes, uint8.
  // Types have their names behind: ext_id/TYPE. DATA_LOSS for a damaged
  // dictionary.
  absl::StatusOr<ExtTensors> TensorsOf(
      absl::Span<const TensorView> batch) const;

 private:
  ExtIds() = default;
  // Returns the node type that "TYPE:..." begins with; empty if it is none.
  std::string TypeBefore(absl::string_view text) const;
  absl::StatusOr<int64_t> Find(const std::string& type,
                               absl::string_view id) const;
  absl::Status AppendIds(const std::string& type, const std::string& suffix,
                         const TensorView& n_id, ExtTensors& to) const;

  GraphSchema schema_;
  std::map<std::string, ExternalIds> of_type_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_EXT_IDS_H_
