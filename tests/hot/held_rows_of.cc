#include "tests/hot/held_rows_of.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/hash/crc32c.h"
#include "sampler_server/engine/gather/gather.h"

namespace tributary {
namespace {

RowForm XForm(const NodeTypeSchema& type, FeatureDType dtype) {
  return type.x.has_value() ? RowForm::Of(*type.x, dtype) : RowForm();
}

HeldForm FormOf(const NodeTypeSchema& type, FeatureDType dtype) {
  const RowForm x = XForm(type, dtype);
  return {x.row_bytes, x.scale_bytes(),
          type.y.has_value() ? type.y->row_bytes() : 0};
}

}  // namespace

HeldRowsOf::HeldRowsOf(std::shared_ptr<const Graph> graph,
                       std::shared_ptr<const HotList> list,
                       FeatureDType feature_dtype, uint32_t rows_per_piece)
    : graph_(std::move(graph)),
      list_(std::move(list)),
      feature_dtype_(feature_dtype),
      rows_per_piece_(rows_per_piece) {
  std::vector<HeldRows::Type> types;
  for (const NodeTypeSchema& type : graph_->schema().node_types) {
    types.push_back({type.name, FormOf(type, feature_dtype), rows_per_piece});
  }
  rows_ = std::make_shared<HeldRows>(list_->digest(), std::move(types));
}

std::vector<uint8_t> HeldRowsOf::Record(int node_type, int64_t id,
                                        uint32_t crc) const {
  const NodeTypeSchema& type = graph_->schema().node_types[node_type];
  const HeldForm form = FormOf(type, feature_dtype_);
  std::vector<uint8_t> record(form.record());
  for (uint32_t p = 0; p < graph_->schema().num_partitions; ++p) {
    const NodePartition& nodes = *graph_->nodes(node_type, p);
    const auto at = std::find(nodes.orig_id.begin(), nodes.orig_id.end(), id);
    if (at == nodes.orig_id.end()) continue;
    const std::vector<uint64_t> row = {
        static_cast<uint64_t>(at - nodes.orig_id.begin())};
    if (form.x > 0) {
      const RowForm x = XForm(type, feature_dtype_);
      GatherRows({nodes.x, x.stored_bytes}, x, row, {}, record.data(),
                 record.data() + form.x);
    }
    if (form.y > 0) {
      GatherRows({nodes.y, form.y}, row, {},
                 record.data() + form.x + form.x_scale);
    }
  }
  const uint32_t own =
      Crc32c(absl::MakeConstSpan(record).first(form.content()));
  uint8_t* const tail = record.data() + form.id_offset();
  std::memcpy(tail, &id, sizeof(id));
  std::memcpy(tail + 8, &crc, sizeof(crc));
  std::memcpy(tail + 12, &own, sizeof(own));
  return record;
}

bool HeldRowsOf::AddPiece(int node_type, bool damaged) {
  const HotList::Nodes* list = list_->nodes(node_type);
  if (list == nullptr) return false;
  const uint32_t from = rows_->view()->types[node_type].num_rows;
  const auto all = static_cast<uint32_t>(list->order.size());
  const uint32_t to = std::min(all, from + rows_per_piece_);
  if (from == to) return false;
  auto piece = std::make_shared<std::vector<uint8_t>>();
  for (uint32_t rank = from; rank < to; ++rank) {
    const auto record = Record(node_type, list->order[rank], list->crc[rank]);
    piece->insert(piece->end(), record.begin(), record.end());
  }
  if (damaged) piece->front() ^= 1;
  rows_->AddPiece(node_type, from, {piece->data(), piece}, to - from);
  return true;
}

void HeldRowsOf::Add(double share) {
  for (size_t t = 0; t < graph_->schema().node_types.size(); ++t) {
    const auto type = static_cast<int>(t);
    if (list_->nodes(type) == nullptr) continue;
    const auto wanted =
        share * static_cast<double>(list_->nodes(type)->order.size());
    while (rows_->view()->types[t].num_rows < wanted && AddPiece(type)) {
    }
  }
}

}  // namespace tributary
