// Runs one batch task to its end in virtual time.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_ONE_BATCH_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_ONE_BATCH_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/batch/batch_view.h"
#include "common/io/buffer.h"
#include "common/session/link_columns.h"
#include "common/session/spec_builder.h"
#include "common/testing/sim_scheduler.h"
#include "sampler_server/engine/batch_task.h"
#include "sampler_server/engine/testing/fake_remote.h"
#include "sampler_server/engine/testing/features_in_files.h"
#include "sampler_server/engine/testing/memory_graph.h"

namespace tributary {

// A sink that records its calls.
class RecordingSink final : public BatchSink {
 public:
  absl::Span<uint8_t> AllocateRoom(size_t bytes) override {
    room = AlignedBuffer(bytes);
    std::fill_n(room.data(), bytes, 0xAB);  // what is not written shows
    return room.span();
  }
  void Ready(size_t bytes, LeftOut rows) override {
    ready = bytes, left_out = std::move(rows), ++ends;
  }
  void Needs(size_t bytes) override { needs = bytes, ++ends; }
  void Failed(absl::Status why) override { failed = std::move(why), ++ends; }
  void StageChanged(BatchStage stage) override { stages.push_back(stage); }

  AlignedBuffer room;
  std::optional<size_t> ready, needs;
  LeftOut left_out;  // of the batch, what is not in the room
  absl::Status failed;
  std::vector<BatchStage> stages;
  int ends = 0;
};

// A batch of the epoch's order over `inputs`; options.input_count and
// inputs_sha256 are filled in.
struct BatchCase {
  SpecOptions options;
  // Builds the specification; neighbour sampling where there is none.
  std::function<absl::StatusOr<std::string>(const SpecGraph&,
                                            const SpecOptions&)>
      build_spec;
  std::vector<int64_t> inputs;
  LinkColumns links;                // instead, where there are some
  std::vector<int64_t> input_time;  // per input, with InputTimeMode::kGiven
  uint64_t epoch = 0;
  uint64_t index = 0;
  uint64_t max_bytes = uint64_t{1} << 32;
};

// Ends the test's process when the options are refused.
std::shared_ptr<const SamplingPlan> PlanOf(const GraphSchema& schema,
                                           BatchCase& batch);
BatchRequest RequestOf(const GraphSchema& schema, BatchCase batch);

// A world with one node; `remote` serves what `graph` does not map. Features in
// files come late.
class OneBatchWorld {
 public:
  explicit OneBatchWorld(std::shared_ptr<const Graph> graph,
                         std::shared_ptr<const Graph> remote_graph = nullptr);

  SimScheduler& world() { return world_; }
  SimExecutor* executor() { return executor_; }
  FakeRemote* remote() { return remote_.get(); }
  // In place of LateRows, for a graph whose features are in files.
  void set_rows(RowReader* rows) { rows_ = rows; }
  // Has no hot rows without it.
  void set_hot(const HotCache* hot) { hot_ = hot; }
  absl::Time Deadline() { return executor_->Now() + absl::Seconds(10); }

  // Starts a task; the sink fills as the world runs.
  std::shared_ptr<RecordingSink> Start(BatchRequest request);
  // Starts it and runs the world dry.
  std::shared_ptr<RecordingSink> Run(const BatchCase& batch);

 private:
  SimScheduler world_{1};
  SimExecutor* executor_;
  std::shared_ptr<const Graph> graph_;
  std::unique_ptr<FakeRemote> remote_;
  LateRows late_rows_;
  RowReader* rows_ = &late_rows_;
  const HotCache* hot_ = nullptr;
};

// The batch's digest; an error's text when it has none.
std::string DigestOf(const RecordingSink& sink);
// A tensor's elements, widened; empty when there is none.
std::vector<int64_t> Ints(const RecordingSink& sink, std::string_view name);
std::vector<float> Floats(const RecordingSink& sink, std::string_view name);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_ONE_BATCH_H_
