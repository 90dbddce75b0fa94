#include "cli/sample/sample_request.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/command/command.h"
#include "cli/inputs/input_file.h"
#include "cli/sample/sample_fanouts.h"
#include "cli/sample/sample_inputs.h"
#include "cli/sample/sample_kinds.h"
#include "cli/sample/sample_layerwise.h"
#include "cli/sample/sample_link.h"
#include "cli/sample/sample_ppr.h"
#include "cli/sample/sample_walk.h"
#include "cli/sample/sample_workers.h"
#include "common/session/limits.h"
#include "common/session/spec_builder.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::Status ParseKind(const SampleArguments& arguments,
                       SampleRequest* request) {
  NeighborLoaderOptions* loader = &request->loader;
  RETURN_IF_ERROR(ParseChoice("--kind", arguments.kind,
                              {"node", "walk", "ppr", "layerwise", "link"})
                      .status());
  RETURN_IF_ERROR(CheckKindOptions(arguments, arguments.kind));
  if (arguments.kind == "link") {
    RETURN_IF_ERROR(ParseLink(arguments, request));
  } else {
    RETURN_IF_ERROR(ParseInputNodes(arguments.input_nodes, request));
  }
  if (arguments.kind == "walk") {
    ASSIGN_OR_RETURN(loader->walk, ParseWalk(arguments));
    return absl::OkStatus();
  }
  if (arguments.kind == "layerwise") {
    ASSIGN_OR_RETURN(loader->layerwise, ParseLayerwise(arguments));
    return absl::OkStatus();
  }
  if (arguments.kind == "ppr") {
    ASSIGN_OR_RETURN(loader->ppr, ParsePpr(arguments));
    return absl::OkStatus();
  }
  return FillNumNeighbors(arguments.num_neighbors, loader);
}

absl::Status ParseNodeDraws(const SampleArguments& arguments,
                            SampleRequest* request) {
  ASSIGN_OR_RETURN(DrawRequest draws,
                   ReadDrawFlags(arguments.draws, arguments.replace));
  request->loader.draws = draws.draws;
  request->loader.input_time = std::move(draws.input_time);
  request->input_time_file = std::move(draws.input_time_file);
  return absl::OkStatus();
}

absl::Status ParseDraws(const SampleArguments& arguments,
                        SampleRequest* request) {
  NeighborLoaderOptions& loader = request->loader;
  RETURN_IF_ERROR(ParseKind(arguments, request));
  ASSIGN_OR_RETURN(
      loader.batch_size,
      ParseWhole("--batch-size", arguments.batch_size, 1, kMaxBatchSize));
  ASSIGN_OR_RETURN(loader.random_seed,
                   ParseWhole("--random-seed", arguments.random_seed));
  ASSIGN_OR_RETURN(
      const size_t shuffle,
      ParseChoice("--shuffle", arguments.shuffle, {"none", "global"}));
  loader.shuffle = static_cast<ShuffleMode>(shuffle);
  RETURN_IF_ERROR(ParseInputWeight(arguments.input_weight, request));
  const auto features = FeatureDTypeFromName(arguments.feature_dtype);
  if (!features.ok()) {
    return UsageError(
        absl::StrCat("--feature-dtype \"", arguments.feature_dtype,
                     "\"\nallowed: ", std::string(kFeatureDTypeNames)));
  }
  loader.feature_dtype = *features;
  ASSIGN_OR_RETURN(const size_t expand,
                   ParseChoice("--expand", arguments.expand, {"new", "all"}));
  loader.expand_all = expand == 1;
  loader.replace = arguments.replace;
  RETURN_IF_ERROR(arguments.kind == "link"
                      ? ParseLinkDraws(arguments, request)
                      : ParseNodeDraws(arguments, request));
  ASSIGN_OR_RETURN(loader.subgraph, ReadSubgraphFlags(arguments.subgraph));
  if (arguments.enclosing) {
    loader.subgraph.type = SubgraphType::kInduced;
    loader.draws.disjoint = true;
  }
  const absl::Status status =
      CheckSubgraphOptions(loader.subgraph, loader.draws);
  if (!status.ok()) return UsageError(status.message());
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadListFiles(SampleRequest* request) {
  if (!request->input_file.empty()) {
    ASSIGN_OR_RETURN(InputList list, ReadInputListFile(request->input_file));
    request->loader.input_nodes = std::move(list.ids);
    request->loader.input_mask = std::move(list.mask);
  }
  if (!request->input_weight_file.empty()) {
    ASSIGN_OR_RETURN(request->loader.input_weight,
                     ReadWeightFile(request->input_weight_file));
  }
  RETURN_IF_ERROR(ReadLinkFiles(request));
  if (!request->input_time_file.empty()) {
    ASSIGN_OR_RETURN(request->loader.input_time,
                     ReadInputFile(request->input_time_file));
  }
  return absl::OkStatus();
}

absl::StatusOr<SampleRequest> ParseSampleArguments(
    const SampleArguments& arguments) {
  SampleRequest request;
  RETURN_IF_ERROR(ParseSampleSource(arguments, &request));
  RETURN_IF_ERROR(ParseDraws(arguments, &request));
  ASSIGN_OR_RETURN(request.epoch, ParseWhole("--epoch", arguments.epoch));
  ASSIGN_OR_RETURN(request.batches, ParseRange("--batches", arguments.batches));
  RETURN_IF_ERROR(ParseSampleWorker(arguments, &request));
  request.out = arguments.out;
  return request;
}

}  // namespace tributary
