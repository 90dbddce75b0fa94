// The sampling sessions of link prediction: which links, which negatives, and
// which edges are left out. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_SESSIONS_LINK_SESSIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_SESSIONS_LINK_SESSIONS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/kinds/session_options.h"
#include "trainer_client/torch/tasks/metric.h"

namespace tributary {

// The splits of one type of links, or of several.
struct LinkSplits {
  // "src,rel,dst"; empty: the graph's only one; "*" or "src,*,dst": a pattern
  // of several (edge_type_pattern.h).
  std::string edge_type;
  std::string train;
  std::string valid;  // empty: none
  std::string test;   // empty: none
  // With a time: the file of the type's edge times, and what it holds, by edge
  // id (link_times.h).
  std::string edge_time_file;
  std::shared_ptr<const std::vector<int64_t>> edge_time;
};

// What `tributary-train --task link` samples.
struct LinkSampling {
  std::vector<LinkSplits> types;  // one or more
  NegativeSampling negatives{.mode = NegativeMode::kBinary};
  // The edges of a batch's links that no hop may sample. None: the links and,
  // where the graph has them, their reverses.
  std::optional<ExcludeMode> exclude;
};

// Reads "[SRC,REL,DST:]TRAIN[,VALID[,TEST]]", or several of them with types,
// separated by ";". VALID and TEST may be empty: such a type takes no part in
// the evaluation. Types may contain colons, splits may not. INVALID_ARGUMENT if
// it is not that, or if a type is named twice.
absl::StatusOr<std::vector<LinkSplits>> ParseLinkSplits(
    const std::string& text);

// Returns whether row i of the graph's input became the edges 2i and, reversed,
// 2i+1 (partition --add-reverse of a homogeneous graph).
bool HasReverseIds(const GraphSchema& schema);

// Replaces each entry of a pattern by the types that match it, have its TRAIN
// and are not named or matched by an earlier entry. A type without VALID or
// TEST gets none. NOT_FOUND, with the types that exist, if a pattern matches no
// type with one of its splits.
absl::StatusOr<std::vector<LinkSplits>> ExpandPatterns(
    const GraphSchema& schema, const std::vector<LinkSplits>& types);

// Returns the mode for links of these types if the user names none: as ids of
// the links, and of their reverses in a graph that was partitioned with
// --add-reverse. None where edges must be earlier than the link: its own edge
// is not, and the others of its batch are part of its past.
ExcludeMode DefaultExclude(const GraphSchema& schema,
                           const std::vector<LinkSplits>& types,
                           const DrawOptions& draws = {});

// The sessions in which one split is evaluated.
struct EvaluationSessions {
  SessionOptions links;
  // The links of the split's negatives, which are scored instead of sampled
  // ones. None: `links` has negatives.
  std::optional<SessionOptions> negatives;
};

// Makes the sessions of one run. `common` and `neighbors` are for all of them;
// the first has no inputs.
class LinkSessions {
 public:
  LinkSessions(LinkSampling sampling, ExcludeMode exclude)
      : sampling_(std::move(sampling)), exclude_(exclude) {}

  // Returns a session of one link of the first type (all of its links, if that
  // is a pattern), without hops to speak of: to read the graph's schema.
  static SessionOptions Probe(const LinkSampling& sampling,
                              const CommonLoaderOptions& common);

  SessionOptions Train(const CommonLoaderOptions& common,
                       const NeighborOptions& neighbors) const;
  // `split` is &LinkSplits::valid or &LinkSplits::test. None: no type has it.
  // The split SPLIT_neg is taken where every type that has SPLIT has it, unless
  // the metric ranks each link among its own negatives (mrr), or links have
  // times, which negatives of a split have not.
  std::optional<EvaluationSessions> Evaluation(
      std::string LinkSplits::*split, Metric metric, const GraphSchema& schema,
      const CommonLoaderOptions& common,
      const NeighborOptions& neighbors) const;

  // Returns the session in which every rank reads all links of a split, without
  // features, neighbours and negatives. None: no type has it.
  std::optional<SessionOptions> Links(std::string LinkSplits::*split,
                                      const CommonLoaderOptions& common) const;
  // Returns, by node type of the schema, the session of all its nodes; none for
  // types at which no link ends. Requires types without patterns.
  std::vector<std::optional<SessionOptions>> Entities(
      const GraphSchema& schema, const CommonLoaderOptions& common,
      const NeighborOptions& neighbors) const;

 private:
  SessionOptions Of(std::string LinkSplits::*split, const std::string& suffix,
                    bool with_negatives, const CommonLoaderOptions& common,
                    const NeighborOptions& neighbors) const;

  const LinkSampling sampling_;
  const ExcludeMode exclude_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_SESSIONS_LINK_SESSIONS_H_
