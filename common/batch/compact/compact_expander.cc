#include "common/batch/compact/compact_expander.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// The edges, or bits of degrees, of one step. A multiple of 64.
constexpr uint64_t kAtOnce = uint64_t{1} << 16;

template <typename... What>
absl::Status Damaged(const What&... what) {
  return absl::DataLossError(absl::StrCat("compact edges: ", what...));
}

template <typename T>
T Get(absl::Span<const uint8_t> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

uint64_t CountOnes(const uint8_t* bytes, size_t count) {
  uint64_t ones = 0;
  for (size_t i = 0; i < count; i += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes + i, std::min(sizeof(word), count - i));
    ones += static_cast<uint64_t>(std::popcount(word));
  }
  return ones;
}

bool BitAt(const uint8_t* bytes, uint64_t bit) {
  return ((bytes[bit / 8] >> (bit % 8)) & 1) != 0;
}

// Whether the bits of the last byte behind the last of `bits` are zero.
bool EndsInZeros(const uint8_t* bytes, uint64_t bits) {
  return bits % 8 == 0 || bytes[bits / 8] >> (bits % 8) == 0;
}

struct Header {
  uint8_t number_bytes = 0;
  uint32_t runs = 0;
};
absl::StatusOr<Header> ReadHeader(absl::Span<const uint8_t> block) {
  if (block.size() < kCompactHeaderBytes) {
    return Damaged("a block of ", block.size(), " bytes");
  }
  const auto form = Get<uint8_t>(block, 0);
  const auto zeros = Get<uint16_t>(block, 2);
  if (form != kCompactForm || zeros != 0) {
    return Damaged("form ", form, ", ", zeros, "; allowed: ", kCompactForm,
                   ", 0");
  }
  return Header{Get<uint8_t>(block, 1), Get<uint32_t>(block, 4)};
}

absl::StatusOr<CompactRun> ReadRun(absl::Span<const uint8_t> block, size_t at,
                                   uint64_t num_nodes) {
  CompactRun run;
  run.edges = Get<uint32_t>(block, at);
  run.nodes = Get<uint32_t>(block, at + 4);
  run.fresh = Get<uint32_t>(block, at + 8);
  run.first_node = Get<uint32_t>(block, at + 12);
  run.first_fresh = Get<uint32_t>(block, at + 16);
  const auto reversed = Get<uint32_t>(block, at + 20);
  run.reversed = reversed == 1;
  if (run.edges == 0 || run.fresh > run.edges || reversed > 1) {
    return Damaged("a run of ", run.edges, " edges, ", run.fresh,
                   " of them to fresh nodes, reversed ", reversed);
  }
  if (run.nodes == 0 || uint64_t{run.first_node} + run.nodes > num_nodes ||
      (run.fresh > 0 && uint64_t{run.first_fresh} + run.fresh > num_nodes)) {
    return Damaged("a run of nodes ", run.first_node, " + ", run.nodes,
                   ", fresh ones ", run.first_fresh, " + ", run.fresh, " of ",
                   num_nodes);
  }
  return run;
}

class EdgeIndexExpander final : public CompactExpander {
 public:
  EdgeIndexExpander(CompactEdgeIndex form, absl::Span<uint8_t> tensor,
                    uint64_t num_nodes, const CompactPath& path)
      : form_(std::move(form)),
        path_(path),
        num_nodes_(num_nodes),
        row_bytes_(tensor.size() / 2),
        rows_{tensor.data(), tensor.data() + row_bytes_} {
    neighbors_.end = tensor.data() + tensor.size();
    neighbors_.numbers = neighbors_.end - form_.number_stream_bytes();
    neighbors_.number_bytes = form_.number_bytes;
    for (const CompactRun& run : form_.runs) {
      numbers_left_ += run.numbers();
      marks_at_ += run.degree_bytes();
    }
  }

  bool done() const override { return run_ == form_.runs.size(); }

  absl::Status Step() override {
    if (bits_.empty()) {
      CopyBits();
      BeginRun();
    }
    const CompactRun& run = form_.runs[run_];
    if (edge_ < run.edges) return StepNeighbors(run);
    RETURN_IF_ERROR(StepDegrees(run));
    if (bit_ < run.degree_bits()) return absl::OkStatus();
    return EndRun(run);
  }

 private:
  // The places of edges that are expanded never reach the numbers that are
  // left, of at most four bytes each, but may reach what lies before them.
  void CopyBits() {
    const uint8_t* const numbers = neighbors_.numbers;
    bits_.assign(numbers - form_.bit_stream_bytes(), numbers);
  }

  void BeginRun() {
    if (done()) return;
    const CompactRun& run = form_.runs[run_];
    edge_ = bit_ = 0;
    fresh_left_ = run.fresh;
    edges_left_ = run.edges;
    neighbors_.marks = run.has_marks() ? bits_.data() + marks_at_ : nullptr;
    neighbors_.all_fresh = run.fresh == run.edges;
    neighbors_.next = run.first_fresh;
    neighbors_.largest = 0;
    degrees_.bits = bits_.data() + degrees_at_;
    degrees_.node = run.first_node;
    degrees_.out = rows_[run.reversed ? 0 : 1] + out_;
    degrees_.end = degrees_.out + size_t{run.edges} * sizeof(int32_t);
  }

  // As many marks as fresh neighbours: then there are as many numbers as the
  // others, and nothing is read beyond them.
  absl::Status StepNeighbors(const CompactRun& run) {
    const uint64_t to = std::min<uint64_t>(run.edges, edge_ + kAtOnce);
    if (neighbors_.marks != nullptr) {
      const uint8_t* const marks = neighbors_.marks + edge_ / 8;
      const uint64_t fresh = CountOnes(marks, (to - edge_ + 7) / 8);
      if (fresh > fresh_left_ || to - edge_ - fresh > numbers_left_ ||
          !EndsInZeros(marks, to - edge_)) {
        return Damaged("the marks are not those of ", run.fresh,
                       " fresh nodes of ", run.edges);
      }
      fresh_left_ -= fresh;
      numbers_left_ -= to - edge_ - fresh;
    } else {
      fresh_left_ -= neighbors_.all_fresh ? to - edge_ : 0;
      numbers_left_ -= neighbors_.all_fresh ? 0 : to - edge_;
    }
    path_.neighbors(neighbors_, edge_, to, rows_[run.reversed ? 1 : 0] + out_);
    edge_ = to;
    if (edge_ < run.edges) return absl::OkStatus();
    if (fresh_left_ != 0) {
      return Damaged("marks of ", run.fresh - fresh_left_,
                     " fresh nodes; the run has ", run.fresh);
    }
    if (neighbors_.largest < num_nodes_) return absl::OkStatus();
    return Damaged("node ", neighbors_.largest, " of ", num_nodes_);
  }

  absl::Status StepDegrees(const CompactRun& run) {
    const uint64_t to = std::min(run.degree_bits(), bit_ + kAtOnce);
    const uint8_t* const bits = degrees_.bits + bit_ / 8;
    const uint64_t edges = CountOnes(bits, (to - bit_ + 7) / 8);
    const bool ends = to == run.degree_bits();
    // Without the 0 at the end there might be edges of one node more.
    if (edges > edges_left_ || (ends && edges != edges_left_) ||
        (ends && BitAt(bits, to - bit_ - 1)) || !EndsInZeros(bits, to - bit_)) {
      return Damaged("the degrees are not those of ", run.edges, " edges of ",
                     run.nodes, " nodes");
    }
    edges_left_ -= edges;
    path_.degrees(degrees_, bit_, to);
    bit_ = to;
    return absl::OkStatus();
  }

  absl::Status EndRun(const CompactRun& run) {
    degrees_at_ += run.degree_bytes();
    marks_at_ += run.mark_bytes();
    out_ += size_t{run.edges} * sizeof(int32_t);
    ++run_;
    BeginRun();
    return absl::OkStatus();
  }

  const CompactEdgeIndex form_;
  const CompactPath& path_;
  const uint64_t num_nodes_;
  const size_t row_bytes_;
  uint8_t* const rows_[2];  // sources, destinations
  std::vector<uint8_t> bits_;
  size_t degrees_at_ = 0, marks_at_ = 0;  // of the run, in bits_
  size_t out_ = 0;                        // the run's first edge, in a row
  size_t run_ = 0;
  uint64_t edge_ = 0, bit_ = 0;  // of the run, that come next
  uint64_t fresh_left_ = 0, edges_left_ = 0, numbers_left_ = 0;
  NeighborCursor neighbors_;
  DegreeCursor degrees_;
};

class EdgeIdExpander final : public CompactExpander {
 public:
  EdgeIdExpander(uint8_t number_bytes, absl::Span<uint8_t> tensor,
                 const CompactPath& path)
      : path_(path),
        number_bytes_(number_bytes),
        edges_(tensor.size() / kEdgeIdBytes),
        out_(tensor.data()),
        end_(tensor.data() + tensor.size()) {}

  bool done() const override { return edge_ == edges_; }

  absl::Status Step() override {
    const uint64_t count = std::min<uint64_t>(kAtOnce, edges_ - edge_);
    path_.ids(end_ - (edges_ - edge_) * number_bytes_, end_, number_bytes_,
              count, out_ + edge_ * kEdgeIdBytes);
    edge_ += count;
    return absl::OkStatus();
  }

 private:
  const CompactPath& path_;
  const size_t number_bytes_;
  const uint64_t edges_;
  uint8_t* const out_;
  const uint8_t* const end_;
  uint64_t edge_ = 0;
};

}  // namespace

absl::StatusOr<CompactEdgeIndex> ReadCompactEdgeIndex(
    absl::Span<const uint8_t> block, uint64_t edges, uint64_t num_nodes) {
  ASSIGN_OR_RETURN(const Header header, ReadHeader(block));
  CompactEdgeIndex form;
  form.number_bytes = header.number_bytes;
  if (header.runs == 0 ||
      header.runs > (block.size() - kCompactHeaderBytes) / kCompactRunBytes) {
    return Damaged(header.runs, " runs in ", block.size(), " bytes");
  }
  form.runs.reserve(header.runs);
  for (uint32_t r = 0; r < header.runs; ++r) {
    ASSIGN_OR_RETURN(
        form.runs.emplace_back(),
        ReadRun(block, kCompactHeaderBytes + r * kCompactRunBytes, num_nodes));
  }
  uint64_t numbers = 0;
  for (const CompactRun& run : form.runs) numbers += run.numbers();
  if (form.number_bytes > sizeof(uint32_t) ||
      (form.number_bytes == 0) != (numbers == 0)) {
    return Damaged(numbers, " numbers of ", form.number_bytes, " bytes");
  }
  if (form.edges() != edges || form.nodes() > kMostNodesPerEdge * edges) {
    return Damaged("runs of ", form.edges(), " edges and ", form.nodes(),
                   " nodes in a tensor of ", edges, " edges");
  }
  if (form.bytes() > block.size() ||
      LeftOutOf(block.size() - form.bytes()) != 0) {
    return Damaged("runs of ", form.bytes(), " bytes in a block of ",
                   block.size());
  }
  return form;
}

absl::StatusOr<std::unique_ptr<CompactExpander>> ExpandEdgeIndex(
    absl::Span<uint8_t> tensor, size_t left_out, uint64_t num_nodes,
    const CompactPath& path) {
  const uint64_t most = std::numeric_limits<int32_t>::max();
  num_nodes = std::min(num_nodes, most);
  ASSIGN_OR_RETURN(
      CompactEdgeIndex form,
      ReadCompactEdgeIndex(tensor.subspan(left_out),
                           tensor.size() / kEdgeIndexBytes, num_nodes));
  return std::make_unique<EdgeIndexExpander>(std::move(form), tensor, num_nodes,
                                             path);
}

absl::StatusOr<std::unique_ptr<CompactExpander>> ExpandEdgeIds(
    absl::Span<uint8_t> tensor, size_t left_out, const CompactPath& path) {
  const absl::Span<const uint8_t> block = tensor.subspan(left_out);
  ASSIGN_OR_RETURN(const Header header, ReadHeader(block));
  const uint64_t edges = tensor.size() / kEdgeIdBytes;
  if (header.runs != 0 || header.number_bytes == 0 ||
      header.number_bytes >= kEdgeIdBytes) {
    return Damaged("edge ids of ", header.number_bytes, " bytes in ",
                   header.runs, " runs");
  }
  if (LeftOutOfEdgeIds(edges, header.number_bytes) != left_out) {
    return Damaged(edges, " edge ids of ", header.number_bytes,
                   " bytes in a block of ", block.size());
  }
  return std::make_unique<EdgeIdExpander>(header.number_bytes, tensor, path);
}

}  // namespace tributary
