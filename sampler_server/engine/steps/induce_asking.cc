// What an InduceStep asks of other servers, and what it makes of their answers.
#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/proto/questions.pb.h"
#include "sampler_server/engine/questions/induce_question.h"
#include "sampler_server/engine/steps/induce_step.h"

namespace tributary {
namespace {

// Of a question and of an answer.
constexpr size_t kMostBytes = (size_t{4} << 20) - 64;
// In-edges that are looked at there before others have their turn.
constexpr uint64_t kScannedPerQuestion = uint64_t{1} << 24;

template <typename... Parts>
absl::Status BadAnswer(uint32_t partition, const Parts&... parts) {
  return absl::DataLossError(absl::StrCat("answer of partition ", partition,
                                          " on induced edges: ", parts...));
}

}  // namespace

void InduceStep::AskNext(size_t g) {
  Group& group = groups_[g];
  if (context_.remote == nullptr) {
    return Finish(absl::FailedPreconditionError(
        absl::StrCat("partition ", group.partition,
                     " is not on this server, which has no peers")));
  }
  uint64_t edges = 0;
  KindQuestion question = taking_ ? MakeTake(group, &edges) : MakeCount(group);
  if (taking_ && edges == 0) return EndPassWhenAllIsThere();
  // Neighbour sampling answers, whichever kind it is part of.
  question.kind = v1::SessionSpec::kNeighborFieldNumber;
  question.partition = group.partition;
  context_.remote->Ask(
      std::move(question), context_.LimitsFor(0), context_.strand,
      [self = shared_from_this(), g, edges](absl::StatusOr<AlignedBuffer> a) {
        if (self->done_ == nullptr || !self->context_.control->Live()) return;
        if (!a.ok()) return self->Finish(a.status());
        Group& group = self->groups_[g];
        const absl::Status status = self->taking_
                                        ? self->AcceptEdges(group, edges, *a)
                                        : self->AcceptCounts(group, *a);
        if (!status.ok()) return self->Finish(status);
        if (group.next < group.nodes.size()) return self->AskNext(g);
        self->EndPassWhenAllIsThere();
      });
}

// About no rows yet.
KindQuestion InduceStep::MakeQuestion(v1::InduceQuestion* asked) const {
  const uint64_t trees = std::max<uint32_t>(1, context_.state->trees);
  const auto sources = IdsOf(type().src_type);
  asked->set_edge_type(static_cast<uint32_t>(type().edge_type));
  asked->set_sources(sources.size());
  asked->set_source_bytes(BytesPerId(NumNodes(type().src_type) * trees));
  asked->set_row_bytes(BytesPerId(NumNodes(type().dst_type) * trees));
  KindQuestion question;
  AppendIds(sources, asked->source_bytes(), &question.payload);
  return question;
}

KindQuestion InduceStep::MakeCount(const Group& group) const {
  v1::InduceQuestion asked;
  KindQuestion question = MakeQuestion(&asked);
  const size_t most =
      (kMostBytes - question.payload.size()) / asked.row_bytes();
  const size_t n = std::min(
      {group.nodes.size() - group.next, most, kMostBytes / sizeof(uint32_t)});
  const auto ids = IdsOf(type().dst_type);
  for (size_t i = 0; i < n; ++i) {
    AppendIds(ids.subspan(group.nodes[group.next + i], 1), asked.row_bytes(),
              &question.payload);
  }
  asked.set_rows(n);
  asked.mutable_count()->set_pause(kScannedPerQuestion);
  asked.mutable_count()->set_most(context_.plan->subgraph.max_scanned_edges -
                                  scanned_);
  question.question = asked.SerializeAsString();
  question.answer_bytes = sizeof(CountAnswer) + n * sizeof(uint32_t);
  return question;
}

// Of rows that one answer counted, as many edges as fit an answer.
KindQuestion InduceStep::MakeTake(Group& group, uint64_t* edges) const {
  const size_t size = group.nodes.size();
  while (group.next < size && counts_[group.nodes[group.next]] == 0) {
    ++group.next;
  }
  if (group.next == size) return {};
  v1::InduceQuestion asked;
  KindQuestion question = MakeQuestion(&asked);
  const bool positions = !hop_.positions.empty();
  const uint64_t most_edges = kMostBytes / InducedEdgeBytes(positions);
  const size_t most_rows = (kMostBytes - question.payload.size()) /
                           (asked.row_bytes() + sizeof(uint32_t));
  const size_t end =
      *std::upper_bound(group.pauses.begin(), group.pauses.end(), group.next);
  const auto ids = IdsOf(type().dst_type);
  std::vector<uint32_t> counts;
  uint64_t skip = group.skip;
  for (size_t i = group.next;
       i < end && counts.size() < most_rows && *edges < most_edges; ++i) {
    const uint32_t node = group.nodes[i];
    if (counts_[node] == 0) continue;
    counts.push_back(static_cast<uint32_t>(
        std::min(counts_[node] - skip, most_edges - *edges)));
    *edges += counts.back();
    skip = 0;
    AppendIds(ids.subspan(node, 1), asked.row_bytes(), &question.payload);
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(counts.data());
  question.payload.insert(question.payload.end(), bytes,
                          bytes + counts.size() * sizeof(uint32_t));
  asked.set_rows(counts.size());
  asked.mutable_take()->set_skip(group.skip);
  asked.mutable_take()->set_want_positions(positions);
  question.question = asked.SerializeAsString();
  question.answer_bytes = *edges * InducedEdgeBytes(positions);
  return question;
}

absl::Status InduceStep::AcceptCounts(Group& group,
                                      const AlignedBuffer& answer) {
  CountAnswer all;
  const size_t asked = (answer.size() - sizeof(all)) / sizeof(uint32_t);
  std::memcpy(&all, answer.data(), sizeof(all));
  const uint64_t most = context_.plan->subgraph.max_scanned_edges - scanned_;
  if (all.rows > asked || (all.rows == 0 && all.scanned <= most)) {
    return BadAnswer(group.partition, all.rows, " rows of ", asked);
  }
  uint64_t edges = 0;
  for (size_t i = 0; i < all.rows; ++i) {
    uint32_t& count = counts_[group.nodes[group.next + i]];
    std::memcpy(&count, answer.data() + sizeof(all) + i * sizeof(uint32_t),
                sizeof(uint32_t));
    edges += count;
  }
  if (edges > all.scanned) {
    return BadAnswer(group.partition, edges, " edges, ", all.scanned,
                     " looked at");
  }
  group.next += all.rows;
  group.pauses.push_back(group.next);
  return AddScanned(all.scanned);
}

absl::Status InduceStep::AcceptEdges(Group& group, uint64_t edges,
                                     const AlignedBuffer& answer) {
  const uint8_t* numbers = answer.data();
  const uint8_t* edge_ids = numbers + edges * sizeof(uint32_t);
  const uint8_t* positions = edge_ids + edges * sizeof(int64_t);
  const size_t num_sources = IdsOf(type().src_type).size();
  for (uint64_t done = 0; done < edges;) {
    const uint32_t node = group.nodes[group.next];
    const uint64_t n = std::min(edges - done, counts_[node] - group.skip);
    SeekTo(group, node);
    const uint64_t to = group.at_edge + group.skip;
    if (n > 0) {
      std::memcpy(&hop_.src[to], numbers + done * sizeof(uint32_t),
                  n * sizeof(uint32_t));
      std::memcpy(&hop_.edge_ids[to], edge_ids + done * sizeof(int64_t),
                  n * sizeof(int64_t));
    }
    for (uint64_t i = to; i < to + n; ++i) {
      if (hop_.src[i] < num_sources) continue;
      return BadAnswer(group.partition, "node ", hop_.src[i], " of ",
                       num_sources);
    }
    if (n > 0 && !hop_.positions.empty()) {
      std::memcpy(&hop_.positions[to], positions + done * sizeof(uint64_t),
                  n * sizeof(uint64_t));
    }
    done += n;
    group.skip += n;
    if (group.skip < counts_[node]) break;
    group.skip = 0;
    ++group.next;
  }
  return absl::OkStatus();
}

}  // namespace tributary
