#include "trainer_client/torch/command/train_session.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/text/status.h"
#include "trainer_client/core/session_text/session_flags.h"
#include "trainer_client/core/session_text/session_table.h"

namespace tributary {
namespace {

// Options of sessions that this program does not take.
struct RefusedOption {
  const char* name;
  const char* why;
};
constexpr char kInputs[] = "--input names the splits";
constexpr char kHops[] =
    "the models take neighbours of hops, which lead to their inputs";
constexpr RefusedOption kRefused[] = {
    {"kind", "--task says what is trained, on neighbours of nodes or links"},
    {"input_nodes", kInputs},
    {"input_edges", kInputs},
    {"input_time",
     "nodes have the times that the graph stores, links those of --edge-time"},
    {"drop_last", "an epoch takes every input"},
    {"collect", "the model and the task say what they read"},
    {"collect_degrees", "--model gcn with --norm both collects them"},
    {"edge_dir", kHops},
    {"subgraph_type", kHops},
    {"max_scanned_edges", kHops},
    {"enclosing", "no model of this program reads z"},
    {"neg_destination",
     "negatives are drawn, or those of the splits VALID_neg and TEST_neg"},
    {"walk_length", kHops},
    {"walks_per_node", kHops},
    {"metapath", kHops},
    {"restart_prob", kHops},
    {"restart_ends", kHops},
    {"p", kHops},
    {"q", kHops},
    {"top_k", kHops},
    {"alpha", kHops},
    {"epsilon", kHops},
    {"edge_type", kHops},
    {"nodes_per_layer", kHops},
    {"importance", kHops},
};

// Help of this program where it says more than the table's.
struct OwnHelp {
  const char* name;
  const char* help;
  const char* fallback;  // null: the table's
};
constexpr OwnHelp kHelp[] = {
    {"batch_size", "Inputs per rank", nullptr},
    {"num_neighbors",
     "Neighbours per node for each hop, the hop next to the inputs first; -1: "
     "all; by edge type: 4,3;src,rel,dst=2,0. The model has a layer per hop. "
     "embedding: 0",
     nullptr},
    {"random_seed", "Random seed of order, sampling, parameters and dropout",
     nullptr},
    {"feature_dtype",
     "Precision in which features travel (stored, float16, bfloat16, int8); "
     "the model computes in float32",
     nullptr},
    {"neg_sampling",
     "link: negatives and loss: binary (pairs; cross entropy), triplet "
     "(destinations of each link; BPR), none (with --loss softmax)",
     nullptr},
    {"neg_strict", "link: sample pairs that are no edges as negatives",
     nullptr},
    {"on_exhausted",
     "link, with --neg-strict or --time node: if none of a negative's 64 "
     "candidates is allowed: accept (the last one, which is an edge or too new "
     "then; they are counted and printed) or error (the run ends)",
     "accept; with --time node alone error"},
    {"exclude",
     "link: edges of a batch's links that its hops do not sample: none, self, "
     "reverse_id, reverse_types, pair",
     "self, and the reverses in a graph partitioned with --add-reverse"},
    {"time",
     "Sample for each input only what is not later than it, by the time of the "
     "edge or of the node; none: all",
     nullptr},
};

absl::Status CheckTaken(const SessionText& text) {
  for (const RefusedOption& option : kRefused) {
    if (!text.Gives(option.name)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(FlagOf(option.name), " has no use here: ", option.why,
                     "; allowed: without it"));
  }
  return absl::OkStatus();
}

// Returns a session's error in the words of this program.
absl::Status InOwnWords(const absl::Status& status) {
  return absl::InvalidArgumentError(absl::StrReplaceAll(
      status.message(), {{"--kind ", "--task "}, {"\n", "; "}}));
}

// Adds what makes the texts those of a session: inputs, and their times, which
// are set once the graph's schema is known.
void AddInputs(bool of_links, SessionText& text) {
  if (!of_links) return text.Set("input_nodes", "train");
  text.Set("kind", "link");
  text.Set("input_edges", "train");
  if (text.Get("time") != "none") text.Set("input_time", "0");
  text.SetDefault("neg_sampling", "binary");
  // One node with edges to nearly all others does not end a run.
  if (text.Get("neg_strict") == "true") {
    text.SetDefault("on_exhausted", "accept");
  }
}

// GCN's estimate of the sum over all edges is one of uniform draws among them.
absl::Status CheckModelOf(const ModelOptions& model, const DrawOptions& draws) {
  if (model.model != "gcn" || model.norm != "both") return absl::OkStatus();
  const char* option = draws.draw != DrawMode::kUniform ? "--draw"
                       : !draws.edge_mask.empty()       ? "--edge-mask"
                       : !draws.edge_predicates.empty() ? "--edge-predicate"
                                                        : nullptr;
  if (option == nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      option,
      " with --model gcn and --norm both, which estimates the sum over "
      "all edges by uniform draws; allowed: with --norm right or another "
      "model"));
}

absl::Status CheckTrainedNegatives(const SessionText& text,
                                   const std::string& loss,
                                   const NegativeSampling& negatives) {
  if (negatives.mode == NegativeMode::kDestination) {
    return absl::InvalidArgumentError(
        "--neg-sampling \"destination\"; allowed: binary, triplet, none");
  }
  if (negatives.mode == NegativeMode::kNone && loss != "softmax") {
    return absl::InvalidArgumentError(
        "--neg-sampling none; allowed: with --loss softmax, without "
        "--neg-amount");
  }
  if (text.Gives("on_exhausted") && !negatives.strict &&
      text.Get("time") != "node") {
    return absl::InvalidArgumentError(
        "--on-exhausted; allowed: with --neg-strict or --time node, by which "
        "some pairs are no negatives");
  }
  const bool whole = negatives.mode == NegativeMode::kTriplet;
  const double amount = negatives.amount;
  if (amount > 0 && (!whole || amount == std::floor(amount))) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--neg-amount is \"", text.Get("neg_amount"),
                   "\", allowed are numbers above 0",
                   whole ? ", whole with --neg-sampling triplet" : ""));
}

// Reads the fanouts of the evaluation; `text` are those of the training.
absl::StatusOr<NumNeighbors> EvaluationFanouts(const TrainFlagTexts& t,
                                               const std::string& text) {
  const std::string& own = t.eval_num_neighbors;
  auto fanouts = ParseNumNeighbors(own.empty() ? text : own);
  absl::Status status =
      fanouts.ok() ? CheckNumNeighbors(*fanouts) : fanouts.status();
  if (!status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--eval-num-neighbors is \"", own, "\": ", status.message(),
        "; allowed: a number for each hop, -1 for all: 15,10; in typed graphs "
        "also 4,3;src,rel,dst=2,0"));
  }
  ASSIGN_OR_RETURN(const NumNeighbors training, ParseNumNeighbors(text));
  if (fanouts->hops() == training.hops()) return fanouts;
  return absl::InvalidArgumentError(
      absl::StrCat("--eval-num-neighbors has ", fanouts->hops(),
                   " hops, --num-neighbors ", training.hops()));
}

}  // namespace

bool IsTakenByTrain(absl::string_view name) {
  return absl::c_none_of(kRefused, [&](const RefusedOption& option) {
    return option.name == name;
  });
}

void DeclareTrainSession(CLI::App& app, TrainFlagTexts& texts) {
  texts.session.SetDefault("batch_size", "512");
  texts.session.SetDefault("num_neighbors", "10,10");
  DeclareSessionFlags(app, texts.session);
  for (const RefusedOption& option : kRefused) {
    app.get_option(FlagOf(option.name))->group("");  // not listed
  }
  for (const OwnHelp& own : kHelp) {
    CLI::Option* option = app.get_option(FlagOf(own.name));
    option->description(own.help);
    if (own.fallback != nullptr) option->default_str(own.fallback);
  }
  app.get_option("--neg-sampling")->default_str("binary");
  app.add_option("--session", texts.session_file,
                 "A JSON object of the options above by name, such as "
                 "num_neighbors; flags replace what it says")
      ->type_name("FILE");
}

absl::Status ReadTrainSession(TrainFlagTexts& texts, TrainArguments& a) {
  if (!texts.session_file.empty()) {
    ASSIGN_OR_RETURN(const SessionText more,
                     ReadSessionFile(texts.session_file));
    texts.session.Add(more);
  }
  SessionText text = texts.session;
  RETURN_IF_ERROR(CheckTaken(text));
  const bool of_links = texts.task == "link";
  if (a.train.model.model == "embedding") text.SetDefault("num_neighbors", "0");
  AddInputs(of_links, text);
  auto session = ReadSession(text);
  if (!session.ok()) return InOwnWords(session.status());
  SessionOptions& options = session->options;
  static_cast<CommonLoaderOptions&>(a.loader) = options;
  a.loader.input_split.clear();
  a.input_weight_file = session->files.input_weight;
  if (auto* link = std::get_if<LinkOptions>(&options.kind)) {
    RETURN_IF_ERROR(CheckTrainedNegatives(text, texts.loss, link->negatives));
    a.link.emplace();
    a.link->negatives = link->negatives;
    if (text.Gives("exclude")) a.link->exclude = link->exclude;
    static_cast<NeighborOptions&>(a.loader) = std::move(link->neighbors);
    a.loader.draws.input_time = InputTimeMode::kNone;  // each link's, later
  } else {
    static_cast<NeighborOptions&>(a.loader) =
        std::get<NeighborOptions>(std::move(options.kind));
  }
  RETURN_IF_ERROR(CheckModelOf(a.train.model, a.loader.draws));
  a.train.expand_all = a.loader.expand_all;
  a.train.random_seed = a.loader.random_seed;
  ASSIGN_OR_RETURN(a.eval_num_neighbors,
                   EvaluationFanouts(texts, text.Get("num_neighbors")));
  return absl::OkStatus();
}

}  // namespace tributary
