// The last step of a batch: collects rows of columns of nodes and edges.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_GATHER_STEP_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_GATHER_STEP_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "sampler_server/engine/batch/batch_writer.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/engine/gather/gather.h"

namespace tributary {

// Asks other servers for their rows, but for those that the cache of hot rows
// has; starts reads of rows that are in files, copies rows that are in memory,
// and scatters replies into the room as they arrive, of which a few of each
// partition are under way at once. Errors: DATA_LOSS (values that are not
// possible), those of RemotePartitions and RowReader. All methods on the task's
// strand.
class GatherStep : public std::enable_shared_from_this<GatherStep> {
 public:
  using Done = absl::AnyInvocable<void(absl::Status)>;

  // `writer` and `room` outlive the step.
  GatherStep(StepContext context, const BatchWriter* writer,
             absl::Span<uint8_t> room)
      : context_(std::move(context)), writer_(writer), room_(room) {}

  // `owner` keeps the room alive: reads of files may write into it after the
  // step has ended. `done` runs once, unless the task ends first; perhaps
  // inside the call.
  void Start(const std::shared_ptr<const void>& owner, Done done);

 private:
  // A column of a batch's type, or one partition's part of it.
  struct Column {
    absl::Span<uint8_t> out;
    RowForm form;
    absl::Span<uint8_t> scales;
    bool wanted() const { return form.stored_bytes != 0; }
  };
  // Rows of one partition and their places in the batch.
  struct Job {
    RemoteGather::Table table = RemoteGather::Table::kNodes;
    int type = 0;  // of the schema
    uint32_t partition = 0;
    std::vector<uint64_t> rows;
    size_t num_rows = 0;
    std::vector<uint32_t> to;    // place of each row; empty: 0, 1, 2, ...
    Column orig_id, x, y, time;  // of nodes
    Column edge_attr, weight;    // of edges

    // Of a row in the reply of another server.
    uint64_t row_bytes() const {
      return orig_id.form.row_bytes + x.form.all_bytes() + y.form.row_bytes +
             time.form.row_bytes + edge_attr.form.all_bytes() +
             weight.form.row_bytes;
    }
  };

  void AddNodeJobs(size_t index);
  void AddEdgeJobs(size_t index);
  bool IsHere(const Job& job) const;
  // Moves the rows that the cache of hot rows has out of a job of another
  // server; the result is a job of rows of the cache, which may have none.
  Job TakeHot(Job& job) const;
  absl::Status GatherHot(const Job& job) const;
  absl::Status GatherHere(std::shared_ptr<const Job> job,
                          const std::shared_ptr<const void>& owner);
  Column FeatureColumn(absl::Span<uint8_t> out, absl::Span<uint8_t> scales,
                       const ColumnSchema& stored) const;
  absl::Status GatherColumn(const Job& job, const Column& column,
                            absl::Span<const uint8_t> bytes,
                            const char* name) const;
  absl::Status ReadColumn(std::shared_ptr<const Job> job, const Column& column,
                          const RowFile& file, const char* name,
                          const std::shared_ptr<const void>& owner);
  // Rows of a job that other servers are asked for, some at a time.
  struct There {
    Job job;
    size_t next = 0;  // the first row that nobody has been asked for
    int open = 0;     // requests
  };
  void GatherThere(Job job);
  void AskMore(const std::shared_ptr<There>& there);
  // Puts rows [from, from + num_rows) of the job to their places.
  absl::Status Scatter(const Job& job, size_t from, size_t num_rows,
                       const GatheredRows& rows) const;
  // Rows that the trainer holds have their original ids from the hot list.
  void PutLeftOutIds() const;
  absl::Status CheckOriginalIds() const;
  void FinishWhenAllIsThere();
  void Finish(absl::Status status);

  StepContext context_;
  const BatchWriter* const writer_;
  const absl::Span<uint8_t> room_;
  Done done_;
  std::vector<Job> jobs_;
  int in_flight_ = 0;  // requests to peers
  int reading_ = 0;    // columns that are read from files
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_GATHER_STEP_H_
