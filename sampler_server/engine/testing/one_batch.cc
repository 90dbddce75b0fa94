#include "sampler_server/engine/testing/one_batch.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "common/random/hop_key.h"
#include "common/random/permutation.h"
#include "common/session/kinds/neighbor_spec.h"
#include "common/session/link_lists.h"
#include "partition/schema/spec_graph.h"
#include "sampler_server/kinds/registry.h"

namespace tributary {
namespace {

template <typename T>
T OrDie(absl::StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::fprintf(stderr, "%s\n", value.status().ToString().c_str());
  std::abort();
}

LinkLists ListsOf(const SamplingPlan& plan) {
  std::vector<uint64_t> counts;
  for (const PlannedLinkList& list : plan.link_lists) {
    counts.push_back(list.count);
  }
  return LinkLists(counts);
}

}  // namespace

std::shared_ptr<const SamplingPlan> PlanOf(const GraphSchema& schema,
                                           BatchCase& batch) {
  if (batch.links.empty()) {
    batch.options.input_count = batch.inputs.size();
    batch.options.inputs_sha256 = InputsSha256(batch.inputs, batch.input_time);
  } else {
    batch.options.input_count = batch.links.size();
    batch.options.inputs_sha256 = LinksSha256(batch.links, batch.input_time);
  }
  const auto build = batch.build_spec ? batch.build_spec : BuildNeighborSpec;
  const std::string spec = OrDie(build(SpecGraphOf(schema), batch.options));
  return std::make_shared<SamplingPlan>(OrDie(MakePlan(schema, spec)));
}

BatchRequest RequestOf(const GraphSchema& schema, BatchCase batch) {
  BatchRequest request;
  request.plan = PlanOf(schema, batch);
  request.key = {request.plan->session, batch.epoch, batch.index};
  const bool links = !batch.links.empty();
  const uint64_t n = links ? batch.links.size() : batch.inputs.size();
  const uint64_t b = batch.options.batch_size;
  const Permutation order =
      batch.options.shuffle == ShuffleMode::kNone
          ? Permutation::Identity(n)
          : Permutation::Keyed(
                n, MakeOrderKey(batch.options.random_seed, batch.epoch));
  std::vector<uint64_t> numbers;
  for (uint64_t i = batch.index * b; i < std::min(n, (batch.index + 1) * b);
       ++i) {
    numbers.push_back(order[i]);
  }
  ListsOf(*request.plan).Group(&numbers);
  for (const uint64_t number : numbers) {
    request.input_number.push_back(static_cast<int64_t>(number));
    if (!links) request.original_id.push_back(batch.inputs[number]);
    if (!batch.input_time.empty()) {
      request.input_time.push_back(batch.input_time[number]);
    }
  }
  if (links) request.links = batch.links.Take(numbers);
  request.max_bytes = batch.max_bytes;
  return request;
}

OneBatchWorld::OneBatchWorld(std::shared_ptr<const Graph> graph,
                             std::shared_ptr<const Graph> remote_graph)
    : executor_(world_.AddNode("server")), graph_(std::move(graph)) {
  if (remote_graph != nullptr) {
    remote_ = std::make_unique<FakeRemote>(std::move(remote_graph));
  }
}

std::shared_ptr<RecordingSink> OneBatchWorld::Start(BatchRequest request) {
  if (request.deadline == absl::Time()) request.deadline = Deadline();
  auto sink = std::make_shared<RecordingSink>();
  StartBatchTask({.graph = graph_.get(),
                  .remote = remote_.get(),
                  .executor = executor_,
                  .rows = graph_->reads_features() ? rows_ : nullptr,
                  .hot = hot_},
                 std::move(request), sink);
  return sink;
}

std::shared_ptr<RecordingSink> OneBatchWorld::Run(const BatchCase& batch) {
  auto sink = Start(RequestOf(graph_->schema(), batch));
  (void)world_.Drain(1'000'000);
  return sink;
}

std::string DigestOf(const RecordingSink& sink) {
  if (!sink.failed.ok()) return sink.failed.ToString();
  if (sink.needs.has_value()) return "needs " + std::to_string(*sink.needs);
  if (!sink.ready.has_value()) return "no end";
  return ToHex(OrDie(BatchView::Parse(sink.room.span())).Digest());
}

std::vector<int64_t> Ints(const RecordingSink& sink, std::string_view name) {
  const BatchView view = OrDie(BatchView::Parse(sink.room.span()));
  const TensorView* tensor = view.Find(name);
  if (tensor == nullptr) return {};
  if (tensor->dtype == DType::kInt32) {
    const auto values = tensor->As<int32_t>();
    return {values.begin(), values.end()};
  }
  const auto values = tensor->As<int64_t>();
  return {values.begin(), values.end()};
}

std::vector<float> Floats(const RecordingSink& sink, std::string_view name) {
  const BatchView view = OrDie(BatchView::Parse(sink.room.span()));
  const TensorView* tensor = view.Find(name);
  if (tensor == nullptr) return {};
  const auto values = tensor->As<float>();
  return {values.begin(), values.end()};
}

}  // namespace tributary
