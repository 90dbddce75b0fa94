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

// Expands a tensor of edges as docs/protocol.md defines compact ones, bit by
// bit.
class EdgeFill {
 public:
  EdgeFill(absl::Span<const uint8_t> tensor, size_t left_out)
      : all_(const_cast<uint8_t*>(tensor.data()), tensor.size()),
        block_(tensor.begin() + left_out, tensor.end()) {}

  void FillIds() {
    const size_t edges = all_.size() / 8, width = block_[1];
    for (size_t e = 0; e < edges; ++e) {
      Put(8 * e, 8, NumberAt(block_.size() - width * (edges - e), width));
    }
  }

  void FillIndex() {
    const size_t width = block_[1], runs = NumberAt(4, 4);
    size_t numbers = block_.size();
    for (size_t r = 0; r < runs; ++r) numbers -= width * Known(r);
    size_t degrees = numbers;
    for (size_t r = 0; r < runs; ++r) {
      degrees -= (Field(r, 0) + Field(r, 1) + 7) / 8 + MarkBytes(r);
    }
    size_t mark = degrees;
    for (size_t r = 0; r < runs; ++r) {
      mark += (Field(r, 0) + Field(r, 1) + 7) / 8;
    }
    size_t edge = 0;
    for (size_t r = 0; r < runs; ++r) {
      const uint64_t edges = Field(r, 0);
      uint64_t node = Field(r, 3), fresh = Field(r, 4), bit = 0;
      for (size_t e = 0; e < edges; ++e, ++edge) {
        for (; !Bit(degrees, bit); ++bit) ++node;
        ++bit;
        const bool is_fresh = MarkBytes(r) > 0 ? Bit(mark, e) : Field(r, 2) > 0;
        uint64_t neighbor = fresh;
        if (is_fresh) {
          ++fresh;
        } else {
          neighbor = NumberAt(numbers, width);
          numbers += width;
        }
        const size_t row = all_.size() / 2;
        const bool reversed = Field(r, 5) == 1;
        Put(4 * edge, 4, reversed ? node : neighbor);
        Put(row + 4 * edge, 4, reversed ? neighbor : node);
      }
      degrees += (edges + Field(r, 1) + 7) / 8;
      mark += MarkBytes(r);
    }
    EXPECT_EQ(8 * edge, all_.size());
    EXPECT_EQ(numbers, block_.size());
  }

 private:
  uint64_t NumberAt(size_t at, size_t width) const {
    uint64_t number = 0;
    for (size_t i = 0; i < width; ++i) {
      number |= uint64_t{block_.at(at + i)} << (8 * i);
    }
    return number;
  }
  uint64_t Field(size_t run, size_t field) const {
    return NumberAt(8 + 24 * run + 4 * field, 4);
  }
  uint64_t Known(size_t run) const { return Field(run, 0) - Field(run, 2); }
  size_t MarkBytes(size_t run) const {
    const uint64_t fresh = Field(run, 2), edges = Field(run, 0);
    return fresh > 0 && fresh < edges ? (edges + 7) / 8 : 0;
  }
  bool Bit(size_t at, uint64_t bit) const {
    return ((block_.at(at + bit / 8) >> (bit % 8)) & 1) != 0;
  }
  void Put(size_t at, size_t width, uint64_t number) {
    std::memcpy(all_.data() + at, &number, width);
  }

  const absl::Span<uint8_t> all_;
  const std::vector<uint8_t> block_;
};

// Expands the tensors of edges whose beginnings were left out.
void FillEdges(const BatchView& view, absl::Span<const uint8_t> room,
               const LeftOut& left_out, std::vector<BatchGap>* gaps) {
  uint64_t compact = 0;
  for (const TensorView& tensor : view.tensors()) {
    const std::string base = tensor.name.substr(0, tensor.name.find('/'));
    if (base != "e_id" && base != "edge_index") continue;
    const auto at = static_cast<uint64_t>(tensor.data.data() - room.data());
    for (const BatchGap& gap : left_out.gaps) {
      if (gap.offset != at || tensor.data.empty()) continue;
      EdgeFill fill(tensor.data, gap.bytes);
      base == "e_id" ? fill.FillIds() : fill.FillIndex();
      gaps->push_back(gap);
      compact += gap.bytes;
    }
  }
  EXPECT_EQ(compact, left_out.compact_bytes);
}

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

void FillLeftOut(const Graph& graph, const TrainerRows* rows,
                 FeatureDType feature_dtype, RecordingSink& sink) {
  if (!sink.ready.has_value()) return;
  AlignedBuffer whole = WithGaps(sink);
  const auto view = BatchView::Parse(whole.span());
  ASSERT_TRUE(view.ok()) << view.status();
  std::vector<BatchGap> gaps;
  uint64_t crcs = 0;
  FillEdges(*view, whole.span(), sink.left_out, &gaps);
  const auto& types = graph.schema().node_types;
  for (size_t t = 0; rows != nullptr && t < types.size(); ++t) {
    const HotList::Nodes* list = rows->list->nodes(static_cast<int>(t));
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
  request.compact = seed % 2 == 1;
  const auto sink = world.Start(std::move(request));
  (void)world.world().Drain(1'000'000);
  FillLeftOut(graph, rows.get(), batch.options.feature_dtype, *sink);
  return DigestOf(*sink);
}

std::string DigestWithCompactEdges(OneBatchWorld& world, const Graph& graph,
                                   const BatchCase& batch, uint64_t* saved,
                                   uint64_t* all) {
  BatchRequest request = RequestOf(graph.schema(), batch);
  request.compact = true;
  const auto sink = world.Start(std::move(request));
  (void)world.world().Drain(1'000'000);
  FillLeftOut(graph, nullptr, batch.options.feature_dtype, *sink);
  *saved += sink->left_out.compact_bytes;
  if (const auto view = BatchView::Parse(sink->room.span()); view.ok()) {
    for (const TensorView& tensor : view->tensors()) {
      const std::string base = tensor.name.substr(0, tensor.name.find('/'));
      if (base == "e_id" || base == "edge_index") *all += tensor.data.size();
    }
  }
  return DigestOf(*sink);
}

}  // namespace tributary
