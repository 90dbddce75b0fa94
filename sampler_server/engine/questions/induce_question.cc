#include "sampler_server/engine/questions/induce_question.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/proto/questions.pb.h"
#include "common/session/subgraph_options.h"
#include "common/text/status.h"
#include "sampler_server/engine/ids/tree_ids.h"
#include "sampler_server/engine/questions/induced_edges.h"

namespace tributary {
namespace {

constexpr size_t kRowsAtOnce = 1024;

template <typename... Parts>
absl::Status Bad(const Parts&... parts) {
  return absl::InvalidArgumentError(
      absl::StrCat("question for induced edges: ", parts...));
}

bool IsWidth(uint32_t bytes) { return bytes >= 1 && bytes <= sizeof(uint64_t); }

uint64_t IdAt(absl::Span<const uint8_t> bytes, size_t id_bytes, size_t i) {
  uint64_t id = 0;  // hosts are little-endian, as messages are
  std::memcpy(&id, bytes.data() + i * id_bytes, id_bytes);
  return id;
}

template <typename T>
uint8_t* PutArray(const std::vector<T>& values, uint8_t* to) {
  const size_t bytes = values.size() * sizeof(T);
  if (bytes > 0) std::memcpy(to, values.data(), bytes);
  return to + bytes;
}

// A question that is not believed yet, and where its answer goes.
class Answerer {
 public:
  Answerer(const Graph& graph, uint32_t partition,
           absl::Span<const uint8_t> payload, absl::Span<uint8_t> answer)
      : graph_(graph),
        partition_(partition),
        payload_(payload),
        answer_(answer) {}

  absl::Status Run(absl::string_view question) {
    if (!asked_.ParseFromArray(question.data(),
                               static_cast<int>(question.size()))) {
      return Bad(question.size(), " bytes that cannot be read");
    }
    RETURN_IF_ERROR(CheckTypes());
    RETURN_IF_ERROR(CheckSizes());
    std::vector<uint64_t> ids(asked_.sources());
    for (size_t i = 0; i < ids.size(); ++i) {
      ids[i] = IdAt(payload_, asked_.source_bytes(), i);
    }
    rows_ = payload_.subspan(ids.size() * asked_.source_bytes());
    const NodeSet nodes(ids);
    const InducedSource source{*edges_, src_nodes_, nodes};
    return asked_.has_count() ? Count(source) : Take(source);
  }

 private:
  absl::Status CheckTypes() {
    const GraphSchema& schema = graph_.schema();
    if (asked_.edge_type() >= schema.edge_types.size()) {
      return Bad("edge type ", asked_.edge_type(), " of ",
                 schema.edge_types.size());
    }
    const auto type = static_cast<int>(asked_.edge_type());
    edges_ = graph_.edges(type, partition_);
    if (edges_ == nullptr) {
      return absl::NotFoundError(
          absl::StrCat("partition ", partition_, " is not on this server"));
    }
    const EdgeTypeSchema& edge = schema.edge_types[type];
    src_nodes_ =
        static_cast<uint64_t>(schema.node_types[edge.src_type].num_nodes);
    dst_ = &schema.node_types[edge.dst_type];
    return absl::OkStatus();
  }

  absl::Status CheckSizes() const {
    const uint64_t n = payload_.size();
    const uint64_t bytes_per_row =
        asked_.row_bytes() + (asked_.has_take() ? sizeof(uint32_t) : 0);
    if (!IsWidth(asked_.source_bytes()) || !IsWidth(asked_.row_bytes()) ||
        asked_.sources() > n || asked_.rows() > n ||
        asked_.sources() * asked_.source_bytes() +
                asked_.rows() * bytes_per_row !=
            n) {
      return Bad(asked_.sources(), " ids of ", asked_.source_bytes(),
                 " bytes and ", asked_.rows(), " of ", asked_.row_bytes(),
                 " in ", n);
    }
    if (!asked_.has_count() && !asked_.has_take()) {
      return Bad("neither count nor take");
    }
    return absl::OkStatus();
  }

  absl::Status BadAnswer() const {
    return Bad("an answer of ", answer_.size(), " bytes for ", asked_.rows(),
               " rows");
  }

  // `count` rows of this partition.
  absl::Status ReadRows(size_t from, size_t count) {
    const TreeIds ids(static_cast<uint64_t>(dst_->num_nodes));
    const auto base = static_cast<uint64_t>(dst_->base[partition_]);
    const auto end = static_cast<uint64_t>(dst_->base[partition_ + 1]);
    block_.clear();
    for (size_t i = from; i < from + count; ++i) {
      const uint64_t id = IdAt(rows_, asked_.row_bytes(), i);
      const uint64_t node = dst_->num_nodes == 0 ? 0 : ids.Node(id);
      if (node < base || node >= end) {
        return absl::OutOfRangeError(absl::StrCat(
            "node ", node, " of partition ", partition_, ", which has nodes ",
            base, " to ", end, " of type ", dst_->name));
      }
      block_.push_back({node - base, src_nodes_ * ids.Tree(id)});
    }
    return absl::OkStatus();
  }

  absl::Status Count(const InducedSource& source) {
    if (answer_.size() !=
        sizeof(CountAnswer) + asked_.rows() * sizeof(uint32_t)) {
      return BadAnswer();
    }
    std::fill(answer_.begin(), answer_.end(), uint8_t{0});
    const uint64_t pause = asked_.count().pause();
    const uint64_t most = std::min(asked_.count().most(), kMaxScannedEdges);
    CountAnswer all;
    std::vector<uint32_t> counts(kRowsAtOnce);
    while (all.rows < asked_.rows() && all.scanned < pause &&
           all.scanned <= most) {
      const size_t n = std::min<size_t>(asked_.rows() - all.rows, kRowsAtOnce);
      RETURN_IF_ERROR(ReadRows(all.rows, n));
      Scanned done;
      RETURN_IF_ERROR(CountInduced(source, block_,
                                   {pause - all.scanned, most - all.scanned},
                                   counts.data(), &done));
      std::memcpy(answer_.data() + sizeof(all) + all.rows * sizeof(uint32_t),
                  counts.data(), done.rows * sizeof(uint32_t));
      all.rows += done.rows;
      all.scanned += done.edges;
    }
    std::memcpy(answer_.data(), &all, sizeof(all));
    return absl::OkStatus();
  }

  absl::Status Take(const InducedSource& source) {
    const uint8_t* const counts =
        rows_.data() + asked_.rows() * asked_.row_bytes();
    const bool positions = asked_.take().want_positions();
    uint64_t skip = asked_.take().skip();
    uint64_t written = 0;
    const uint64_t edges = answer_.size() / InducedEdgeBytes(positions);
    if (edges * InducedEdgeBytes(positions) != answer_.size()) {
      return BadAnswer();
    }
    std::vector<uint32_t> numbers(edges);
    std::vector<int64_t> edge_ids(edges);
    std::vector<uint64_t> places(positions ? edges : 0);
    const InducedEdges out{numbers.data(), edge_ids.data(),
                           positions ? places.data() : nullptr};
    for (size_t from = 0; from < asked_.rows(); from += kRowsAtOnce) {
      const size_t n = std::min<size_t>(asked_.rows() - from, kRowsAtOnce);
      RETURN_IF_ERROR(ReadRows(from, n));
      for (size_t i = 0; i < n; ++i) {
        std::memcpy(&block_[i].count, counts + (from + i) * sizeof(uint32_t),
                    sizeof(uint32_t));
        block_[i].to = written;
        written += block_[i].count;
        if (written > edges) return BadAnswer();
      }
      RETURN_IF_ERROR(TakeInduced(source, block_, skip, out));
      skip = 0;
    }
    if (written != edges) return BadAnswer();
    uint8_t* to = PutArray(numbers, answer_.data());
    to = PutArray(edge_ids, to);
    PutArray(places, to);
    return absl::OkStatus();
  }

  const Graph& graph_;
  const uint32_t partition_;
  const absl::Span<const uint8_t> payload_;
  const absl::Span<uint8_t> answer_;
  v1::InduceQuestion asked_;
  const EdgePartition* edges_ = nullptr;
  const NodeTypeSchema* dst_ = nullptr;
  uint64_t src_nodes_ = 0;
  absl::Span<const uint8_t> rows_;
  std::vector<InducedRow> block_;
};

}  // namespace

size_t BytesPerId(uint64_t num_ids) {
  const int bits = std::bit_width(num_ids > 0 ? num_ids - 1 : 0);
  return std::max(1, (bits + 7) / 8);
}

void AppendIds(absl::Span<const uint64_t> ids, size_t id_bytes,
               std::vector<uint8_t>* to) {
  const size_t before = to->size();
  to->resize(before + ids.size() * id_bytes);
  uint8_t* at = to->data() + before;
  for (const uint64_t id : ids) {
    std::memcpy(at, &id, id_bytes);
    at += id_bytes;
  }
}

absl::Status AnswerInduce(const Graph& graph, uint32_t partition,
                          absl::string_view question,
                          absl::Span<const uint8_t> payload,
                          absl::Span<uint8_t> answer) {
  return Answerer(graph, partition, payload, answer).Run(question);
}

}  // namespace tributary
