#include "trainer_client/core/held/batch_fill.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/hash/crc32c.h"
#include "common/io/prefetch.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Nodes of a step; and how far ahead records are fetched into the cache.
constexpr size_t kNodesOfStep = 4096;
constexpr size_t kLooksAhead = 8;

// Whether a tensor has this name, with the suffix of a type or without one.
bool IsNamed(const TensorView& tensor, absl::string_view name) {
  return absl::StartsWith(tensor.name, name) &&
         (tensor.name.size() == name.size() || tensor.name[name.size()] == '/');
}

// The most nodes of any type.
uint64_t MostNodes(const BatchView& batch) {
  int64_t most = 0;
  for (const TensorView& tensor : batch.tensors()) {
    if (IsNamed(tensor, "n_id")) {
      most = std::max(most, NumElements(tensor.shape));
    }
  }
  return static_cast<uint64_t>(most);
}

// The batch lies in the slot, which is this trainer's to write.
absl::Span<uint8_t> MutableOf(const TensorView& tensor) {
  return {const_cast<uint8_t*>(tensor.data.data()), tensor.data.size()};
}

}  // namespace

// The nodes of one type. A column's rows that came lie at its end, in order,
// and move towards its beginning: a row never moves over one that has not.
class BatchFill::TypeFill {
 public:
  TypeFill(const BatchView& batch, const HeldType& held, int type,
           bool typed_names)
      : held_(held), type_(type) {
    const std::string suffix = typed_names ? "/" + held.name : "";
    n_id_ = BytesOf(batch.Find("n_id" + suffix));
    columns_ = {Column{BytesOf(batch.Find("x" + suffix)), 0, held.form.x},
                Column{BytesOf(batch.Find("x_scale" + suffix)), held.form.x,
                       held.form.x_scale},
                Column{BytesOf(batch.Find("y" + suffix)),
                       held.form.x + held.form.x_scale, held.form.y}};
    for (size_t i = 0; i < num_nodes(); ++i) {
      if (Id(i) >= 0) continue;
      ++known_;
      highest_rank_ = std::max(highest_rank_, Rank(i));
    }
    came_ = known_;
  }

  bool empty() const { return known_ == 0; }

  // Checks that the batch has columns as they are held, and ranks that are
  // held.
  absl::Status Check() const {
    for (const Column& column : columns_) {
      if (column.tensor.size() == num_nodes() * column.bytes ||
          column.tensor.data() == nullptr) {
        continue;
      }
      return absl::DataLossError(
          absl::StrCat("rows of node type ", held_.name, " are held with ",
                       column.bytes, " bytes; the batch has ",
                       column.tensor.size(), " for ", num_nodes(), " nodes"));
    }
    if (empty() || highest_rank_ < held_.num_rows) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat(
        "the row of rank ", highest_rank_, " of node type ", held_.name,
        " was left out; ", held_.num_rows, " rows are held"));
  }

  void AddGaps(const uint8_t* room, std::vector<BatchGap>* gaps) const {
    for (const Column& column : columns_) {
      const size_t bytes = LeftOutOf(known_ * column.bytes);
      if (column.tensor.data() == nullptr || bytes == 0) continue;
      gaps->push_back(
          {static_cast<uint64_t>(column.tensor.data() - room), bytes});
    }
  }

  // Fills some nodes in. Returns a row that is damaged.
  std::optional<FillEnd::Row> Step(uint64_t* crcs) {
    const size_t end = std::min(num_nodes(), next_ + kNodesOfStep);
    for (; next_ < end && known_ > 0; ++next_) {
      if (next_ + kLooksAhead < num_nodes()) PrefetchNode(next_ + kLooksAhead);
      if (Id(next_) >= 0) {
        MoveRow(next_, came_++);
        continue;
      }
      const uint64_t rank = Rank(next_);
      if (!PutHeld(next_, held_.Record(static_cast<uint32_t>(rank)), crcs)) {
        return FillEnd::Row{type_, static_cast<uint32_t>(rank)};
      }
      --known_;
    }
    return std::nullopt;
  }
  // Whether all is in its place.
  bool done() const { return known_ == 0; }

  std::string Name(uint32_t rank) const {
    return absl::StrCat("the held row of rank ", rank, " of node type ",
                        held_.name);
  }

 private:
  struct Column {
    absl::Span<uint8_t> tensor;  // null: the batch does not have it
    size_t offset = 0;           // in a record
    size_t bytes = 0;            // of a row
  };

  static absl::Span<uint8_t> BytesOf(const TensorView* tensor) {
    if (tensor == nullptr) return {};
    return MutableOf(*tensor);
  }
  size_t num_nodes() const { return n_id_.size() / sizeof(int64_t); }
  int64_t Id(size_t node) const {
    int64_t id;
    std::memcpy(&id, n_id_.data() + node * sizeof(id), sizeof(id));
    return id;
  }
  uint64_t Rank(size_t node) const {
    return static_cast<uint64_t>(-1 - Id(node));
  }

  void PrefetchNode(size_t node) const {
    if (Id(node) >= 0) return;
    PrefetchBytes(held_.Record(static_cast<uint32_t>(Rank(node))).x(),
                  held_.form.record());
  }

  void MoveRow(size_t to, size_t from) {
    for (const Column& column : columns_) {
      if (column.tensor.data() == nullptr) continue;
      std::memcpy(column.tensor.data() + to * column.bytes,
                  column.tensor.data() + from * column.bytes, column.bytes);
    }
  }

  // Returns false if the record is damaged.
  bool PutHeld(size_t to, const HeldRecord& record, uint64_t* crcs) {
    if (Crc32c(record.content()) != record.content_crc()) return false;
    for (const Column& column : columns_) {
      if (column.tensor.data() == nullptr) continue;
      std::memcpy(column.tensor.data() + to * column.bytes,
                  record.x() + column.offset, column.bytes);
    }
    const int64_t id = record.id();
    std::memcpy(n_id_.data() + to * sizeof(id), &id, sizeof(id));
    *crcs += record.list_crc();
    return true;
  }

  const HeldType& held_;
  const int type_;
  absl::Span<uint8_t> n_id_;
  std::vector<Column> columns_;
  uint64_t highest_rank_ = 0;  // of the nodes left out
  size_t known_ = 0;           // nodes left out that are not filled in yet
  size_t came_ = 0;            // the next row that came
  size_t next_ = 0;            // the next node
};

BatchFill::BatchFill(absl::Span<uint8_t> room, LeftOut left_out,
                     const HeldView& held, bool compact)
    : room_(room),
      left_out_(std::move(left_out)),
      held_(held),
      compact_(compact) {}

BatchFill::~BatchFill() = default;

absl::Status BatchFill::Begin() {
  ASSIGN_OR_RETURN(const BatchView batch, BatchView::Parse(room_));
  const bool typed_names = batch.Find("n_id") == nullptr;
  for (size_t t = 0; t < held_.types.size(); ++t) {
    auto type = std::make_unique<TypeFill>(batch, held_.types[t],
                                           static_cast<int>(t), typed_names);
    if (type->empty()) continue;
    RETURN_IF_ERROR(type->Check());
    types_.push_back(std::move(type));
  }
  if (compact_) RETURN_IF_ERROR(FindCompactEdges(batch));
  return CheckGaps();
}

size_t BatchFill::LeftOutOfTensor(const TensorView& tensor) const {
  const auto begin = static_cast<uint64_t>(tensor.data.data() - room_.data());
  const auto after = std::upper_bound(
      left_out_.gaps.begin(), left_out_.gaps.end(), begin,
      [](uint64_t at, const BatchGap& gap) { return at < gap.offset; });
  if (after == left_out_.gaps.begin()) return 0;
  const BatchGap& gap = *std::prev(after);
  if (gap.offset + gap.bytes <= begin) return 0;
  return std::min<uint64_t>(gap.offset + gap.bytes - begin, tensor.data.size());
}

// A tensor whose beginning was left out has a block at its end.
absl::Status BatchFill::FindCompactEdges(const BatchView& batch) {
  const uint64_t num_nodes = MostNodes(batch);
  for (const TensorView& tensor : batch.tensors()) {
    const bool is_index = IsNamed(tensor, "edge_index") &&
                          tensor.dtype == DType::kInt32 &&
                          tensor.shape.size() == 2 && tensor.shape[0] == 2;
    const bool is_id = IsNamed(tensor, "e_id") &&
                       tensor.dtype == DType::kInt64 &&
                       tensor.shape.size() == 1;
    if (!is_index && !is_id) continue;
    const size_t left_out = LeftOutOfTensor(tensor);
    if (left_out == 0) continue;
    const absl::Span<uint8_t> bytes = MutableOf(tensor);
    absl::StatusOr<std::unique_ptr<CompactExpander>> edges =
        is_index ? ExpandEdgeIndex(bytes, left_out, num_nodes)
                 : ExpandEdgeIds(bytes, left_out);
    if (!edges.ok()) return edges.status();
    edges_.push_back(*std::move(edges));
    compact_gaps_.push_back(
        {static_cast<uint64_t>(bytes.data() - room_.data()), left_out});
  }
  return absl::OkStatus();
}

absl::Status BatchFill::CheckGaps() const {
  std::vector<BatchGap> parts = compact_gaps_, gaps;
  for (const auto& type : types_) type->AddGaps(room_.data(), &parts);
  std::sort(
      parts.begin(), parts.end(),
      [](const BatchGap& a, const BatchGap& b) { return a.offset < b.offset; });
  for (const BatchGap& part : parts) AppendGap(part, &gaps);
  if (gaps == left_out_.gaps) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      left_out_.bytes(), " bytes were left out in ", left_out_.gaps.size(),
      " places; they are not those of the rows whose ranks came",
      compact_ ? ", and of compact edges" : ""));
}

std::optional<FillEnd> BatchFill::Step() {
  if (!std::exchange(begun_, true)) {
    if (absl::Status status = Begin(); !status.ok()) return FillEnd{status};
  }
  if (next_ < types_.size()) {
    TypeFill& type = *types_[next_];
    if (const auto damaged = type.Step(&crcs_)) {
      return FillEnd{absl::DataLossError(
                         absl::StrCat(type.Name(damaged->rank), " is damaged")),
                     damaged};
    }
    if (type.done()) ++next_;
    return std::nullopt;
  }
  if (next_edges_ < edges_.size()) {
    std::unique_ptr<CompactExpander>& edges = edges_[next_edges_];
    if (absl::Status status = edges->Step(); !status.ok()) {
      return FillEnd{status};
    }
    if (!edges->done()) return std::nullopt;
    edges.reset();
    ++next_edges_;
    return std::nullopt;
  }
  if (crcs_ == left_out_.crcs) {
    uint64_t compact_bytes = 0;
    for (const BatchGap& gap : compact_gaps_) compact_bytes += gap.bytes;
    return FillEnd{absl::OkStatus(), std::nullopt, compact_bytes};
  }
  return FillEnd{absl::DataLossError(
      "the rows that were left out are not those whose ranks came: their sums "
      "differ")};
}

namespace {

// A fill on its way, which keeps what it reads and writes.
class Filling : public std::enable_shared_from_this<Filling> {
 public:
  Filling(Executor* executor, absl::Span<uint8_t> room, LeftOut left_out,
          std::shared_ptr<const HeldView> held, bool compact,
          std::shared_ptr<const void> memory,
          absl::AnyInvocable<void(FillEnd)> done)
      : executor_(executor),
        held_(std::move(held)),
        memory_(std::move(memory)),
        fill_(room, std::move(left_out), *held_, compact),
        done_(std::move(done)) {}

  void Run() {
    executor_->Post([self = shared_from_this()] {
      std::optional<FillEnd> end = self->fill_.Step();
      if (end.has_value()) return self->done_(*std::move(end));
      self->Run();
    });
  }

 private:
  Executor* const executor_;
  const std::shared_ptr<const HeldView> held_;
  const std::shared_ptr<const void> memory_;
  BatchFill fill_;
  absl::AnyInvocable<void(FillEnd)> done_;
};

}  // namespace

void FillBatch(Executor* executor, absl::Span<uint8_t> room, LeftOut left_out,
               std::shared_ptr<const HeldView> held, bool compact,
               std::shared_ptr<const void> memory,
               absl::AnyInvocable<void(FillEnd)> done) {
  std::make_shared<Filling>(executor, room, std::move(left_out),
                            std::move(held), compact, std::move(memory),
                            std::move(done))
      ->Run();
}

}  // namespace tributary
