#include "trainer_client/torch/command/sample_again.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/session/feature_dtype.h"

namespace tributary {
namespace {

// Names of the enums' values, in their order.
constexpr std::array<const char*, 4> kNegatives = {"none", "binary", "triplet",
                                                   "destination"};
constexpr std::array<const char*, 5> kExcludes = {"none", "self", "reverse_id",
                                                  "reverse_types", "pair"};

// Appends "--flag value".
void Add(std::vector<std::string>& words, const char* flag,
         std::string_view value) {
  words.push_back(flag);
  words.push_back(ShellWord(std::string(value)));
}

void AddSource(const BatchSourceOptions& source,
               std::vector<std::string>& words) {
  if (!source.worker_options.empty()) {
    return Add(words, "--worker-options", source.worker_options);
  }
  if (!source.graph.empty()) return Add(words, "--graph", source.graph);
  Add(words, "--servers", source.worker.servers);
  if (!source.worker.graph_name.empty()) {
    Add(words, "--graph-name", source.worker.graph_name);
  }
  const TlsFiles& tls = source.worker.tls;
  if (tls.empty()) return;
  Add(words, "--tls-ca", tls.ca);
  Add(words, "--tls-cert", tls.cert);
  Add(words, "--tls-key", tls.key);
}

// "10,5", or "10,5;src,rel,dst=2,0".
std::string FanoutsOf(const NeighborOptions& neighbors) {
  std::string text = absl::StrJoin(neighbors.num_neighbors, ",");
  for (const auto& [type, fanouts] : neighbors.num_neighbors_by_type) {
    absl::StrAppend(&text, text.empty() ? "" : ";", type, "=",
                    absl::StrJoin(fanouts, ","));
  }
  return text;
}

void AddNeighbors(const NeighborOptions& neighbors,
                  std::vector<std::string>& words) {
  // As one word: a fanout may begin with a minus.
  words.push_back(
      absl::StrCat("--num-neighbors=", ShellWord(FanoutsOf(neighbors))));
  if (neighbors.replace) words.push_back("--replace");
  if (neighbors.expand_all) Add(words, "--expand", "all");
}

void AddLinks(const LinkOptions& link, std::vector<std::string>& words) {
  Add(words, "--kind", "link");
  Add(words, "--input-edges",
      absl::StrJoin(link.lists, ";",
                    [](std::string* out, const EdgeTypeLinks& list) {
                      absl::StrAppend(out, list.edge_type,
                                      list.edge_type.empty() ? "" : ":",
                                      list.input_split);
                    }));
  const NegativeSampling& negatives = link.negatives;
  if (negatives.mode != NegativeMode::kNone) {
    Add(words, "--neg-sampling",
        kNegatives[static_cast<size_t>(negatives.mode)]);
    Add(words, "--neg-amount", absl::StrCat(negatives.amount));
  }
  Add(words, "--exclude", kExcludes[static_cast<size_t>(link.exclude)]);
  AddNeighbors(link.neighbors, words);
}

void AddNodes(const SessionOptions& session, const NeighborOptions& neighbors,
              std::vector<std::string>& words) {
  Add(words, "--input-nodes",
      absl::StrCat(session.input_type, session.input_type.empty() ? "" : ":",
                   session.input_split));
  AddNeighbors(neighbors, words);
}

void AddCommon(const CommonLoaderOptions& options,
               std::vector<std::string>& words) {
  Add(words, "--batch-size", absl::StrCat(options.batch_size));
  Add(words, "--random-seed", absl::StrCat(options.random_seed));
  if (options.shuffle == ShuffleMode::kNone) Add(words, "--shuffle", "none");
  if (options.feature_dtype != FeatureDType::kStored) {
    Add(words, "--feature-dtype", FeatureDTypeName(options.feature_dtype));
  }
  if (options.collect_degrees) words.push_back("--collect-degrees");
}

}  // namespace

std::string ShellWord(absl::string_view word) {
  constexpr absl::string_view kPlain = "_-./:,=@%+";
  const bool plain =
      !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
        return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
               kPlain.find(c) != absl::string_view::npos;
      });
  if (plain) return std::string(word);
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

std::string SampleAgainCommand(const BatchSourceOptions& source,
                               const SessionOptions& session, uint64_t epoch,
                               uint64_t index) {
  std::vector<std::string> words = {"tributary", "sample"};
  AddSource(source, words);
  if (const auto* link = std::get_if<LinkOptions>(&session.kind)) {
    AddLinks(*link, words);
  } else {
    AddNodes(session, std::get<NeighborOptions>(session.kind), words);
  }
  AddCommon(session, words);
  Add(words, "--epoch", absl::StrCat(epoch));
  Add(words, "--batches", absl::StrCat(index, ":", index + 1));
  return absl::StrJoin(words, " ");
}

}  // namespace tributary
