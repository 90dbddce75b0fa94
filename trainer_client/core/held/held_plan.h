// Which rows a trainer is to hold, and in which form.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_HELD_HELD_PLAN_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_HELD_HELD_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/session/collected_columns.h"
#include "common/session/feature_dtype.h"
#include "common/tensor/convert_row.h"
#include "partition/schema/hot_list_json.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/held/held_view.h"
#include "trainer_client/core/held/trainer_cache_size.h"

namespace tributary {

// What of one node type is held.
struct HeldTypePlan {
  std::string name;
  HeldForm form;                 // no bytes: nothing
  bool scaled = false;           // whether x is stored as scaled rows
  ConvertRow convert = nullptr;  // of x; null: rows are held as stored
  size_t x_width = 0;            // values of a row of x, if it is converted
  size_t stored_x = 0;           // bytes of a stored row of x
  uint32_t num_rows = 0;         // to hold
  uint32_t rows_per_piece = 1;

  uint64_t bytes() const { return uint64_t{num_rows} * form.record(); }
};

// Returns a text that is the same for batches into which rows of one copy are
// filled: which types are held, and in which form.
std::string HeldFormText(const GraphSchema& schema,
                         const CollectedColumns& collect,
                         FeatureDType feature_dtype);

// Returns what of each node type of the schema is held, by a list of the graph.
// A size in bytes takes the same share of each type. Types that the list does
// not have, or of which MayLeaveOutRows says no, are not held.
std::vector<HeldTypePlan> PlanHeldRows(const GraphSchema& schema,
                                       const HotListJson& list,
                                       const CollectedColumns& collect,
                                       FeatureDType feature_dtype,
                                       const TrainerCacheSize& size,
                                       uint64_t piece_bytes);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_HELD_HELD_PLAN_H_
