#include "trainer_client/core/kinds/neighbor_client_kind.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/proto/session.pb.h"
#include "common/session/kinds/neighbor_spec.h"
#include "common/text/status.h"
#include "trainer_client/core/kinds/neighbor_hops.h"
#include "trainer_client/core/kinds/node_inputs_kind.h"
#include "trainer_client/core/kinds/option_error.h"

namespace tributary {
namespace {

const NeighborOptions& Of(const SessionOptions& options) {
  return std::get<NeighborOptions>(options.kind);
}

bool TimesGiven(const SessionOptions& options) {
  return !Of(options).input_time.empty();
}

// Returns one time for each input, or none where they are not given.
absl::StatusOr<std::vector<int64_t>> SpreadTimes(const NeighborOptions& options,
                                                 size_t num_inputs) {
  const std::vector<int64_t>& times = options.input_time;
  const bool given =
      InputTimesOf(options, !times.empty()) == InputTimeMode::kGiven;
  if (!given || times.size() == num_inputs) return times;
  if (times.size() == 1) return std::vector<int64_t>(num_inputs, times[0]);
  return BadLoaderOption(
      "input_time", absl::StrCat(times.size(), " times"),
      absl::StrCat(num_inputs, ", one for each input, or 1 for all"));
}

class Kind final : public NodeInputsKind {
 public:
  absl::Status CheckOptions(const SessionOptions& options) const override {
    RETURN_IF_ERROR(NodeInputsKind::CheckOptions(options));
    return CheckHopOptions(Of(options), TimesGiven(options));
  }
  absl::Status CheckNames(const SessionOptions& options) const override {
    return CheckHopNames(Of(options));
  }
  absl::StatusOr<SessionInputs> MakeInputs(
      const SessionOptions& options, const GraphSchema& schema,
      std::vector<std::vector<int64_t>> splits) const override {
    ASSIGN_OR_RETURN(
        SessionInputs inputs,
        NodeInputsKind::MakeInputs(options, schema, std::move(splits)));
    ASSIGN_OR_RETURN(inputs.times, SpreadTimes(Of(options), inputs.size()));
    return inputs;
  }
  absl::StatusOr<std::string> BuildSpec(const SessionOptions& options,
                                        const SpecGraph& graph,
                                        SpecOptions spec) const override {
    FillHopOptions(Of(options), TimesGiven(options), &spec);
    return BuildNeighborSpec(graph, spec);
  }
  absl::Status CheckOnGraph(const GraphSchema& schema,
                            const v1::SessionSpec& spec,
                            const SessionInputs& inputs) const override {
    RETURN_IF_ERROR(CheckHopsOnGraph(schema, spec));
    return NodeInputsKind::CheckOnGraph(schema, spec, inputs);
  }
  void AddSampledTypes(const v1::SessionSpec& spec,
                       SampledTypes* types) const override {
    NodeInputsKind::AddSampledTypes(spec, types);
    AddHopTypes(spec, types);
  }
  uint64_t BatchBytesBound(const GraphSchema& schema,
                           const v1::SessionSpec& spec) const override {
    BatchBoundInputs bound = HopBoundInputs(schema, spec);
    bound.input_type = schema.FindNodeType(spec.inputs().node_type());
    return tributary::BatchBytesBound(bound);
  }
};

}  // namespace

const ClientKind& NeighborClientKind() {
  static const Kind kind;
  return kind;
}

}  // namespace tributary
