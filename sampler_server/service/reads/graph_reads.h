// Answers reads of the stored graph: where nodes and edges are, rows of
// columns, ends of edges, degrees.
//
// Each begins a read, whose steps then fill the reply. A reply is a pure
// function of the graph and the request, and all input is validated. None of
// them blocks, reads a file or makes a call: features in files are listed in
// LeafReply::unread. Errors: see graph_reads.proto; RESOURCE_EXHAUSTED when
// `budget` is full at the moment. The caller has found `graph`, which outlives
// the read, by the request's layout digest.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_READS_GRAPH_READS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_READS_GRAPH_READS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/proto/graph_reads.pb.h"
#include "common/runtime/shared_budget.h"
#include "common/runtime/work_slice.h"
#include "partition/format/graph.h"
#include "partition/format/hot_list.h"
#include "sampler_server/service/leaf/leaf_calls.h"

namespace tributary {

// The most ids, rows or edges of one request.
inline constexpr uint64_t kMaxGraphReadItems = 65'536;

// A read that has begun. Move-only; for one thread at a time.
class ItemRead {
 public:
  // Reads items `from` to `to` of the request, in their order, and returns how
  // many it has read: fewer if it has used up the slice, which it charges for
  // what is not in the work of an item.
  using ReadItems = absl::AnyInvocable<absl::StatusOr<size_t>(
      size_t from, size_t to, WorkSlice& slice)>;

  // `work` is that of an item (WorkSlice).
  ItemRead(LeafReply reply, size_t num_items, uint64_t work, ReadItems read)
      : reply_(std::move(reply)),
        num_items_(num_items),
        work_(work),
        read_(std::move(read)) {}
  // Reads the rows of a gather.
  ItemRead(BegunGather gather, uint64_t work)
      : num_items_(gather.num_rows()),
        work_(work),
        gather_(std::move(gather)) {}

  // Reads until the slice is used up. Returns whether the reply is complete.
  absl::StatusOr<bool> Step(WorkSlice& slice);
  LeafReply TakeReply() {
    return gather_.has_value() ? gather_->Finish() : std::move(reply_);
  }

 private:
  LeafReply reply_;
  size_t num_items_;
  uint64_t work_;
  ReadItems read_;
  std::optional<BegunGather> gather_;  // instead of `reply_` and `read_`
  size_t next_ = 0;
};

absl::StatusOr<ItemRead> BeginLocateNodes(const Graph& graph,
                                          const v1::LocateNodesRequest& request,
                                          absl::Span<const uint8_t> payload,
                                          const LeafLimits& limits,
                                          BudgetShare& budget);

absl::StatusOr<ItemRead> BeginLocateEdges(const Graph& graph,
                                          const v1::LocateEdgesRequest& request,
                                          absl::Span<const uint8_t> payload,
                                          const LeafLimits& limits,
                                          BudgetShare& budget);

absl::StatusOr<ItemRead> BeginReadColumn(const Graph& graph,
                                         const v1::ReadColumnRequest& request,
                                         absl::Span<const uint8_t> payload,
                                         const LeafLimits& limits,
                                         BudgetShare& budget);

absl::StatusOr<ItemRead> BeginFindEdges(const Graph& graph,
                                        const v1::FindEdgesRequest& request,
                                        absl::Span<const uint8_t> payload,
                                        const LeafLimits& limits,
                                        BudgetShare& budget);

absl::StatusOr<ItemRead> BeginNodeDegrees(const Graph& graph,
                                          const v1::NodeDegreesRequest& request,
                                          absl::Span<const uint8_t> payload,
                                          const LeafLimits& limits,
                                          BudgetShare& budget);

absl::StatusOr<ItemRead> BeginReadHotList(const HotLists& lists,
                                          const v1::ReadHotListRequest& request,
                                          absl::Span<const uint8_t> payload,
                                          const LeafLimits& limits,
                                          BudgetShare& budget);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_READS_GRAPH_READS_H_
