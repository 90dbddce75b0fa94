#include "trainer_client/core/cache/held_fetcher.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/hash/crc32c.h"
#include "common/proto/graph_reads.pb.h"
#include "common/text/status.h"
#include "trainer_client/core/reads/read_request.h"

namespace tributary {
namespace {

constexpr absl::Duration kReadTimeout = absl::Seconds(60);
constexpr absl::Duration kPause = absl::Milliseconds(50);
constexpr absl::Duration kClaimPause = absl::Seconds(1);
constexpr int kMostDrops = 10;
constexpr size_t kBytesPerChunk = size_t{4} << 20;
constexpr size_t kMostRowsPerChunk = 16'384;

}  // namespace

void HeldFetcher::Call(std::vector<GraphRead> reads, Then then) {
  working_ = true;
  for (GraphRead& read : reads) read.turn = tries_.turn();
  options_.client->Read(
      std::move(reads), options_.strand->Now() + kReadTimeout,
      [self = shared_from_this(), then](absl::StatusOr<Replies> replies) {
        self->working_ = false;
        if (self->stopped_) return;
        if (!replies.ok()) return self->OnFailure(replies.status());
        for (const AlignedBuffer& reply : *replies) {
          self->fetched_ += reply.size();
        }
        (*self.*then)(*std::move(replies));
      });
}

void HeldFetcher::Start() {
  options_.reader->ReadJson(
      [self = shared_from_this()](const absl::StatusOr<HotListJson>& list) {
        if (self->stopped_) return;
        list.ok() ? self->Plan(*list) : self->End(list.status());
      });
}

void HeldFetcher::Plan(const HotListJson& list) {
  std::vector<HeldTypePlan> plans =
      PlanHeldRows(options_.schema, list, options_.collect,
                   options_.feature_dtype, options_.size, options_.piece_bytes);
  std::vector<HeldRows::Type> forms;
  for (HeldTypePlan& plan : plans) {
    forms.push_back({plan.name, plan.form, plan.rows_per_piece, plan.num_rows});
    Type type;
    for (const HotListType& listed : list.node_types) {
      if (listed.name == plan.name) type.listed = listed;
    }
    type.plan = std::move(plan);
    types_.push_back(std::move(type));
  }
  rows_ = options_.rows(std::move(forms));
  Next();
}

void HeldFetcher::Stop() {
  stopped_ = true;
  options_.reader->Stop();
  if (!std::exchange(claimed_, false)) return;
  rows_->Unclaim();
  if (options_.machine != nullptr && !complete_) options_.machine->Resign();
}

bool HeldFetcher::Claim() {
  if (claimed_) return true;
  claimed_ = rows_->TryClaim();
  if (!claimed_) return false;
  rows_->SetOnDrop([weak = weak_from_this(), strand = options_.strand](
                       int type, uint32_t num_rows) {
    strand->Post([weak, type, num_rows] {
      if (auto self = weak.lock()) self->OnDrop(type, num_rows);
    });
  });
  return true;
}

void HeldFetcher::NextAfter(absl::Duration pause) {
  options_.strand->PostAfter(pause, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->Next();
  });
}

uint32_t HeldFetcher::HeldOf(int type) const {
  return rows_->view()->types[type].num_rows;
}

int HeldFetcher::NextType() const {
  int next = -1;
  double least = 1;
  for (size_t t = 0; t < types_.size(); ++t) {
    const uint32_t wanted = types_[t].plan.num_rows;
    if (wanted == 0) continue;
    const double share =
        static_cast<double>(HeldOf(static_cast<int>(t)) + types_[t].filled) /
        wanted;
    if (share >= least) continue;
    least = share;
    next = static_cast<int>(t);
  }
  return next;
}

void HeldFetcher::Next() {
  if (working_ || stopped_) return;
  if (!Claim()) return NextAfter(kClaimPause);
  const int t = NextType();
  complete_ = t < 0;
  if (complete_) return;
  if (options_.machine != nullptr && !options_.machine->Leads()) {
    return NextAfter(kClaimPause);
  }
  if (fetched_ >= options_.allowance()) return NextAfter(kPause);
  Type& type = types_[t];
  const uint64_t block = (HeldOf(t) + type.filled) / kHotListBlockRows;
  if (!type.block.has_value() || type.block->number != block) {
    return ReadBlock(t, block);
  }
  Locate(t);
}

void HeldFetcher::ReadBlock(int t, uint64_t number) {
  working_ = true;
  options_.reader->ReadBlock(types_[t].listed, number,
                             [self = shared_from_this(),
                              t](absl::StatusOr<HotListReader::Block> block) {
                               self->working_ = false;
                               if (self->stopped_) return;
                               if (!block.ok())
                                 return self->End(block.status());
                               self->fetched_ +=
                                   block->order.size() + block->crc.size();
                               self->types_[t].block = *std::move(block);
                               self->Next();
                             });
}

void HeldFetcher::Locate(int t) {
  Type& type = types_[t];
  const HeldTypePlan& plan = type.plan;
  const uint32_t first = HeldOf(t) + type.filled;
  const uint64_t in_block =
      (type.block->number + 1) * kHotListBlockRows - first;
  const size_t row_bytes = plan.stored_x + plan.form.y;
  const size_t fitting =
      std::clamp<size_t>(kBytesPerChunk / row_bytes, 1, kMostRowsPerChunk);
  const auto count = static_cast<uint32_t>(
      std::min<uint64_t>({in_block, fitting, plan.rows_per_piece - type.filled,
                          plan.num_rows - first}));
  chunk_ = {t, first, count, {}, {}};
  const uint64_t at = first - type.block->number * kHotListBlockRows;
  const std::vector<uint8_t> ids(
      type.block->order.data() + at * sizeof(int64_t),
      type.block->order.data() + (at + count) * sizeof(int64_t));
  auto request = ReadRequestOf<v1::LocateNodesRequest>(options_.schema);
  request.set_node_type(static_cast<uint32_t>(t));
  request.set_num_ids(count);
  GraphRead read;
  read.kind = MessageKind::kLocateNodesRequest;
  read.header = request.SerializeAsString();
  read.payload = ids;
  read.reply_bytes = count * sizeof(uint64_t);
  std::vector<GraphRead> reads;
  reads.push_back(std::move(read));
  Call(std::move(reads), &HeldFetcher::OnLocated);
}

void HeldFetcher::OnLocated(Replies replies) {
  const NodeTypeSchema& schema = options_.schema.node_types[chunk_.type];
  chunk_.internal.resize(chunk_.count);
  std::memcpy(chunk_.internal.data(), replies[0].data(), replies[0].size());
  for (const uint64_t id : chunk_.internal) {
    if (id < static_cast<uint64_t>(schema.num_nodes)) continue;
    return OnFailure(
        absl::DataLossError(absl::StrCat("a server answered internal id ", id,
                                         " of ", schema.num_nodes, " nodes")));
  }
  ReadRows();
}

void HeldFetcher::ReadRows() {
  const NodeTypeSchema& schema = options_.schema.node_types[chunk_.type];
  const HeldTypePlan& plan = type().plan;
  std::map<uint32_t, std::vector<uint32_t>> by_partition;
  for (uint32_t i = 0; i < chunk_.count; ++i) {
    by_partition[schema.PartitionOf(static_cast<int64_t>(chunk_.internal[i]))]
        .push_back(i);
  }
  const size_t most = std::max<size_t>(
      1, kReadBytesPerCall / std::max(plan.stored_x, plan.form.y));
  std::vector<GraphRead> reads;
  for (const auto& [partition, ranks] : by_partition) {
    for (size_t at = 0; at < ranks.size(); at += most) {
      const auto end = ranks.begin() + std::min(ranks.size(), at + most);
      const std::vector<uint32_t> part(ranks.begin() + at, end);
      std::vector<uint64_t> rows;
      for (const uint32_t i : part) {
        rows.push_back(chunk_.internal[i] -
                       static_cast<uint64_t>(schema.base[partition]));
      }
      auto request = ReadRequestOf<v1::ReadColumnRequest>(options_.schema);
      request.set_partition(partition);
      request.set_node_type(static_cast<uint32_t>(chunk_.type));
      request.set_num_rows(rows.size());
      const auto add = [&](v1::StoredColumn column, size_t row_bytes) {
        if (row_bytes == 0) return;
        request.set_column(column);
        // As they are stored, which the list's sums are of.
        request.set_feature_dtype(static_cast<uint32_t>(
            plan.scaled ? FeatureDType::kInt8 : FeatureDType::kStored));
        GraphRead& read = reads.emplace_back();
        read.kind = MessageKind::kReadColumnRequest;
        read.partition = partition;
        read.header = request.SerializeAsString();
        read.payload = PayloadOf(absl::MakeConstSpan(rows));
        read.reply_bytes = rows.size() * row_bytes;
      };
      add(v1::STORED_COLUMN_X, plan.stored_x);
      add(v1::STORED_COLUMN_Y, plan.form.y);
      chunk_.parts.push_back(part);
    }
  }
  Call(std::move(reads), &HeldFetcher::OnRows);
}

void HeldFetcher::OnRows(Replies replies) {
  const HeldTypePlan& plan = type().plan;
  if (type().piece == nullptr) {
    auto piece = SharedMemory::Create(plan.rows_per_piece * plan.form.record(),
                                      {.freezable = true});
    if (!piece.ok()) return End(piece.status());
    type().piece = *std::move(piece);
  }
  chunk_.replies = std::move(replies);
  working_ = true;
  TakeParts(0);
}

void HeldFetcher::TakeParts(size_t p) {
  if (stopped_) return;
  // Rows before them, and the piece, were dropped meanwhile.
  const bool dropped = type().piece == nullptr;
  if (dropped || p == chunk_.parts.size()) {
    working_ = false;
    chunk_.replies.clear();
    return dropped ? Next() : FinishChunk();
  }
  const absl::Status status = TakePart(p);
  if (!status.ok()) {
    working_ = false;
    return OnFailure(status);
  }
  options_.strand->Post(
      [self = shared_from_this(), p] { self->TakeParts(p + 1); });
}

absl::Status HeldFetcher::TakePart(size_t p) {
  const HeldTypePlan& plan = type().plan;
  const std::vector<uint32_t>& part = chunk_.parts[p];
  absl::Span<const uint8_t> x, y;
  size_t next = p * ((plan.stored_x > 0 ? 1 : 0) + (plan.form.y > 0 ? 1 : 0));
  if (plan.stored_x > 0) x = chunk_.replies[next++].span();
  if (plan.form.y > 0) y = chunk_.replies[next].span();
  std::vector<uint8_t> scaled(plan.scaled ? plan.stored_x : 0);
  for (size_t i = 0; i < part.size(); ++i) {
    const uint8_t* row = x.data() + i * plan.stored_x;
    if (plan.scaled) {  // values of all rows came, then their scales
      const size_t width = plan.x_width;
      std::memcpy(scaled.data(), x.data() + i * width, width);
      std::memcpy(scaled.data() + width,
                  x.data() + part.size() * width + i * sizeof(float),
                  sizeof(float));
      row = scaled.data();
    }
    RETURN_IF_ERROR(Put(part[i], row, y.data() + i * plan.form.y));
  }
  return absl::OkStatus();
}

// Compares a row with the list, and makes its record.
absl::Status HeldFetcher::Put(uint32_t i, const uint8_t* x, const uint8_t* y) {
  Type& type = this->type();
  const HeldForm& form = type.plan.form;
  const uint64_t at = chunk_.first + i - type.block->number * kHotListBlockRows;
  uint32_t crc;
  std::memcpy(&crc, type.block->crc.data() + at * sizeof(crc), sizeof(crc));
  if (ExtendCrc32c(Crc32c({x, type.plan.stored_x}), {y, form.y}) != crc) {
    return absl::DataLossError(
        absl::StrCat("the row of rank ", chunk_.first + i, " of node type ",
                     type.plan.name, " is not that of the hot list"));
  }
  uint8_t* const record =
      type.piece->bytes().data() + size_t{type.filled + i} * form.record();
  if (type.plan.convert != nullptr) {
    type.plan.convert(x, type.plan.x_width, record, record + form.x);
  } else if (form.x > 0) {
    std::memcpy(record, x, form.x);
  }
  if (form.y > 0) std::memcpy(record + form.x + form.x_scale, y, form.y);
  const uint32_t own = Crc32c({record, form.content()});
  uint8_t* const tail = record + form.id_offset();
  std::memcpy(tail, type.block->order.data() + at * sizeof(int64_t),
              sizeof(int64_t));
  std::memcpy(tail + 8, &crc, sizeof(crc));
  std::memcpy(tail + 12, &own, sizeof(own));
  return absl::OkStatus();
}

void HeldFetcher::FinishChunk() {
  tries_.Succeeded();
  Type& type = this->type();
  // Rows before it were dropped meanwhile.
  const uint32_t first = chunk_.first - type.filled;  // of the piece
  if (first != HeldOf(chunk_.type)) return Next();
  type.filled += chunk_.count;
  if (type.filled == type.plan.rows_per_piece ||
      first + type.filled == type.plan.num_rows) {
    if (absl::Status frozen = type.piece->Freeze(); !frozen.ok()) {
      return End(std::move(frozen));
    }
    const auto piece = std::exchange(type.piece, nullptr);
    const uint32_t rows = std::exchange(type.filled, 0);
    if (rows_->AddPiece(chunk_.type, first, {piece->bytes().data(), piece},
                        rows) &&
        options_.machine != nullptr) {
      options_.machine->Offer(chunk_.type, first, rows, piece);
    }
  }
  Next();
}

void HeldFetcher::OnDrop(int t, uint32_t num_rows) {
  if (stopped_) return;
  if (options_.machine != nullptr) options_.machine->Drop(t, num_rows);
  types_[t].filled = 0;
  types_[t].piece = nullptr;
  if (++drops_ > kMostDrops) {
    return End(absl::DataLossError(absl::StrCat(
        "held rows of node type ", types_[t].plan.name,
        " were found to be damaged ", drops_,
        " times: this machine's memory, or another process, changes them")));
  }
  Next();
}

void HeldFetcher::OnFailure(const absl::Status& why) {
  const std::optional<absl::Duration> pause = tries_.Failed(why);
  pause.has_value() ? NextAfter(*pause) : End(why);
}

void HeldFetcher::End(absl::Status why) {
  if (stopped_) return;
  Stop();
  options_.stopped(std::move(why));
}

}  // namespace tributary
