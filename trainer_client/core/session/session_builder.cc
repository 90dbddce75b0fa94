#include "trainer_client/core/session/session_builder.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/proto/session.pb.h"
#include "common/session/limits.h"
#include "common/session/saturating.h"
#include "common/session/spec_builder.h"
#include "common/text/status.h"
#include "partition/schema/spec_graph.h"
#include "trainer_client/core/kinds/collected_features.h"
#include "trainer_client/core/kinds/input_list.h"
#include "trainer_client/core/kinds/link_on_graph.h"
#include "trainer_client/core/kinds/option_error.h"
#include "trainer_client/core/kinds/registry.h"

namespace tributary {
namespace {

// Returns what the specifications of all kinds have in common.
SpecOptions CommonSpecOptions(const SessionOptions& options,
                              const SessionInputs& inputs) {
  SpecOptions spec;
  spec.input_type = options.input_type;
  if (inputs.links.has_value()) spec.links = inputs.link_inputs;
  spec.input_count = inputs.size();
  spec.inputs_sha256 = inputs.Sha256();
  spec.batch_size = options.batch_size;
  spec.random_seed = options.random_seed;
  spec.shuffle =
      inputs.weights.empty() ? options.shuffle : ShuffleMode::kWeighted;
  spec.collect = options.collect;
  spec.feature_dtype = options.feature_dtype;
  spec.collect_degrees = options.collect_degrees;
  spec.omit_edge_ids = options.omit_edge_ids;
  return spec;
}

absl::StatusOr<v1::SessionSpec> ParseSpec(const std::string& bytes) {
  v1::SessionSpec spec;
  if (spec.ParseFromString(bytes)) return spec;
  return absl::InternalError("the specification just made cannot be read");
}

absl::Status CheckOnGraph(const ClientKind& kind, const GraphSchema& schema,
                          const v1::SessionSpec& spec,
                          const SessionInputs& inputs) {
  RETURN_IF_ERROR(kind.CheckOnGraph(schema, spec, inputs));
  SampledTypes types(schema);
  kind.AddSampledTypes(spec, &types);
  RETURN_IF_ERROR(CheckCollectedFeatures(types, spec));
  RETURN_IF_ERROR(CheckCollectedDegrees(types, spec));
  return CheckOmittedEdgeIds(types, spec);
}

EpochOrderOptions OrderOf(const SessionOptions& options, uint64_t num_inputs) {
  return {.num_inputs = num_inputs,
          .batch_size = options.batch_size,
          .random_seed = options.random_seed,
          .shuffle = options.shuffle != ShuffleMode::kNone,
          .drop_last = options.drop_last,
          .rank = options.own_inputs ? 0 : options.rank,
          .world = options.own_inputs ? 1 : options.world};
}

void MoveInputs(SessionInputs inputs, LoaderSession* session) {
  if (inputs.links.has_value()) {
    session->links =
        std::make_shared<const LinkColumns>(*std::move(inputs.links));
  } else {
    session->input_ids =
        std::make_shared<const std::vector<int64_t>>(std::move(inputs.nodes));
  }
  if (inputs.times.empty()) return;
  session->input_times =
      std::make_shared<const std::vector<int64_t>>(std::move(inputs.times));
}

}  // namespace

absl::Status CheckSessionOptions(const SessionOptions& options) {
  if (options.shuffle == ShuffleMode::kLocal && !options.own_inputs) {
    return BadLoaderOption("shuffle", "local",
                           "global, none; local with own_inputs, the inputs of "
                           "this rank alone (NodeSplit)");
  }
  if (options.own_inputs && options.shuffle == ShuffleMode::kGlobal) {
    return BadLoaderOption(
        "shuffle", "global, but the inputs are this rank's own (own_inputs)",
        "local, none");
  }
  if (options.agree_rounds && !options.own_inputs) {
    return BadLoaderOption("agree_rounds", "set", "with own_inputs");
  }
  if (options.shuffle == ShuffleMode::kWeighted) {
    return BadLoaderOption("shuffle", "weighted", "global, with input_weight");
  }
  if (options.batch_size < 1 || options.batch_size > kMaxBatchSize) {
    return BadLoaderOption("batch_size", absl::StrCat(options.batch_size),
                           absl::StrCat("1 to ", kMaxBatchSize));
  }
  if (options.world < 1 || options.rank >= options.world) {
    return BadLoaderOption(
        "rank", absl::StrCat(options.rank, " of a world of ", options.world),
        "0 to world - 1, in a world of at least 1");
  }
  if (!options.to_device.empty() && options.to_device != "cpu") {
    return BadLoaderOption("to_device", options.to_device,
                           "cpu; DeviceCopies copies a delivered batch to a "
                           "GPU, as tributary-train --device does");
  }
  const ClientKind& kind = KindOf(options.kind);
  RETURN_IF_ERROR(kind.CheckOptions(options));
  RETURN_IF_ERROR(CheckUtf8("input_split", options.input_split));
  RETURN_IF_ERROR(CheckUtf8("input_type", options.input_type));
  return kind.CheckNames(options);
}

absl::StatusOr<std::vector<InputSource>> InputSourcesOf(
    const SessionOptions& options, const GraphSchema& schema) {
  if (options.homogeneous && schema.heterogeneous) {
    return absl::InvalidArgumentError(
        absl::StrCat("graph ", schema.name,
                     " is typed (heterogeneous); allowed here: homogeneous "
                     "graphs"));
  }
  return KindOf(options.kind).InputSources(options, schema);
}

absl::StatusOr<LoaderSession> MakeSession(
    const SessionOptions& options, std::shared_ptr<const AcceptedGraph> graph,
    std::vector<std::vector<int64_t>> splits) {
  const ClientKind& kind = KindOf(options.kind);
  const GraphSchema& schema = graph->schema;
  ASSIGN_OR_RETURN(SessionInputs inputs,
                   kind.MakeInputs(options, schema, std::move(splits)));
  inputs.weights = options.input_weight;
  LoaderSession session;
  session.order = OrderOf(options, inputs.size());
  if (options.own_inputs) {
    session.own_rank = options.rank;
    session.own_world = options.world;
  }
  ASSIGN_OR_RETURN(session.order.weighted,
                   WeightedOrderOf(options, inputs.size()));
  ASSIGN_OR_RETURN(std::string bytes,
                   kind.BuildSpec(options, SpecGraphOf(schema),
                                  CommonSpecOptions(options, inputs)));
  ASSIGN_OR_RETURN(const v1::SessionSpec spec, ParseSpec(bytes));
  RETURN_IF_ERROR(CheckOnGraph(kind, schema, spec, inputs));
  session.identity = SessionIdentity(bytes);
  session.inputs = inputs.Sha256();
  session.graph = schema.content_digest;
  session.num_partitions = schema.num_partitions;
  session.max_batch_bytes = SaturatingAdd(kind.BatchBytesBound(schema, spec),
                                          MoreTensorBytes(schema, spec));
  session.spec = std::make_shared<const std::string>(std::move(bytes));
  session.link_lists = LinkListsOf(spec);
  MoveInputs(std::move(inputs), &session);
  session.accept = [graph](const ServerDescription& description) {
    return graph->Check(description);
  };
  return session;
}

}  // namespace tributary
