#include "trainer_client/core/session/link_request.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// " of TYPE" where there are several.
std::string OfType(const LinkRequest& request, const LinkList& list) {
  return request.lists.size() < 2 ? "" : absl::StrCat(" of ", list.edge_type);
}

// ---- without a graph --------------------------------------------------------

absl::Status CheckColumns(const LinkColumns& links, const std::string& of) {
  if (links.destination.size() != links.source.size()) {
    return BadLinkOption(
        absl::StrCat("edge_label_index", of),
        absl::StrCat(links.source.size(), " sources and ",
                     links.destination.size(), " destinations"),
        "as many");
  }
  const size_t width = LabelBytes(links.label_type);
  if (links.label.size() != links.size() * width) {
    return BadLinkOption(
        absl::StrCat("edge_label", of),
        absl::StrCat(width == 0 ? 0 : links.label.size() / width, " labels"),
        absl::StrCat(links.size(), ", one for each link"));
  }
  if (links.edge_id.empty() || links.edge_id.size() == links.size()) {
    return absl::OkStatus();
  }
  return BadLinkOption(absl::StrCat("edge_id", of),
                       absl::StrCat(links.edge_id.size(), " ids"),
                       absl::StrCat(links.size(), ", one for each link"));
}

absl::Status CheckList(const LinkList& list, ExcludeMode exclude,
                       const std::string& of) {
  const LinkColumns& links = list.links;
  if (links.empty() && links.destination.empty() && links.label.empty()) {
    if (list.split.empty()) {
      return BadLinkOption(
          absl::StrCat("edge_label_index", of), "empty",
          "a list of links, or the name of a split as input_split");
    }
  } else if (!list.split.empty()) {
    return BadLinkOption(absl::StrCat("edge_label_index", of),
                         "given beside input_split", "one of the two");
  }
  RETURN_IF_ERROR(CheckColumns(links, of));
  if (NeedsEdgeIds(exclude) && list.split.empty() && links.edge_id.empty()) {
    return BadLinkOption(
        "exclude",
        absl::StrCat("by edge id, and these links", of, " have none"),
        "none, pair, links with edge_id, or those of a split");
  }
  return absl::OkStatus();
}

// What a list may have, all have or none.
absl::Status CheckAlike(const LinkRequest& request) {
  const LinkList& first = request.lists[0];
  for (const LinkList& list : request.lists) {
    const std::string both = absl::StrCat("not of ", first.edge_type, " and ",
                                          list.edge_type, " alike");
    if (request.lists.size() > 1 && list.edge_type.empty()) {
      return BadLinkOption("edge_type", "empty",
                           "the edge type of each list of several");
    }
    if (list.links.label_type != first.links.label_type) {
      return BadLinkOption("edge_label", both,
                           "of all edge types int64, or all float32, "
                           "or none");
    }
    if (list.time.empty() != first.time.empty()) {
      return BadLinkOption("edge_label_time", both,
                           "of all edge types, or of none");
    }
    if (list.neg_destination.empty() != first.neg_destination.empty()) {
      return BadLinkOption("neg_destination", both,
                           "of all edge types, or of none");
    }
  }
  return absl::OkStatus();
}

// ---- as they travel ---------------------------------------------------------

// Requires CheckNegatives.
absl::Status AddNegatives(const LinkList& list, const NegativeSampling& how,
                          const std::string& of, LinkColumns* links) {
  if (list.neg_destination.empty()) return absl::OkStatus();
  const uint64_t each = NumNegatives(how.mode, how.amount, 1);
  const size_t given = list.neg_destination.size();
  if (given % each != 0 || given / each != links->size()) {
    return BadLinkOption(absl::StrCat("neg_destination", of),
                         absl::StrCat(given, " ids"),
                         absl::StrCat(links->size() * each, ", ", each,
                                      " (neg_sampling.amount) for each of ",
                                      links->size(), " links"));
  }
  links->negatives = each;
  links->negative = list.neg_destination;
  return absl::OkStatus();
}

template <typename T>
void MakeRoomForZero(std::vector<uint8_t>* bytes) {
  std::vector<T> labels(bytes->size() / sizeof(T));
  if (labels.empty()) return;
  std::memcpy(labels.data(), bytes->data(), bytes->size());
  if (*std::min_element(labels.begin(), labels.end()) != 0) return;
  // In bits, for the largest whole number has no successor.
  for (T& label : labels) {
    if constexpr (std::is_integral_v<T>) {
      label = static_cast<T>(static_cast<uint64_t>(label) + 1);
    } else {
      label += 1;
    }
  }
  std::memcpy(bytes->data(), labels.data(), bytes->size());
}

absl::StatusOr<LinkColumns> LinksToSend(const LinkRequest& request,
                                        const LinkList& list) {
  LinkColumns links = list.links;
  if (!NeedsEdgeIds(request.exclude)) links.edge_id.clear();
  RETURN_IF_ERROR(
      AddNegatives(list, request.negatives, OfType(request, list), &links));
  if (request.negatives.mode == NegativeMode::kNone) return links;
  if (links.label_type == LabelType::kInt64) {
    MakeRoomForZero<int64_t>(&links.label);
  }
  if (links.label_type == LabelType::kFloat32) {
    MakeRoomForZero<float>(&links.label);
  }
  return links;
}

// One for each link; none when they are not given.
absl::StatusOr<std::vector<int64_t>> SpreadTimes(const LinkList& list,
                                                 const std::string& of) {
  const std::vector<int64_t>& times = list.time;
  if (times.empty() || times.size() == list.links.size()) return times;
  if (times.size() == 1) {
    return std::vector<int64_t>(list.links.size(), times[0]);
  }
  return BadLinkOption(
      absl::StrCat("edge_label_time", of), absl::StrCat(times.size(), " times"),
      absl::StrCat(list.links.size(), ", one for each link, or 1 for all"));
}

// Places of the lists, in canonical order of their types.
absl::StatusOr<std::vector<size_t>> InOrder(const SpecGraph& graph,
                                            const LinkRequest& request) {
  std::vector<std::pair<size_t, size_t>> places;
  for (size_t i = 0; i < request.lists.size(); ++i) {
    ASSIGN_OR_RETURN(const std::string type,
                     ResolveInputEdgeType(graph, request.lists[i].edge_type));
    const auto at =
        std::find(graph.edge_types.begin(), graph.edge_types.end(), type);
    places.emplace_back(at - graph.edge_types.begin(), i);
  }
  std::sort(places.begin(), places.end());
  std::vector<size_t> order;
  for (const auto& [type, i] : places) {
    if (!order.empty() && type == places[order.size() - 1].first) {
      return BadLinkOption("edge_type",
                           absl::StrCat(graph.edge_types[type], " twice"),
                           "one list of each edge type");
    }
    order.push_back(i);
  }
  return order;
}

}  // namespace

absl::Status BadLinkOption(absl::string_view field, absl::string_view value,
                           absl::string_view allowed) {
  return absl::InvalidArgumentError(absl::StrCat("LinkNeighborLoaderOptions.",
                                                 field, " is ", value,
                                                 "; allowed: ", allowed));
}

absl::Status CheckLinkRequest(const NeighborLoaderOptions& options) {
  const LinkRequest& link = *options.link;
  if (!options.input_split.empty() || !options.input_nodes.empty() ||
      !options.input_type.empty()) {
    return BadLinkOption("input_nodes", "given with links",
                         "none: a batch's inputs are its links");
  }
  if (!options.input_time.empty()) {
    return BadLinkOption("neighbors.input_time", "given",
                         "none, but edge_label_time");
  }
  if (options.walk.has_value() || options.ppr.has_value()) {
    return BadLinkOption(options.walk.has_value() ? "walk" : "ppr",
                         "given with links", "none");
  }
  if (link.lists.empty())
    return BadLinkOption("edge_label_index", "empty", "links");
  for (const LinkList& list : link.lists) {
    RETURN_IF_ERROR(CheckList(list, link.exclude, OfType(link, list)));
  }
  RETURN_IF_ERROR(CheckAlike(link));
  if (options.draws.time != TimeMode::kNone && !HasTimes(link)) {
    return BadLinkOption("edge_label_time", "empty",
                         "a time for each link, or one for all, with a time");
  }
  return CheckNegatives(
      NegativesOf(link), options.batch_size, link.lists[0].links.label_type,
      options.draws.time == TimeMode::kNode, link.lists.size());
}

NegativeSampling NegativesOf(const LinkRequest& request) {
  NegativeSampling negatives = request.negatives;
  negatives.given = !request.lists[0].neg_destination.empty();
  return negatives;
}

bool HasTimes(const LinkRequest& request) {
  return !request.lists.empty() && !request.lists[0].time.empty();
}

absl::StatusOr<LinkColumns> LinksOfSplit(absl::string_view name,
                                         absl::Span<const int64_t> numbers) {
  if (numbers.size() % 3 != 0) {
    return absl::DataLossError(absl::StrCat("split ", name, " of edges has ",
                                            numbers.size(),
                                            " numbers; wanted: 3 an edge"));
  }
  LinkColumns links;
  links.source.reserve(numbers.size() / 3);
  links.destination.reserve(numbers.size() / 3);
  for (size_t i = 0; i < numbers.size(); i += 3) {
    links.source.push_back(numbers[i]);
    links.destination.push_back(numbers[i + 1]);
    links.edge_id.push_back(numbers[i + 2]);
  }
  return links;
}

absl::StatusOr<JoinedLinks> JoinLinks(const SpecGraph& graph,
                                      const LinkRequest& request) {
  ASSIGN_OR_RETURN(const std::vector<size_t> order, InOrder(graph, request));
  JoinedLinks joined;
  for (const size_t i : order) {
    const LinkList& list = request.lists[i];
    ASSIGN_OR_RETURN(LinkColumns links, LinksToSend(request, list));
    ASSIGN_OR_RETURN(const std::vector<int64_t> times,
                     SpreadTimes(list, OfType(request, list)));
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
  joined.inputs.edge_type = request.lists[0].edge_type;
  joined.inputs.label = joined.links.label_type;
  return joined;
}

}  // namespace tributary
