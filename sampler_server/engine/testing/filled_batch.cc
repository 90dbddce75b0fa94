#include "sampler_server/engine/testing/filled_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "common/batch/batch_view.h"
#include "partition/format/testing/hot_list_of.h"
#include "sampler_server/engine/gather/gather.h"

namespace tributary {
namespace {

// Copies the room's pieces to where they belong in the whole batch.
AlignedBuffer WithGaps(const RecordingSink& sink) {
  AlignedBuffer whole(*sink.ready);
  size_t from = 0, to = 0;
  const auto copy = [&](size_t end) {
    std::memcpy(whole.data() + to, sink.room.data() + from, end - to);
    from += end - to;
    to = end;
  };
  for (const BatchGap& gap : sink.left_out.gaps) {
    copy(gap.offset);
    to += gap.bytes;
  }
  copy(whole.size());
  EXPECT_EQ(from, sink.room.size());
  return whole;
}

class TypeFill {
 public:
  TypeFill(const Graph& graph, int type, const HotList::Nodes& list,
           FeatureDType dtype, const BatchView& view, std::string suffix)
      : graph_(graph),
        schema_(graph.schema().node_types[type]),
        type_(type),
        list_(list),
        dtype_(dtype),
        view_(view),
        suffix_(std::move(suffix)) {
    for (const int64_t id : Find("n_id")->As<int64_t>()) {
      rank_.push_back(id < 0 ? -1 - id : -1);
    }
    known_ = static_cast<size_t>(std::count_if(
        rank_.begin(), rank_.end(), [](int64_t rank) { return rank >= 0; }));
  }

  const TensorView* Find(const char* name) const {
    return view_.Find(name + suffix_);
  }

  void Fill(std::vector<BatchGap>* gaps, uint64_t* crcs,
            absl::Span<const uint8_t> room) {
    for (const char* name : {"x", "x_scale", "y"}) {
      const TensorView* tensor = Find(name);
      if (tensor == nullptr || known_ == 0) continue;
      const size_t row = tensor->data.size() / rank_.size();
      const size_t bytes = known_ * row / 64 * 64;
      const auto at = static_cast<uint64_t>(tensor->data.data() - room.data());
      if (bytes > 0) gaps->push_back({at, bytes});
    }
    Spread(Find("x"));
    Spread(Find("x_scale"));
    Spread(Find("y"));
    auto* n_id = Bytes<int64_t>(Find("n_id"));
    for (size_t i = 0; i < rank_.size(); ++i) {
      if (rank_[i] < 0) continue;
      n_id[i] = list_.order[rank_[i]];
      *crcs += list_.crc[rank_[i]];
      Put(i, n_id[i]);
    }
  }

 private:
  template <typename T>
  static T* Bytes(const TensorView* tensor) {
    return tensor == nullptr ? nullptr
                             : reinterpret_cast<T*>(
                                   const_cast<uint8_t*>(tensor->data.data()));
  }

  // Moves the rows that came to their places, from the last one on.
  void Spread(const TensorView* tensor) {
    if (tensor == nullptr || rank_.empty()) return;
    const size_t row = tensor->data.size() / rank_.size();
    auto* bytes = Bytes<uint8_t>(tensor);
    const std::vector<uint8_t> came(bytes + known_ * row,
                                    bytes + tensor->data.size());
    size_t from = 0;
    for (size_t i = 0; i < rank_.size(); ++i) {
      if (rank_[i] >= 0) continue;
      std::memcpy(bytes + i * row, came.data() + from, row);
      from += row;
    }
  }

  // Puts the graph's rows of a node to place i.
  void Put(size_t i, int64_t id) {
    for (uint32_t p = 0; p < graph_.schema().num_partitions; ++p) {
      const NodePartition& nodes = *graph_.nodes(type_, p);
      const auto at = std::find(nodes.orig_id.begin(), nodes.orig_id.end(), id);
      if (at == nodes.orig_id.end()) continue;
      const std::vector<uint64_t> row = {
          static_cast<uint64_t>(at - nodes.orig_id.begin())};
      const std::vector<uint32_t> to = {static_cast<uint32_t>(i)};
      if (Find("x") != nullptr) {
        const RowForm form = RowForm::Of(*schema_.x, dtype_);
        GatherRows({nodes.x, form.stored_bytes}, form, row, to,
                   Bytes<uint8_t>(Find("x")), Bytes<uint8_t>(Find("x_scale")));
      }
      if (Find("y") != nullptr) {
        GatherRows({nodes.y, schema_.y->row_bytes()}, row, to,
                   Bytes<uint8_t>(Find("y")));
      }
    }
  }

  const Graph& graph_;
  const NodeTypeSchema& schema_;
  const int type_;
  const HotList::Nodes& list_;
  const FeatureDType dtype_;
  const BatchView& view_;
  const std::string suffix_;
  std::vector<int64_t> rank_;  // by place; -1: the row came
  size_t known_ = 0;
};

}  // namespace

std::shared_ptr<const TrainerRows> SomeTrainerRows(const Graph& graph,
                                                   uint64_t seed) {
  std::mt19937_64 random(seed);
  auto rows = std::make_shared<TrainerRows>();
  rows->list = HotListOf(graph, seed);
  for (const NodeTypeSchema& type : graph.schema().node_types) {
    const auto n = static_cast<uint64_t>(type.num_nodes);
    rows->num_rows.push_back(static_cast<uint32_t>(random() % (n + 1)));
  }
  return rows;
}

void FillLeftOut(const Graph& graph, const TrainerRows& rows,
                 FeatureDType feature_dtype, RecordingSink& sink) {
  if (!sink.ready.has_value()) return;
  AlignedBuffer whole = WithGaps(sink);
  const auto view = BatchView::Parse(whole.span());
  ASSERT_TRUE(view.ok()) << view.status();
  std::vector<BatchGap> gaps;
  uint64_t crcs = 0;
  const auto& types = graph.schema().node_types;
  for (size_t t = 0; t < types.size(); ++t) {
    const HotList::Nodes* list = rows.list->nodes(static_cast<int>(t));
    std::string suffix = "/" + types[t].name;
    if (view->Find("n_id" + suffix) == nullptr) suffix.clear();
    if (list == nullptr || view->Find("n_id" + suffix) == nullptr) continue;
    TypeFill(graph, static_cast<int>(t), *list, feature_dtype, *view, suffix)
        .Fill(&gaps, &crcs, whole.span());
  }
  std::sort(gaps.begin(), gaps.end(),
            [](const auto& a, const auto& b) { return a.offset < b.offset; });
  std::vector<BatchGap> apart;
  for (const BatchGap& gap : gaps) AppendGap(gap, &apart);
  EXPECT_EQ(apart, sink.left_out.gaps);
  EXPECT_EQ(crcs, sink.left_out.crcs);
  sink.room = std::move(whole);
}

std::string DigestWithTrainerRows(OneBatchWorld& world, const Graph& graph,
                                  const BatchCase& batch, uint64_t seed) {
  BatchRequest request = RequestOf(graph.schema(), batch);
  const auto rows = SomeTrainerRows(graph, seed);
  request.trainer_rows = rows;
  const auto sink = world.Start(std::move(request));
  (void)world.world().Drain(1'000'000);
  FillLeftOut(graph, *rows, batch.options.feature_dtype, *sink);
  return DigestOf(*sink);
}

}  // namespace tributary
