#include "sampler_server/engine/questions/induce_question.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/proto/questions.pb.h"
#include "common/session/subgraph_options.h"
#include "common/text/status.h"
#include "sampler_server/engine/ids/tree_ids.h"
#include "sampler_server/engine/questions/edge_question.h"
#include "sampler_server/engine/questions/induced_edges.h"
#include "sampler_server/engine/questions/payload_arrays.h"

namespace tributary {
namespace {

constexpr size_t kRowsAtOnce = 1024;

template <typename... Parts>
absl::Status QuestionError(const Parts&... parts) {
  return absl::InvalidArgumentError(
      absl::StrCat("question for induced edges: ", parts...));
}

bool IsWidth(uint32_t bytes) { return bytes >= 1 && bytes <= sizeof(uint64_t); }

// Checks that `payload` bytes are what the message says.
absl::Status CheckSizes(const v1::InduceQuestion& asked, uint64_t payload) {
  const uint64_t bytes_per_row =
      asked.row_bytes() + (asked.has_take() ? sizeof(uint32_t) : 0);
  if (!IsWidth(asked.source_bytes()) || !IsWidth(asked.row_bytes()) ||
      asked.sources() > payload || asked.rows() > payload ||
      asked.sources() * asked.source_bytes() + asked.rows() * bytes_per_row !=
          payload) {
    return QuestionError(asked.sources(), " ids of ", asked.source_bytes(),
                         " bytes and ", asked.rows(), " of ", asked.row_bytes(),
                         " in ", payload);
  }
  if (!asked.has_count() && !asked.has_take()) {
    return QuestionError("neither count nor take");
  }
  return absl::OkStatus();
}

// Answers one question, whose sizes are checked.
class Answerer {
 public:
  Answerer(const EdgeQuestion<v1::InduceQuestion>& question, uint32_t partition,
           absl::Span<const uint8_t> payload, absl::Span<uint8_t> answer,
           StopCheck* stop)
      : question_(question),
        asked_(question.message),
        partition_(partition),
        payload_(payload),
        answer_(answer),
        stop_(stop) {}

  absl::Status Run() {
    std::vector<uint64_t> ids(asked_.sources());
    for (size_t i = 0; i < ids.size(); ++i) {
      ids[i] = ReadPackedId(payload_, asked_.source_bytes(), i);
    }
    rows_ = payload_.subspan(ids.size() * asked_.source_bytes());
    const NodeSet nodes(ids, stop_);
    const InducedSource source{question_.edges, question_.num_src_nodes(),
                               nodes, stop_};
    return asked_.has_count() ? Count(source) : Take(source);
  }

 private:
  absl::Status BadAnswer() const {
    return QuestionError("an answer of ", answer_.size(), " bytes for ",
                         asked_.rows(), " rows");
  }

  // Sets block_ to rows [from, from + count) of the question.
  absl::Status ReadRows(size_t from, size_t count) {
    const NodeTypeSchema& dst = question_.dst;
    const TreeIds ids(static_cast<uint64_t>(dst.num_nodes));
    const auto base = static_cast<uint64_t>(dst.base[partition_]);
    const auto end = static_cast<uint64_t>(dst.base[partition_ + 1]);
    block_.clear();
    for (size_t i = from; i < from + count; ++i) {
      const uint64_t id = ReadPackedId(rows_, asked_.row_bytes(), i);
      const uint64_t node = dst.num_nodes == 0 ? 0 : ids.Node(id);
      if (node < base || node >= end) {
        return absl::OutOfRangeError(absl::StrCat(
            "node ", node, " of partition ", partition_, ", which has nodes ",
            base, " to ", end, " of type ", dst.name));
      }
      block_.push_back({node - base, question_.num_src_nodes() * ids.Tree(id)});
    }
    return absl::OkStatus();
  }

  absl::Status Count(const InducedSource& source) {
    InduceCountHeader all;
    if (answer_.size() != sizeof(all) + asked_.rows() * sizeof(uint32_t)) {
      return BadAnswer();
    }
    std::fill(answer_.begin(), answer_.end(), uint8_t{0});
    const uint64_t pause = asked_.count().pause();
    const uint64_t most = std::min(asked_.count().most(), kMaxScannedEdges);
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
    const bool positions = asked_.take().want_positions();
    const uint64_t edges = answer_.size() / InducedEdgeBytes(positions);
    if (edges * InducedEdgeBytes(positions) != answer_.size()) {
      return BadAnswer();
    }
    std::vector<uint32_t> numbers(edges);
    std::vector<int64_t> edge_ids(edges);
    std::vector<uint64_t> places(positions ? edges : 0);
    RETURN_IF_ERROR(TakeRows(source, edges,
                             {numbers.data(), edge_ids.data(),
                              positions ? places.data() : nullptr}));
    uint8_t* to =
        CopyLittleEndian(absl::MakeConstSpan(numbers), answer_.data());
    to = CopyLittleEndian(absl::MakeConstSpan(edge_ids), to);
    CopyLittleEndian(absl::MakeConstSpan(places), to);
    return absl::OkStatus();
  }

  // Fills `out`, which has room for `edges`: as many as the rows' counts say.
  absl::Status TakeRows(const InducedSource& source, uint64_t edges,
                        const InducedEdges& out) {
    const auto counts = rows_.subspan(asked_.rows() * asked_.row_bytes());
    uint64_t skip = asked_.take().skip();
    uint64_t written = 0;
    for (size_t from = 0; from < asked_.rows(); from += kRowsAtOnce) {
      const size_t n = std::min<size_t>(asked_.rows() - from, kRowsAtOnce);
      RETURN_IF_ERROR(ReadRows(from, n));
      for (size_t i = 0; i < n; ++i) {
        block_[i].count = ReadLittleEndian<uint32_t>(counts, from + i);
        block_[i].to = written;
        written += block_[i].count;
        if (written > edges) return BadAnswer();
      }
      RETURN_IF_ERROR(TakeInduced(source, block_, skip, out));
      skip = 0;
    }
    return written == edges ? absl::OkStatus() : BadAnswer();
  }

  const EdgeQuestion<v1::InduceQuestion>& question_;
  const v1::InduceQuestion& asked_;
  const uint32_t partition_;
  const absl::Span<const uint8_t> payload_;
  const absl::Span<uint8_t> answer_;
  StopCheck* const stop_;
  absl::Span<const uint8_t> rows_;
  std::vector<InducedRow> block_;
};

class Type final : public QuestionType {
 public:
  absl::string_view name() const override { return "induced_edges"; }
  absl::Status Answer(const Graph& graph, uint32_t partition,
                      absl::string_view message,
                      absl::Span<const uint8_t> payload,
                      absl::Span<uint8_t> answer,
                      StopCheck* stop) const override {
    ASSIGN_OR_RETURN(const auto asked, ParseEdgeQuestion<v1::InduceQuestion>(
                                           name(), graph, partition, message));
    RETURN_IF_ERROR(CheckSizes(asked.message, payload.size()));
    return Answerer(asked, partition, payload, answer, stop).Run();
  }
};

}  // namespace

const QuestionType& InducedEdgesQuestionType() {
  static const Type type;
  return type;
}

}  // namespace tributary
