#include "sampler_server/kinds/link/link_part.h"

#include "common/text/status.h"
#include "sampler_server/engine/ids/resolve_ids.h"
#include "sampler_server/engine/ids/tree_ids.h"

namespace tributary {
namespace {

// A disjoint batch has a tree for each link, with its negatives in it.
class StartNumbers {
 public:
  StartNumbers(const StepContext& context, const NumberingRoom& room,
               const LinkPart& part)
      : context_(context), room_(room), part_(part) {}

  bool Number(int type, bool negatives, absl::Span<const uint64_t> ids,
              uint32_t* local) const {
    std::vector<uint64_t> in_trees;
    if (context_.plan->disjoint) {
      in_trees = InTrees(type, negatives, ids);
      ids = in_trees;
    }
    LocalNumbering& numbering = context_.state->nodes[type].numbering;
    const uint64_t held =
        context_.state->bytes() - numbering.bytes() + room_.parts_bytes;
    return held <= room_.working_bytes &&
           numbering.Number(ids, local, room_.working_bytes - held,
                            context_.stop);
  }

 private:
  std::vector<uint64_t> InTrees(int type, bool negatives,
                                absl::Span<const uint64_t> ids) const {
    const LinkPlan& plan = LinkPlan::Of(*context_.plan);
    const TreeIds trees(static_cast<uint64_t>(
        context_.graph->schema().node_types[type].num_nodes));
    std::vector<uint64_t> in_trees;
    in_trees.reserve(ids.size());
    for (uint64_t i = 0; i < ids.size(); ++i) {
      const uint64_t link = negatives ? plan.LinkOf(i, part_.num_links) : i;
      in_trees.push_back(
          trees.Id(static_cast<uint32_t>(part_.first + link), ids[i]));
    }
    return in_trees;
  }

  const StepContext& context_;
  const NumberingRoom& room_;
  const LinkPart& part_;
};

// A row is the node that an edge ends at; of out-edges the one it begins at.
void ExcludeLinksFrom(const StepContext& context, const LinkPart& part,
                      bool out, ExcludedEdges* excluded) {
  const bool pairs = LinkPlan::Of(*context.plan).exclude == ExcludeMode::kPair;
  for (uint64_t i = 0; i < part.num_links; ++i) {
    const uint64_t row = out ? part.sources[i] : part.destinations[i];
    if (pairs) {
      excluded->by_source.push_back(
          {row, out ? part.destinations[i] : part.sources[i]});
      continue;
    }
    const int64_t id = context.links->edge_id[part.first + i];
    if (id >= 0) excluded->by_id.push_back({row, id});  // an edge of the graph
  }
}

void ExcludeReversesFrom(const StepContext& context, const LinkPart& part,
                         bool out, ExcludedEdges* excluded) {
  const bool pairs =
      LinkPlan::Of(*context.plan).exclude == ExcludeMode::kReverseId;
  for (uint64_t i = 0; i < part.num_links; ++i) {
    const int64_t id = context.links->edge_id[part.first + i];
    if (id < 0) continue;
    excluded->by_id.push_back(
        {out ? part.destinations[i] : part.sources[i], pairs ? id ^ 1 : id});
  }
}

}  // namespace

absl::StatusOr<std::vector<LinkPart>> PartsOf(const StepContext& context) {
  const LinkPlan& plan = LinkPlan::Of(*context.plan);
  ASSIGN_OR_RETURN(const std::vector<uint64_t> ends,
                   plan.lists.Ends(context.input_number));
  std::vector<LinkPart> parts(ends.size());
  for (size_t t = 0; t < parts.size(); ++t) {
    parts[t].type = &plan.types[t];
    parts[t].first_number = plan.lists.first(t);
    parts[t].first = t == 0 ? 0 : ends[t - 1];
    parts[t].num_links = ends[t] - parts[t].first;
    parts[t].num_negatives = plan.num_negatives(parts[t].num_links);
  }
  return parts;
}

absl::Status ResolveLinks(const StepContext& context, LinkPart* part) {
  const LinkColumns& links = *context.links;
  ASSIGN_OR_RETURN(part->sources,
                   ResolveIds(*context.graph, part->type->src_type,
                              part->Of(links.source), context.stop));
  ASSIGN_OR_RETURN(part->destinations,
                   ResolveIds(*context.graph, part->type->dst_type,
                              part->Of(links.destination), context.stop));
  const LinkStarts starts = CountLinkStarts(
      LinkPlan::Of(*context.plan).mode, part->num_links, part->num_negatives);
  part->sources.reserve(starts.sources);
  part->destinations.reserve(starts.destinations);
  return absl::OkStatus();
}

bool NumberStarts(const StepContext& context, const NumberingRoom& room,
                  LinkPart* part) {
  const uint64_t n = part->num_links;
  part->source_numbers.resize(part->sources.size());
  part->destination_numbers.resize(part->destinations.size());
  const auto sources = absl::MakeConstSpan(part->sources);
  const auto destinations = absl::MakeConstSpan(part->destinations);
  uint32_t* const src = part->source_numbers.data();
  uint32_t* const dst = part->destination_numbers.data();
  const StartNumbers numbers(context, room, *part);
  const int src_type = part->type->src_type, dst_type = part->type->dst_type;
  return numbers.Number(src_type, false, sources.first(n), src) &&
         numbers.Number(dst_type, false, destinations.first(n), dst) &&
         numbers.Number(src_type, true, sources.subspan(n), src + n) &&
         numbers.Number(dst_type, true, destinations.subspan(n), dst + n);
}

absl::Status ExcludeLinks(const StepContext& context,
                          absl::Span<const LinkPart> parts) {
  if (LinkPlan::Of(*context.plan).exclude == ExcludeMode::kNone) {
    return absl::OkStatus();
  }
  const auto& types = context.plan->edge_types;
  std::vector<ExcludedEdges>& excluded = context.state->excluded;
  excluded.resize(types.size());
  for (size_t t = 0; t < types.size(); ++t) {
    const int emitted = types[t].emitted_type();
    const bool out = types[t].emitted_as >= 0;
    for (const LinkPart& part : parts) {
      if (emitted == part.type->edge_type) {
        ExcludeLinksFrom(context, part, out, &excluded[t]);
      }
      if (emitted == part.type->reverse_type) {
        ExcludeReversesFrom(context, part, out, &excluded[t]);
      }
    }
    RETURN_IF_ERROR(excluded[t].Finish());
  }
  return absl::OkStatus();
}

}  // namespace tributary
