// A model's rows of all nodes. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_ENTITY_ROWS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_ENTITY_ROWS_H_

#include <cstdint>
#include <vector>

namespace tributary {

// Rows by node type, in the order of TypeTable::node_types: [nodes, channels],
// row i that of original id i; empty for types that no link ends at.
struct EntityRows {
  int64_t channels = 0;
  std::vector<int64_t> num_nodes;  // by type
  std::vector<std::vector<float>> by_type;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_ENTITY_ROWS_H_
