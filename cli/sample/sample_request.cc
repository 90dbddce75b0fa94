#include "cli/sample/sample_request.h"

#include <string>
#include <utility>
#include <variant>

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

// Returns the options of neighbour sampling of a kind that has hops, else null.
NeighborOptions* HopOptionsOf(SampleRequest* request) {
  KindOptions& kind = request->loader.kind;
  auto* link = std::get_if<LinkOptions>(&kind);
  return link != nullptr ? &link->neighbors
                         : std::get_if<NeighborOptions>(&kind);
}

absl::Status ParseKind(const SampleArguments& arguments,
                       SampleRequest* request) {
  KindOptions& kind = request->loader.kind;
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
    ASSIGN_OR_RETURN(kind, ParseWalk(arguments));
    return absl::OkStatus();
  }
  if (arguments.kind == "layerwise") {
    ASSIGN_OR_RETURN(kind, ParseLayerwise(arguments));
    return absl::OkStatus();
  }
  if (arguments.kind == "ppr") {
    ASSIGN_OR_RETURN(kind, ParsePpr(arguments));
    return absl::OkStatus();
  }
  return FillNumNeighbors(arguments.num_neighbors, HopOptionsOf(request));
}

absl::Status ParseNodeDraws(const SampleArguments& arguments,
                            SampleRequest* request, NeighborOptions* hops) {
  ASSIGN_OR_RETURN(DrawRequest draws,
                   ReadDrawFlags(arguments.draws, arguments.replace));
  hops->draws = draws.draws;
  hops->input_time = std::move(draws.input_time);
  request->input_time_file = std::move(draws.input_time_file);
  return absl::OkStatus();
}

// Parses how neighbours are sampled, beside the fanouts.
absl::Status ParseHops(const SampleArguments& arguments, SampleRequest* request,
                       NeighborOptions* hops) {
  ASSIGN_OR_RETURN(const size_t expand,
                   ParseChoice("--expand", arguments.expand, {"new", "all"}));
  hops->expand_all = expand == 1;
  hops->replace = arguments.replace;
  RETURN_IF_ERROR(arguments.kind == "link"
                      ? ParseLinkDraws(arguments, request)
                      : ParseNodeDraws(arguments, request, hops));
  ASSIGN_OR_RETURN(hops->subgraph, ReadSubgraphFlags(arguments.subgraph));
  if (arguments.enclosing) {
    hops->subgraph.type = SubgraphType::kInduced;
    hops->draws.disjoint = true;
  }
  const absl::Status status = CheckSubgraphOptions(hops->subgraph, hops->draws);
  return status.ok() ? status : UsageError(status.message());
}

absl::Status ParseDraws(const SampleArguments& arguments,
                        SampleRequest* request) {
  CommonLoaderOptions& loader = request->loader;
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
  loader.collect_degrees = arguments.collect_degrees;
  NeighborOptions* const hops = HopOptionsOf(request);
  return hops == nullptr ? absl::OkStatus()
                         : ParseHops(arguments, request, hops);
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
    ASSIGN_OR_RETURN(HopOptionsOf(request)->input_time,
                     ReadTimeFile(request->input_time_file));
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
