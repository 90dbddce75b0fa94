#include "sampler_server/engine/steps/remote_induce.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/proto/questions.pb.h"
#include "common/text/status.h"
#include "sampler_server/engine/questions/induce_question.h"
#include "sampler_server/engine/questions/payload_arrays.h"

namespace tributary {
namespace {

// Of a question's payload and of an answer.
constexpr size_t kMostBytes = kMaxQuestionBytes - 64;
// Of the sources in a question.
constexpr size_t kMostSourceBytes = size_t{3} << 20;
// In-edges that a peer looks at for one question, but for the last row's.
constexpr uint64_t kScannedPerQuestion = uint64_t{1} << 24;

template <typename... Parts>
absl::Status BadAnswer(uint32_t partition, const Parts&... parts) {
  return absl::DataLossError(absl::StrCat("answer of partition ", partition,
                                          " on induced edges: ", parts...));
}

}  // namespace

absl::Status RemoteInduce::CheckNumSources(absl::string_view src_type) const {
  const size_t most = kMostSourceBytes / nodes_.source_id_bytes();
  if (nodes_.sources.size() <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      nodes_.sources.size(), " nodes of type ", src_type,
      " in a batch whose subgraph_type is induced; allowed: ", most,
      "; lower num_neighbors or batch_size"));
}

PartitionQuestion RemoteInduce::MakeQuestion(v1::InduceQuestion* asked) const {
  asked->set_edge_type(static_cast<uint32_t>(edge_type_));
  asked->set_sources(nodes_.sources.size());
  asked->set_source_bytes(nodes_.source_id_bytes());
  asked->set_row_bytes(nodes_.destination_id_bytes());
  PartitionQuestion question;
  question.type = &InducedEdgesQuestionType();
  AppendPackedIds(nodes_.sources, asked->source_bytes(), &question.payload);
  return question;
}

PartitionQuestion RemoteInduce::MakeCount(const InduceShare& share,
                                          uint64_t most) const {
  v1::InduceQuestion asked;
  PartitionQuestion question = MakeQuestion(&asked);
  const size_t most_rows =
      (kMostBytes - question.payload.size()) / asked.row_bytes();
  const size_t n = std::min({share.nodes.size() - share.next, most_rows,
                             kMostBytes / sizeof(uint32_t)});
  for (size_t i = 0; i < n; ++i) {
    AppendPackedIds(nodes_.destinations.subspan(share.nodes[share.next + i], 1),
                    asked.row_bytes(), &question.payload);
  }
  asked.set_rows(n);
  asked.mutable_count()->set_pause(kScannedPerQuestion);
  asked.mutable_count()->set_most(most);
  question.partition = share.partition;
  question.message = asked.SerializeAsString();
  question.answer_bytes = sizeof(InduceCountHeader) + n * sizeof(uint32_t);
  return question;
}

absl::Status RemoteInduce::CheckCounts(absl::Span<const uint8_t> answer,
                                       uint64_t most,
                                       const InduceShare& share) const {
  const auto all = ReadLittleEndian<InduceCountHeader>(answer, 0);
  const absl::Span<const uint8_t> counts = answer.subspan(sizeof(all));
  const size_t asked = counts.size() / sizeof(uint32_t);
  if (all.rows > asked || (all.rows == 0 && all.scanned <= most)) {
    return BadAnswer(share.partition, all.rows, " rows of ", asked);
  }
  uint64_t edges = 0;
  for (size_t i = 0; i < all.rows; ++i) {
    edges += ReadLittleEndian<uint32_t>(counts, i);
  }
  if (edges <= all.scanned) return absl::OkStatus();
  return BadAnswer(share.partition, edges, " edges, ", all.scanned,
                   " looked at");
}

absl::Status RemoteInduce::CheckEdges(absl::Span<const uint8_t> answer,
                                      const InduceShare& share,
                                      const InducedEdgeTable& table) const {
  const uint64_t edges =
      answer.size() / InducedEdgeBytes(table.has_positions());
  for (uint64_t i = 0; i < edges; ++i) {
    const auto number = ReadLittleEndian<uint32_t>(answer, i);
    if (number < nodes_.sources.size()) continue;
    return BadAnswer(share.partition, "node ", number, " of ",
                     nodes_.sources.size());
  }
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> RemoteInduce::AcceptCounts(
    absl::Span<const uint8_t> answer, uint64_t most, InduceShare* share,
    InducedEdgeTable* table) const {
  RETURN_IF_ERROR(CheckCounts(answer, most, *share));
  const auto all = ReadLittleEndian<InduceCountHeader>(answer, 0);
  const absl::Span<const uint8_t> counts = answer.subspan(sizeof(all));
  for (size_t i = 0; i < all.rows; ++i) {
    table->SetCount(share->nodes[share->next + i],
                    ReadLittleEndian<uint32_t>(counts, i));
  }
  share->next += all.rows;
  share->answer_ends.push_back(share->next);
  return all.scanned;
}

std::optional<PartitionQuestion> RemoteInduce::MakeTake(
    const InducedEdgeTable& table, InduceShare* share) const {
  const auto& nodes = share->nodes;
  while (!share->done() && table.count(nodes[share->next]) == 0) ++share->next;
  if (share->done()) return std::nullopt;
  v1::InduceQuestion asked;
  PartitionQuestion question = MakeQuestion(&asked);
  const bool positions = table.has_positions();
  const uint64_t most_edges = kMostBytes / InducedEdgeBytes(positions);
  const size_t most_rows = (kMostBytes - question.payload.size()) /
                           (asked.row_bytes() + sizeof(uint32_t));
  const size_t end = *std::upper_bound(share->answer_ends.begin(),
                                       share->answer_ends.end(), share->next);
  std::vector<uint32_t> counts;
  uint64_t edges = 0;
  uint64_t skip = share->next_taken;
  for (size_t i = share->next;
       i < end && counts.size() < most_rows && edges < most_edges; ++i) {
    const uint32_t count = table.count(nodes[i]);
    if (count == 0) continue;
    counts.push_back(
        static_cast<uint32_t>(std::min(count - skip, most_edges - edges)));
    edges += counts.back();
    skip = 0;
    AppendPackedIds(nodes_.destinations.subspan(nodes[i], 1), asked.row_bytes(),
                    &question.payload);
  }
  AppendLittleEndian(absl::MakeConstSpan(counts), &question.payload);
  asked.set_rows(counts.size());
  asked.mutable_take()->set_skip(share->next_taken);
  asked.mutable_take()->set_want_positions(positions);
  question.partition = share->partition;
  question.message = asked.SerializeAsString();
  question.answer_bytes = edges * InducedEdgeBytes(positions);
  return question;
}

absl::Status RemoteInduce::AcceptEdges(absl::Span<const uint8_t> answer,
                                       InduceShare* share,
                                       InducedEdgeTable* table) const {
  RETURN_IF_ERROR(CheckEdges(answer, *share, *table));
  const InducedEdges out = table->edges();
  const uint64_t edges =
      answer.size() / InducedEdgeBytes(table->has_positions());
  const uint8_t* numbers = answer.data();
  const uint8_t* edge_ids = numbers + edges * sizeof(uint32_t);
  const uint8_t* positions = edge_ids + edges * sizeof(int64_t);
  for (uint64_t done = 0; done < edges;) {
    const uint32_t node = share->nodes[share->next];
    const uint64_t left = table->count(node) - share->next_taken;
    const uint64_t n = std::min(edges - done, left);
    const uint64_t to =
        table->FirstEdge(node, &share->cursor) + share->next_taken;
    if (n > 0) {
      std::memcpy(out.numbers + to, numbers + done * sizeof(uint32_t),
                  n * sizeof(uint32_t));
    }
    if (n > 0 && out.edge_ids != nullptr) {
      std::memcpy(out.edge_ids + to, edge_ids + done * sizeof(int64_t),
                  n * sizeof(int64_t));
    }
    if (n > 0 && out.positions != nullptr) {
      std::memcpy(out.positions + to, positions + done * sizeof(uint64_t),
                  n * sizeof(uint64_t));
    }
    done += n;
    if (n < left) {
      share->next_taken += n;
      break;
    }
    share->next_taken = 0;
    ++share->next;
  }
  return absl::OkStatus();
}

}  // namespace tributary
