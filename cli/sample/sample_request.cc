#include "cli/sample/sample_request.h"

#include <charconv>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/command/command.h"
#include "cli/inputs/input_file.h"
#include "cli/sample/sample_kinds.h"
#include "cli/sample/sample_layerwise.h"
#include "cli/sample/sample_link.h"
#include "cli/sample/sample_ppr.h"
#include "cli/sample/sample_walk.h"
#include "common/session/limits.h"
#include "common/session/spec_builder.h"
#include "common/text/parse_byte_size.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr uint64_t kMaxThreads = 64;
constexpr char kInputNodesAllowed[] =
    "a split (train, SCHEME/train), ids (1,2,3), @FILE.npy (ids or a mask) or "
    "* "
    "(all); TYPE: before it in a typed graph";
constexpr char kNumNeighborsAllowed[] =
    "a number for each hop, -1 for all: 15,10,5; typed graphs also "
    "4,3;src,rel,dst=2,0, all of one length";

// Comma-separated ids; none when one is not.
std::optional<std::vector<int64_t>> ParseIds(absl::string_view text) {
  std::vector<int64_t> ids;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    int64_t id = 0;
    const char* end = part.data() + part.size();
    const auto [at, error] = std::from_chars(part.data(), end, id);
    if (error != std::errc() || at != end || id < 0) return std::nullopt;
    ids.push_back(id);
  }
  return ids;
}

absl::Status NumNeighborsError(absl::string_view text, absl::string_view why) {
  return UsageError(absl::StrCat("--num-neighbors \"", text, "\": ", why,
                                 "\nallowed: ", kNumNeighborsAllowed));
}

// Returns the options of neighbour sampling of a kind that has hops, else null.
NeighborOptions* HopOptionsOf(SampleRequest* request) {
  KindOptions& kind = request->loader.kind;
  auto* link = std::get_if<LinkOptions>(&kind);
  return link != nullptr ? &link->neighbors
                         : std::get_if<NeighborOptions>(&kind);
}

absl::Status ParseMode(const SampleArguments& arguments,
                       SampleRequest* request) {
  const std::string& mode = arguments.mode;
  const bool remote = arguments.graph.empty();
  if (!mode.empty() && mode != "collocated" && mode != "mp" &&
      mode != "remote") {
    return UsageError(
        absl::StrCat("--mode ", mode,
                     "\nallowed: collocated, mp (with --graph), remote "
                     "(with --servers)"));
  }
  if (!mode.empty() && remote != (mode == "remote")) {
    return UsageError(absl::StrCat(
        "--mode ", mode, " with ", remote ? "--servers" : "--graph",
        "\nallowed: collocated, mp with --graph; remote with --servers"));
  }
  ASSIGN_OR_RETURN(const uint64_t workers,
                   ParseWhole("--num-workers", arguments.num_workers, 1, 64));
  if (mode == "mp") {
    request->num_workers = static_cast<int>(workers);
  } else if (workers != 1) {
    return UsageError("--num-workers\nallowed: with --mode mp");
  }
  const auto where = ParseFeatureMemory(arguments.feature_memory);
  if (!where.ok()) {
    return UsageError(absl::StrCat("--feature-memory: ",
                                   std::string(where.status().message())));
  }
  if (remote && *where != FeatureMemory::kAuto) {
    return UsageError(
        "--feature-memory with --servers\nallowed: with --graph; servers have "
        "the option, too");
  }
  request->feature_memory = *where;
  return absl::OkStatus();
}

absl::Status ParseSource(const SampleArguments& arguments,
                         SampleRequest* request) {
  request->worker_options = arguments.worker_options;
  if (!arguments.worker_options.empty()) {
    if (arguments.graph.empty() && arguments.servers.empty() &&
        arguments.mode.empty() && arguments.graph_name.empty() &&
        arguments.worker_key == SampleArguments().worker_key) {
      return absl::OkStatus();
    }
    return UsageError(
        "--worker-options with --graph, --graph-name, --servers, --mode or "
        "--worker-key\n"
        "allowed: without, for the file says them");
  }
  if (arguments.graph.empty() == arguments.servers.empty()) {
    return UsageError(absl::StrCat(
        arguments.graph.empty() ? "neither --graph nor" : "both --graph and",
        " --servers\nallowed: one of --graph DIR and --servers "
        "HOST:PORT,...|file:PATH|dns:///NAME:PORT"));
  }
  if (!arguments.graph.empty() && !arguments.graph_name.empty()) {
    return UsageError(
        "--graph-name with --graph\nallowed: with --servers, of whose graphs "
        "it names one");
  }
  request->graph = arguments.graph;
  request->worker.servers = arguments.servers;
  return ParseMode(arguments, request);
}

// What the loader would say of the worker's options.
absl::Status CheckWorker(const SampleRequest& request) {
  RemoteDistSamplingWorkerOptions worker = request.worker;
  if (worker.servers.empty()) worker.servers = "127.0.0.1:1";  // any
  const absl::Status status = worker.Validate();
  return status.ok() ? status : UsageError(status.message());
}

absl::Status ParseWorker(const SampleArguments& arguments,
                         SampleRequest* request) {
  ASSIGN_OR_RETURN(const uint64_t threads,
                   ParseWhole("--threads", arguments.threads, 1, kMaxThreads));
  request->threads = static_cast<int>(threads);
  request->worker.num_rpc_threads = request->threads;
  ASSIGN_OR_RETURN(request->worker.rpc_timeout,
                   ParseSeconds("--rpc-timeout", arguments.rpc_timeout,
                                absl::Milliseconds(100), absl::Hours(24)));
  auto bytes = ParseByteSize(arguments.buffer_size);
  if (!bytes.ok() || *bytes == 0) {
    return UsageError(absl::StrCat("--buffer-size \"", arguments.buffer_size,
                                   "\"\nallowed: bytes such as 256MB, 1.5GB, "
                                   "4096"));
  }
  request->worker.buffer_size = *bytes;
  request->worker.worker_key = arguments.worker_key;
  RETURN_IF_ERROR(
      ParseGraphName("--graph-name", arguments.graph_name).status());
  request->worker.graph_name = arguments.graph_name;
  return CheckWorker(*request);
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
  if (arguments.num_neighbors.empty()) {
    return UsageError(absl::StrCat("--num-neighbors is required\nallowed: ",
                                   kNumNeighborsAllowed));
  }
  return FillNumNeighbors(arguments.num_neighbors, HopOptionsOf(request));
}

// @FILE.npy, or nothing.
absl::Status ParseInputWeight(const std::string& text, SampleRequest* request) {
  if (text.empty()) return absl::OkStatus();
  if (text[0] != '@' || text.size() == 1) {
    return UsageError(absl::StrCat("--input-weight \"", text,
                                   "\"\nallowed: @FILE.npy, a weight for each "
                                   "input"));
  }
  if (request->loader.shuffle != ShuffleMode::kGlobal) {
    return UsageError("--input-weight with --shuffle none\nallowed: global");
  }
  request->input_weight_file = text.substr(1);
  return absl::OkStatus();
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

// How neighbours are sampled, beside the fanouts.
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
  NeighborOptions* const hops = HopOptionsOf(request);
  return hops == nullptr ? absl::OkStatus()
                         : ParseHops(arguments, request, hops);
}

}  // namespace

absl::Status ParseInputNodes(absl::string_view text, SampleRequest* request) {
  CommonLoaderOptions& loader = request->loader;
  absl::string_view rest = text;
  const size_t colon = text.find(':');
  if (colon != absl::string_view::npos && !absl::StartsWith(text, "@")) {
    loader.input_type = std::string(text.substr(0, colon));
    rest = text.substr(colon + 1);
  }
  const bool typed_well = rest.size() == text.size() || colon > 0;
  const bool is_list =
      !rest.empty() && (absl::ascii_isdigit(rest[0]) || rest[0] == '-');
  if (!typed_well || rest.empty() || rest == "@") {
    return UsageError(absl::StrCat("--input-nodes \"", text,
                                   "\"\nallowed: ", kInputNodesAllowed));
  }
  if (rest[0] == '@') {
    request->input_file = std::string(rest.substr(1));
    return absl::OkStatus();
  }
  if (rest == "*") {
    loader.all_nodes = true;
    return absl::OkStatus();
  }
  if (!is_list) {
    loader.input_split = std::string(rest);
    return absl::OkStatus();
  }
  auto ids = ParseIds(rest);
  if (!ids.has_value()) {
    return UsageError(absl::StrCat("--input-nodes \"", text,
                                   "\": an id is a whole number from 0\n"
                                   "allowed: ",
                                   kInputNodesAllowed));
  }
  loader.input_nodes = *std::move(ids);
  return absl::OkStatus();
}

absl::Status FillNumNeighbors(absl::string_view text,
                              NeighborOptions* options) {
  auto parsed = ParseNumNeighbors(std::string_view(text.data(), text.size()));
  if (!parsed.ok()) return NumNeighborsError(text, parsed.status().message());
  const absl::Status checked = CheckNumNeighbors(*parsed);
  if (!checked.ok()) return NumNeighborsError(text, checked.message());
  if (parsed->by_default.empty()) {
    parsed->by_default.resize(parsed->by_edge_type.begin()->second.size());
  }
  options->num_neighbors = std::move(parsed->by_default);
  for (auto& [type, fanouts] : parsed->by_edge_type) {
    options->num_neighbors_by_type.emplace_back(type, std::move(fanouts));
  }
  return absl::OkStatus();
}

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
                     ReadInputFile(request->input_time_file));
  }
  return absl::OkStatus();
}

absl::StatusOr<SampleRequest> ParseSampleArguments(
    const SampleArguments& arguments) {
  SampleRequest request;
  RETURN_IF_ERROR(ParseSource(arguments, &request));
  RETURN_IF_ERROR(ParseDraws(arguments, &request));
  ASSIGN_OR_RETURN(request.epoch, ParseWhole("--epoch", arguments.epoch));
  ASSIGN_OR_RETURN(request.batches, ParseRange("--batches", arguments.batches));
  RETURN_IF_ERROR(ParseWorker(arguments, &request));
  request.out = arguments.out;
  return request;
}

}  // namespace tributary
