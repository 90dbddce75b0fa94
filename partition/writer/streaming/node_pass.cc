#include "partition/writer/streaming/node_pass.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/time/time.h"
#include "common/runtime/fault_point.h"
#include "common/runtime/mutex.h"
#include "common/runtime/parallel_for.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// The state is written when this much time has passed, and 20 times what it
// took the last time.
constexpr absl::Duration kStateInterval = absl::Seconds(2);
constexpr int kStateShare = 20;

// Appends ranges in their order.
class Appender {
 public:
  Appender(const NodePassSpec& spec, std::unique_ptr<OutputFiles> files,
           PassState state)
      : spec_(spec),
        files_(std::move(files)),
        state_(std::move(state)),
        next_(state_.next_range),
        next_state_(spec.clock.Now() + kStateInterval) {
    digest_.Add(state_.digest);
  }

  // Waits for the range's turn and appends its output. Returns without it after
  // another range has failed.
  absl::Status Append(size_t range, RangeOutput output) {
    MutexLock lock(mutex_);
    while (next_ != range && !failed_) turn_.Wait(mutex_);
    if (failed_) return absl::OkStatus();
    const absl::Status status = AppendInTurn(std::move(output));
    if (!status.ok()) failed_ = true;
    ++next_;
    turn_.NotifyAll();
    return status;
  }

  void Fail() {
    MutexLock lock(mutex_);
    failed_ = true;
    turn_.NotifyAll();
  }

  absl::StatusOr<PassState> Finish() {
    MutexLock lock(mutex_);
    RETURN_IF_ERROR(files_->CheckComplete());
    RETURN_IF_ERROR(WriteState());
    return state_;
  }

 private:
  absl::Status AppendInTurn(RangeOutput output)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    RETURN_IF_ERROR(FaultPoint("streaming.append"));
    const size_t partitions = spec_.input.schema.num_partitions;
    const auto& edges = spec_.input.arrays.edges;
    for (size_t e = 0; e < edges.size(); ++e) {
      for (uint32_t p = 0; p < partitions; ++p) {
        ToSums(output.pieces[edges[e].indptr.of(p)],
               state_.edges[e * partitions + p]);
      }
    }
    for (size_t a = 0; a < output.pieces.size(); ++a) {
      if (output.pieces[a].empty()) continue;
      RETURN_IF_ERROR(files_->Append(a, output.pieces[a]));
    }
    digest_.Add(output.digest.value());
    const absl::Time now = spec_.clock.Now();
    if (now < next_state_) return absl::OkStatus();
    ++next_;  // this range belongs to the state
    const absl::Status status = WriteState();
    --next_;
    const absl::Time end = spec_.clock.Now();
    next_state_ = end + std::max(kStateInterval, kStateShare * (end - now));
    return status;
  }

  // Replaces degrees by the numbers of edges up to and including each row.
  static void ToSums(std::vector<uint8_t>& degrees, uint64_t& sum) {
    for (size_t at = 0; at < degrees.size(); at += sizeof(uint64_t)) {
      uint64_t degree = 0;
      std::memcpy(&degree, degrees.data() + at, sizeof(degree));
      sum += degree;
      std::memcpy(degrees.data() + at, &sum, sizeof(sum));
    }
  }

  absl::Status WriteState() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    ASSIGN_OR_RETURN(state_.outputs, files_->Flush());
    state_.next_range = next_;
    state_.digest = digest_.value();
    state_.found = spec_.splits.found();
    return WritePassState(spec_.state_path, state_);
  }

  const NodePassSpec& spec_;
  Mutex mutex_;
  CondVar turn_;
  const std::unique_ptr<OutputFiles> files_;
  PassState state_ ABSL_GUARDED_BY(mutex_);
  DigestSum digest_ ABSL_GUARDED_BY(mutex_);
  size_t next_ ABSL_GUARDED_BY(mutex_);
  bool failed_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Time next_state_ ABSL_GUARDED_BY(mutex_);
};

absl::StatusOr<RangeOutput> MakeRange(const NodePassSpec& spec, size_t range) {
  const int64_t begin = spec.ranges.begins[range];
  const int64_t end = spec.ranges.begins[range + 1];
  std::vector<SortedEdges> edges;
  edges.reserve(spec.spills.size());
  for (size_t e = 0; e < spec.spills.size(); ++e) {
    const int type = spec.input.arrays.edges[e].edge_type;
    ASSIGN_OR_RETURN(
        SortedEdges sorted,
        SortedEdges::Read(*spec.spills[e], range, end - begin,
                          spec.input.forms[type],
                          spec.input.source.edge_types[type].dedupe));
    spec.splits.Find(type, begin, end, sorted);
    edges.push_back(std::move(sorted));
  }
  return MakeRangeOutput(spec.input, begin, end, edges);
}

}  // namespace

absl::StatusOr<PassState> RunNodePass(const NodePassSpec& spec) {
  const TypeArrays& arrays = spec.input.arrays;
  const size_t partitions = spec.input.schema.num_partitions;
  ASSIGN_OR_RETURN(PassState state, ReadPassState(spec.state_path));
  const bool begins = state.outputs.empty();
  if (begins) {
    state.edges.assign(arrays.edges.size() * partitions, 0);
  } else if (state.outputs.size() != arrays.arrays.size() ||
             state.edges.size() != arrays.edges.size() * partitions ||
             state.next_range > spec.ranges.size()) {
    return absl::DataLossError(spec.state_path +
                               " is of another run; remove the work folder");
  } else {
    RETURN_IF_ERROR(spec.splits.Restore(state.found));
  }
  ASSIGN_OR_RETURN(auto files,
                   OutputFiles::Open(spec.folder, arrays.arrays, state.outputs,
                                     spec.buffer_bytes));
  if (begins) {
    const std::vector<uint8_t> zero(sizeof(uint64_t));
    for (const EdgeArrays& edges : arrays.edges) {
      for (uint32_t p = 0; p < partitions; ++p) {
        RETURN_IF_ERROR(files->Append(edges.indptr.of(p), zero));
      }
    }
  }
  const size_t first = state.next_range;
  if (first > 0) spec.nodes_done(spec.ranges.begins[first]);
  Appender appender(spec, std::move(files), std::move(state));
  // Ranges are begun in order, so the one whose turn it is always runs.
  RETURN_IF_ERROR(ParallelFor(
      spec.ranges.size() - first, 1, spec.threads, [&](size_t i, size_t) {
        auto output = MakeRange(spec, first + i);
        absl::Status status = output.status();
        if (status.ok()) {
          status = appender.Append(first + i, *std::move(output));
        }
        if (!status.ok()) appender.Fail();
        spec.nodes_done(spec.ranges.begins[first + i + 1] -
                        spec.ranges.begins[first + i]);
        return status;
      }));
  return appender.Finish();
}

}  // namespace tributary
