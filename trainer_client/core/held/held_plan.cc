#include "trainer_client/core/held/held_plan.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "partition/schema/feature_columns.h"

namespace tributary {
namespace {

const HotListType* FindType(const HotListJson& list, const std::string& name) {
  for (const HotListType& type : list.node_types) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

HeldTypePlan PlanOf(const NodeTypeSchema& type, FeatureDType dtype) {
  HeldTypePlan plan;
  if (type.x.has_value()) {
    const ColumnSchema in_batch = InBatch(*type.x, dtype);
    plan.form.x = in_batch.row_bytes();
    plan.form.x_scale = HasScale(*type.x, dtype) ? sizeof(float) : 0;
    plan.scaled = type.x->scaled;
    plan.convert = plan.scaled ? ConvertScaledRowOf(in_batch.dtype)
                               : ConvertRowOf(type.x->dtype, in_batch.dtype);
    plan.x_width = type.x->width();
    plan.stored_x = type.x->row_bytes();
  }
  if (type.y.has_value()) plan.form.y = type.y->row_bytes();
  return plan;
}

// The share of the rows of all types that fits into so many bytes.
double ShareOf(const std::vector<HeldTypePlan>& plans, uint64_t bytes) {
  double all = 0;
  for (const HeldTypePlan& plan : plans)
    all += static_cast<double>(plan.bytes());
  return all == 0 ? 0 : std::min(1.0, static_cast<double>(bytes) / all);
}

}  // namespace

std::string HeldFormText(const GraphSchema& schema,
                         const CollectedColumns& collect,
                         FeatureDType feature_dtype) {
  std::string text(FeatureDTypeName(feature_dtype));
  for (const NodeTypeSchema& type : schema.node_types) {
    if (!MayLeaveOutRows(type, collect, feature_dtype)) continue;
    absl::StrAppend(&text, " ", type.name);
  }
  return text;
}

std::vector<HeldTypePlan> PlanHeldRows(const GraphSchema& schema,
                                       const HotListJson& list,
                                       const CollectedColumns& collect,
                                       FeatureDType feature_dtype,
                                       const TrainerCacheSize& size,
                                       uint64_t piece_bytes) {
  std::vector<HeldTypePlan> plans;
  for (const NodeTypeSchema& type : schema.node_types) {
    const HotListType* listed = FindType(list, type.name);
    HeldTypePlan plan;
    if (listed != nullptr && listed->rows == type.num_nodes &&
        MayLeaveOutRows(type, collect, feature_dtype)) {
      plan = PlanOf(type, feature_dtype);
      plan.num_rows = static_cast<uint32_t>(listed->rows);
    }
    plan.name = type.name;
    plans.push_back(std::move(plan));
  }
  const double share = size.share.has_value()   ? *size.share
                       : size.bytes.has_value() ? ShareOf(plans, *size.bytes)
                                                : 0;
  for (HeldTypePlan& plan : plans) {
    plan.num_rows = static_cast<uint32_t>(
        std::floor(share * static_cast<double>(plan.num_rows)));
    plan.rows_per_piece = static_cast<uint32_t>(
        std::clamp<uint64_t>(piece_bytes / plan.form.record(), 1,
                             std::max<uint32_t>(1, plan.num_rows)));
  }
  return plans;
}

}  // namespace tributary
