#include "partition/writer/edge_jobs.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/types/span.h"
#include "partition/format/paths.h"
#include "partition/writer/edge_columns.h"
#include "partition/writer/row_order.h"

namespace tributary {
namespace {

// Plans the arrays of one edge type in one partition.
class EdgeJobs {
 public:
  EdgeJobs(const EdgeJobInput& input, uint32_t partition,
           std::vector<ArrayJob>& jobs)
      : input_(input),
        edges_(input.content),
        partition_(partition),
        nodes_(input.dst_placement.original_ids(partition)),
        count_(input.schema.partition_edges[partition]),
        jobs_(jobs) {}

  void AddAll() {
    AddIndptr();
    AddIndices();
    AddEdgeIds();
    if (input_.schema.neighbor_ids) AddNeighborIds();
    if (edges_.edge_attr != nullptr) AddRows("edge_attr", *edges_.edge_attr);
    if (edges_.weight != nullptr) AddWeights();
    if (edges_.time != nullptr) {
      AddTimeOrder("edge_time",
                   [&edges = edges_](uint64_t begin, uint64_t end, Times& out) {
                     ReadTimes(edges, begin, end, out);
                   });
    }
    for (const auto& [name, rows] : edges_.masks) {
      AddRows(MaskArray(name), *rows);
    }
    if (input_.src.time != nullptr) {
      AddTimeOrder("neighbor_time",
                   [&edges = edges_, time = input_.src.time](
                       uint64_t begin, uint64_t end, Times& out) {
                     ReadNeighborTimes(edges, *time, begin, end, out);
                   });
    }
  }

 private:
  using Times = std::vector<int64_t>;
  using ReadRow = std::function<void(uint64_t begin, uint64_t end, Times&)>;

  void Add(const std::string& array, NpyType type, std::vector<int64_t> shape,
           std::function<void(ArrayWriter&)> fill) {
    jobs_.push_back({EdgeArrayPath(partition_, input_.schema, array), type,
                     std::move(shape), std::move(fill)});
  }

  // Calls f(begin, end) with the positions of each row in turn.
  template <typename F>
  static void ForEachRow(const EdgeContent& edges,
                         absl::Span<const int64_t> nodes, F f) {
    const auto indptr = edges.in_edges.indptr();
    for (int64_t v : nodes) f(indptr[v], indptr[v + 1]);
  }

  // Adds an array of value(position) for each edge in turn.
  template <typename Value>
  void AddIds(const std::string& array, NpyType type, Value value) {
    Add(array, type, {count_},
        [&edges = edges_, nodes = nodes_, type, value](ArrayWriter& out) {
          ForEachRow(edges, nodes, [&](uint64_t begin, uint64_t end) {
            for (uint64_t i = begin; i < end; ++i) PushId(out, type, value(i));
          });
        });
  }

  void AddIndptr() {
    Add("indptr", kNpyUint64, {static_cast<int64_t>(nodes_.size()) + 1},
        [&edges = edges_.in_edges, nodes = nodes_](ArrayWriter& out) {
          uint64_t end = 0;
          out.Push(end);
          for (int64_t v : nodes) out.Push(end += edges.degree(v));
        });
  }

  void AddIndices() {
    AddIds("indices", IdType(static_cast<uint64_t>(input_.src.num_nodes)),
           [&edges = edges_, &sources = input_.src_placement](uint64_t i) {
             return sources.internal(edges.in_edges.edge(i).neighbor);
           });
  }

  void AddNeighborIds() {
    AddIds("neighbor_id", IdType(static_cast<uint64_t>(input_.src.num_nodes)),
           [&edges = edges_](uint64_t i) {
             return edges.in_edges.edge(i).neighbor;
           });
  }

  void AddEdgeIds() {
    AddIds("edge_id",
           IdType(static_cast<uint64_t>(edges_.in_edges.max_edge_id() + 1)),
           [&edges = edges_](uint64_t i) {
             return edges.in_edges.edge(i).edge_id;
           });
  }

  // Adds an array of the user's rows, in the order of the edges.
  void AddRows(const std::string& array, const RowSource& rows) {
    const ColumnSchema& schema = rows.schema();
    Add(array, schema.array_type(), schema.array_shape(count_),
        [&edges = edges_, nodes = nodes_, &rows](ArrayWriter& out) {
          const size_t bytes = rows.schema().row_bytes();
          ForEachRow(edges, nodes, [&](uint64_t begin, uint64_t end) {
            for (uint64_t i = begin; i < end; ++i) {
              const int64_t row = edges.AttrRow(i);
              rows.CopyRows({&row, 1}, out.Extend(bytes));
            }
          });
        });
  }

  void AddWeights() {
    AddRows("weight", *edges_.weight);
    Add("weight_sum", kNpyUint64, {count_},
        [&edges = edges_, nodes = nodes_](ArrayWriter& out) {
          std::vector<double> weights;
          std::vector<uint64_t> sums;
          ForEachRow(edges, nodes, [&](uint64_t begin, uint64_t end) {
            ReadWeights(edges, begin, end, weights);
            sums.resize(weights.size());
            SumWeights(weights, absl::MakeSpan(sums));
            for (uint64_t sum : sums) out.Push(sum);
          });
        });
  }

  // Calls f(edge) for each row's edges, in order of time.
  template <typename F>
  static void ForEachByTime(const EdgeContent& edges,
                            absl::Span<const int64_t> nodes,
                            const ReadRow& read, F f) {
    Times times;
    std::vector<TimedPosition> order;
    ForEachRow(edges, nodes, [&](uint64_t begin, uint64_t end) {
      read(begin, end, times);
      OrderByTime(times, order);
      for (const TimedPosition& edge : order) f(edge);
    });
  }

  // Adds two arrays; each job sorts the rows for itself.
  void AddTimeOrder(const std::string& array, const ReadRow& read) {
    Add(array, kNpyInt64, {count_},
        [&edges = edges_, nodes = nodes_, read](ArrayWriter& out) {
          ForEachByTime(edges, nodes, read, [&](const TimedPosition& edge) {
            out.Push(edge.time);
          });
        });
    const NpyType type = IdType(static_cast<uint64_t>(count_));
    Add(array + "_position", type, {count_},
        [&edges = edges_, nodes = nodes_, read, type](ArrayWriter& out) {
          ForEachByTime(edges, nodes, read, [&](const TimedPosition& edge) {
            PushId(out, type, static_cast<int64_t>(edge.position));
          });
        });
  }

  const EdgeJobInput& input_;
  const EdgeContent& edges_;
  const uint32_t partition_;
  const absl::Span<const int64_t> nodes_;
  const int64_t count_;
  std::vector<ArrayJob>& jobs_;
};

}  // namespace

void AddEdgeJobs(const EdgeJobInput& input, uint32_t partition,
                 std::vector<ArrayJob>& jobs) {
  EdgeJobs(input, partition, jobs).AddAll();
}

}  // namespace tributary
