#include "trainer_client/core/kinds/link_request.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/core/kinds/option_error.h"

namespace tributary {
namespace {

// Returns " of TYPE" where there are several edge types.
std::string OfType(const LinkOptions& link, const EdgeTypeLinks& list) {
  return link.lists.size() < 2 ? "" : absl::StrCat(" of ", list.edge_type);
}

LabelType LabelTypeOf(const EdgeTypeLinks& list) {
  if (!list.edge_label.empty()) return LabelType::kInt64;
  return list.edge_label_float.empty() ? LabelType::kNone : LabelType::kFloat32;
}

// ---- without a graph --------------------------------------------------------

absl::Status CheckColumns(const EdgeTypeLinks& list, const std::string& of) {
  const size_t links = list.source.size();
  if (list.destination.size() != links) {
    return BadLoaderOption(
        absl::StrCat("edge_label_index", of),
        absl::StrCat(links, " sources and ", list.destination.size(),
                     " destinations"),
        "as many");
  }
  const size_t labels = list.edge_label.size() + list.edge_label_float.size();
  if (labels != 0 && labels != links) {
    return BadLoaderOption(absl::StrCat("edge_label", of),
                           absl::StrCat(labels, " labels"),
                           absl::StrCat(links, ", one for each link"));
  }
  if (list.edge_id.empty() || list.edge_id.size() == links) {
    return absl::OkStatus();
  }
  return BadLoaderOption(absl::StrCat("edge_id", of),
                         absl::StrCat(list.edge_id.size(), " ids"),
                         absl::StrCat(links, ", one for each link"));
}

absl::Status CheckEdgeTime(const EdgeTypeLinks& list, const std::string& of) {
  if (list.edge_time == nullptr) return absl::OkStatus();
  if (!list.edge_label_time.empty()) {
    return BadLoaderOption(absl::StrCat("edge_time", of),
                           "given beside edge_label_time", "one of the two");
  }
  if (!list.input_split.empty()) return absl::OkStatus();
  return BadLoaderOption(absl::StrCat("edge_time", of),
                         "given for a list of links",
                         "for an input_split; edge_label_time for a list");
}

// Checks that the list is given in exactly one way.
absl::Status CheckSource(const EdgeTypeLinks& list, const std::string& of) {
  const bool none = list.source.empty() && list.destination.empty() &&
                    LabelTypeOf(list) == LabelType::kNone;
  if (none && list.input_split.empty()) {
    return BadLoaderOption(
        absl::StrCat("edge_label_index", of), "empty",
        "a list of links, or the name of a split as input_split");
  }
  if (none || list.input_split.empty()) return absl::OkStatus();
  return BadLoaderOption(absl::StrCat("edge_label_index", of),
                         "given beside input_split", "one of the two");
}

absl::Status CheckList(const EdgeTypeLinks& list, ExcludeMode exclude,
                       const std::string& of) {
  if (!list.edge_label.empty() && !list.edge_label_float.empty()) {
    return BadLoaderOption(absl::StrCat("edge_label_float", of),
                           "given beside edge_label", "one of the two");
  }
  RETURN_IF_ERROR(CheckSource(list, of));
  RETURN_IF_ERROR(CheckColumns(list, of));
  RETURN_IF_ERROR(CheckEdgeTime(list, of));
  if (NeedsEdgeIds(exclude) && list.input_split.empty() &&
      list.edge_id.empty()) {
    return BadLoaderOption(
        "exclude",
        absl::StrCat("by edge id, and these links", of, " have none"),
        "none, pair, links with edge_id, or those of a split");
  }
  return absl::OkStatus();
}

// Checks that all lists have labels, times and negatives, or none has.
absl::Status CheckAlike(const LinkOptions& link) {
  const EdgeTypeLinks& first = link.lists[0];
  for (const EdgeTypeLinks& list : link.lists) {
    const std::string both = absl::StrCat("not of ", first.edge_type, " and ",
                                          list.edge_type, " alike");
    if (link.lists.size() > 1 && list.edge_type.empty()) {
      return BadLoaderOption("edge_type", "empty",
                             "the edge type of each list of several");
    }
    if (LabelTypeOf(list) != LabelTypeOf(first)) {
      return BadLoaderOption("edge_label", both,
                             "of all edge types int64, or all float32, "
                             "or none");
    }
    if (list.timed() != first.timed()) {
      return BadLoaderOption("edge_label_time", both,
                             "of all edge types, or of none");
    }
    if (list.neg_destination.empty() != first.neg_destination.empty()) {
      return BadLoaderOption("neg_destination", both,
                             "of all edge types, or of none");
    }
  }
  return absl::OkStatus();
}

// ---- as they travel ---------------------------------------------------------

// Requires CheckNegatives.
absl::Status AddNegatives(const EdgeTypeLinks& list,
                          const NegativeSampling& how, const std::string& of,
                          LinkColumns* links) {
  if (list.neg_destination.empty()) return absl::OkStatus();
  const uint64_t each = NumNegatives(how.mode, how.amount, 1);
  const size_t given = list.neg_destination.size();
  if (given % each != 0 || given / each != links->size()) {
    return BadLoaderOption(absl::StrCat("neg_destination", of),
                           absl::StrCat(given, " ids"),
                           absl::StrCat(links->size() * each, ", ", each,
                                        " (neg_sampling.amount) for each of ",
                                        links->size(), " links"));
  }
  links->negatives = each;
  links->negative = list.neg_destination;
  return absl::OkStatus();
}

// Returns the labels, increased by 1 if the smallest is 0: the label 0 is then
// that of negatives.
template <typename T>
std::vector<T> WithRoomForZero(std::vector<T> labels) {
  if (*std::min_element(labels.begin(), labels.end()) != 0) return labels;
  for (T& label : labels) {
    if constexpr (std::is_integral_v<T>) {
      // Unsigned, for the largest signed number has no successor.
      label = static_cast<T>(static_cast<uint64_t>(label) + 1);
    } else {
      label += 1;
    }
  }
  return labels;
}

void AddLabels(const EdgeTypeLinks& list, bool negatives, LinkColumns* links) {
  const auto set = [&](const auto& labels) {
    if (labels.empty()) return;
    links->SetLabels(negatives ? WithRoomForZero(labels) : labels);
  };
  set(list.edge_label);
  set(list.edge_label_float);
}

absl::StatusOr<LinkColumns> LinksToSend(const LinkOptions& link,
                                        const EdgeTypeLinks& list) {
  LinkColumns links;
  links.source = list.source;
  links.destination = list.destination;
  if (NeedsEdgeIds(link.exclude)) links.edge_id = list.edge_id;
  RETURN_IF_ERROR(
      AddNegatives(list, link.negatives, OfType(link, list), &links));
  AddLabels(list, link.negatives.mode != NegativeMode::kNone, &links);
  return links;
}

// Returns a time for each link, or none when they are not given.
absl::StatusOr<std::vector<int64_t>> SpreadTimes(const EdgeTypeLinks& list,
                                                 const std::string& of) {
  const std::vector<int64_t>& times = list.edge_label_time;
  const size_t links = list.source.size();
  if (times.empty() || times.size() == links) return times;
  if (times.size() == 1) return std::vector<int64_t>(links, times[0]);
  return BadLoaderOption(
      absl::StrCat("edge_label_time", of), absl::StrCat(times.size(), " times"),
      absl::StrCat(links, ", one for each link, or 1 for all"));
}

// Returns the lists' indices in canonical order of their types.
absl::StatusOr<std::vector<size_t>> InOrder(const SpecGraph& graph,
                                            const LinkOptions& link) {
  std::vector<std::pair<size_t, size_t>> places;
  for (size_t i = 0; i < link.lists.size(); ++i) {
    ASSIGN_OR_RETURN(const std::string type,
                     ResolveInputEdgeType(graph, link.lists[i].edge_type));
    const auto at =
        std::find(graph.edge_types.begin(), graph.edge_types.end(), type);
    places.emplace_back(at - graph.edge_types.begin(), i);
  }
  std::sort(places.begin(), places.end());
  std::vector<size_t> order;
  for (const auto& [type, i] : places) {
    if (!order.empty() && type == places[order.size() - 1].first) {
      return BadLoaderOption("edge_type",
                             absl::StrCat(graph.edge_types[type], " twice"),
                             "one list of each edge type");
    }
    order.push_back(i);
  }
  return order;
}

// Sets edge_label_time where the list has edge_time.
absl::Status SetTimesOfEdges(EdgeTypeLinks* list) {
  if (list->edge_time == nullptr) return absl::OkStatus();
  const std::vector<int64_t>& times = *list->edge_time;
  list->edge_label_time.clear();
  list->edge_label_time.reserve(list->edge_id.size());
  for (size_t i = 0; i < list->edge_id.size(); ++i) {
    const int64_t id = list->edge_id[i];
    if (id < 0 || static_cast<uint64_t>(id) >= times.size()) {
      return BadLoaderOption(
          "edge_time",
          absl::StrCat(times.size(), " times, without that of link ", i,
                       " of split ", list->input_split, ", which has ",
                       id < 0 ? "no edge" : absl::StrCat("the edge id ", id)),
          "a time for each edge id of the split");
    }
    list->edge_label_time.push_back(times[static_cast<size_t>(id)]);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckLinkRequest(const CommonLoaderOptions& common,
                              const LinkOptions& link) {
  if (!common.input_split.empty() || !common.input_nodes.empty() ||
      !common.input_mask.empty() || common.all_nodes ||
      !common.input_type.empty()) {
    return BadLoaderOption("input_nodes", "given with links",
                           "none: a batch's inputs are its links");
  }
  if (!link.neighbors.input_time.empty()) {
    return BadLoaderOption("neighbors.input_time", "given",
                           "none, but edge_label_time");
  }
  if (link.lists.empty()) {
    return BadLoaderOption("edge_label_index", "empty", "links");
  }
  for (const EdgeTypeLinks& list : link.lists) {
    RETURN_IF_ERROR(CheckList(list, link.exclude, OfType(link, list)));
  }
  RETURN_IF_ERROR(CheckAlike(link));
  const TimeMode time = link.neighbors.draws.time;
  if (time != TimeMode::kNone && !HasTimes(link)) {
    return BadLoaderOption("edge_label_time", "empty",
                           "a time for each link, or one for all, with a time");
  }
  return CheckNegatives(NegativesOf(link), common.batch_size,
                        LabelTypeOf(link.lists[0]), time == TimeMode::kNode,
                        link.lists.size());
}

NegativeSampling NegativesOf(const LinkOptions& link) {
  NegativeSampling negatives = link.negatives;
  negatives.given = !link.lists[0].neg_destination.empty();
  return negatives;
}

bool HasTimes(const LinkOptions& link) {
  return !link.lists.empty() && link.lists[0].timed();
}

absl::Status SetLinksOfSplit(absl::Span<const int64_t> numbers,
                             EdgeTypeLinks* list) {
  if (numbers.size() % 3 != 0) {
    return absl::DataLossError(absl::StrCat("split ", list->input_split,
                                            " of edges has ", numbers.size(),
                                            " numbers; wanted: 3 an edge"));
  }
  for (std::vector<int64_t>* column :
       {&list->source, &list->destination, &list->edge_id}) {
    column->clear();
    column->reserve(numbers.size() / 3);
  }
  for (size_t i = 0; i < numbers.size(); i += 3) {
    list->source.push_back(numbers[i]);
    list->destination.push_back(numbers[i + 1]);
    list->edge_id.push_back(numbers[i + 2]);
  }
  return SetTimesOfEdges(list);
}

absl::StatusOr<JoinedLinks> JoinLinks(const SpecGraph& graph,
                                      const LinkOptions& link) {
  ASSIGN_OR_RETURN(const std::vector<size_t> order, InOrder(graph, link));
  JoinedLinks joined;
  for (const size_t i : order) {
    const EdgeTypeLinks& list = link.lists[i];
    ASSIGN_OR_RETURN(LinkColumns links, LinksToSend(link, list));
    ASSIGN_OR_RETURN(const std::vector<int64_t> times,
                     SpreadTimes(list, OfType(link, list)));
    joined.times.insert(joined.times.end(), times.begin(), times.end());
    if (order.size() > 1) {
      joined.inputs.lists.emplace_back(list.edge_type, links.size());
    }
    if (joined.links.empty()) {
      joined.links = std::move(links);
    } else {
      joined.links.Append(links);
    }
  }
  joined.inputs.edge_type = link.lists[0].edge_type;
  joined.inputs.label = joined.links.label_type;
  return joined;
}

}  // namespace tributary
