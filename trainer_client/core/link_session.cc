#include "trainer_client/core/link_session.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "common/proto/session.pb.h"
#include "common/status.h"

namespace tributary {
namespace {

absl::Status Bad(absl::string_view field, absl::string_view value,
                 absl::string_view allowed) {
  return absl::InvalidArgumentError(absl::StrCat("LinkNeighborLoaderOptions.",
                                                 field, " is ", value,
                                                 "; allowed: ", allowed));
}

// `columns` of `ids` are of a link.
absl::Status CheckEnds(absl::string_view field, const NodeTypeSchema& type,
                       absl::Span<const int64_t> ids, uint64_t columns = 1) {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 0 && ids[i] < type.num_nodes) continue;
    const std::string place =
        columns == 1 ? absl::StrCat("[", i, "]")
                     : absl::StrCat("[", i / columns, "][", i % columns, "]");
    return Bad(
        absl::StrCat(field, place), absl::StrCat(ids[i]),
        type.num_nodes == 0
            ? absl::StrCat("none, for node type ", type.name, " has no nodes")
            : absl::StrCat("0 to ", type.num_nodes - 1,
                           ", the original ids of node type ", type.name));
  }
  return absl::OkStatus();
}

// Requires CheckNegatives.
absl::Status AddNegatives(const LinkRequest& request, LinkColumns* links) {
  if (request.neg_destination.empty()) return absl::OkStatus();
  const uint64_t each =
      NumNegatives(request.negatives.mode, request.negatives.amount, 1);
  const size_t given = request.neg_destination.size();
  if (given % each != 0 || given / each != links->size()) {
    return Bad("neg_destination", absl::StrCat(given, " ids"),
               absl::StrCat(links->size() * each, ", ", each,
                            " (neg_sampling.amount) for each of ",
                            links->size(), " links"));
  }
  links->negatives = each;
  links->negative = request.neg_destination;
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

}  // namespace

absl::Status CheckLinkRequest(const NeighborLoaderOptions& options) {
  const LinkRequest& link = *options.link;
  if (!options.input_split.empty() || !options.input_nodes.empty() ||
      !options.input_type.empty()) {
    return Bad("input_nodes", "given with links",
               "none: a batch's inputs are its links");
  }
  if (options.walk.has_value() || options.ppr.has_value()) {
    return Bad(options.walk.has_value() ? "walk" : "ppr", "given with links",
               "none");
  }
  if (link.links.empty() && link.links.destination.empty() &&
      link.links.label.empty()) {
    if (link.split.empty()) {
      return Bad("edge_label_index", "empty",
                 "a list of links, or the name of a split as input_split");
    }
  } else if (!link.split.empty()) {
    return Bad("edge_label_index", "given beside input_split",
               "one of the two");
  }
  if (link.links.destination.size() != link.links.source.size()) {
    return Bad("edge_label_index",
               absl::StrCat(link.links.source.size(), " sources and ",
                            link.links.destination.size(), " destinations"),
               "as many");
  }
  const size_t width = LabelBytes(link.links.label_type);
  if (link.links.label.size() != link.links.size() * width) {
    return Bad("edge_label",
               absl::StrCat(width == 0 ? 0 : link.links.label.size() / width,
                            " labels"),
               absl::StrCat(link.links.size(), ", one for each link"));
  }
  if (NeedsEdgeIds(link.exclude) && link.split.empty() &&
      link.links.edge_id.size() != link.links.size()) {
    return Bad("exclude", "by edge id, and these links have none",
               "none, pair, or the links of a split");
  }
  if (options.draws.time != TimeMode::kNone && options.input_time.empty()) {
    return Bad("edge_label_time", "empty",
               "a time for each link, or one for all, with a time");
  }
  return CheckNegatives(NegativesOf(link), options.batch_size,
                        link.links.label_type,
                        options.draws.time == TimeMode::kNode);
}

NegativeSampling NegativesOf(const LinkRequest& request) {
  NegativeSampling negatives = request.negatives;
  negatives.given = !request.neg_destination.empty();
  return negatives;
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

absl::StatusOr<LinkColumns> LinksToSend(const LinkRequest& request) {
  LinkColumns links = request.links;
  if (!NeedsEdgeIds(request.exclude)) links.edge_id.clear();
  RETURN_IF_ERROR(AddNegatives(request, &links));
  if (request.negatives.mode == NegativeMode::kNone) return links;
  if (links.label_type == LabelType::kInt64) {
    MakeRoomForZero<int64_t>(&links.label);
  }
  if (links.label_type == LabelType::kFloat32) {
    MakeRoomForZero<float>(&links.label);
  }
  return links;
}

absl::Status CheckLinkEnds(const GraphSchema& schema,
                           const v1::SessionSpec& spec,
                           const LinkColumns& links) {
  const int found = schema.FindEdgeType(spec.inputs().edge_type());
  if (found < 0) {
    return Bad("edge_type", spec.inputs().edge_type(), "an edge type");
  }
  const EdgeTypeSchema& type = schema.edge_types[found];
  if (spec.link().degree_power() != 0) {
    RETURN_IF_ERROR(CheckDegreesOf(type.name(), type.degrees, type.num_edges));
  }
  const NodeTypeSchema& destinations = schema.node_types[type.dst_type];
  RETURN_IF_ERROR(CheckEnds("edge_label_index.source",
                            schema.node_types[type.src_type], links.source));
  RETURN_IF_ERROR(CheckEnds("edge_label_index.destination", destinations,
                            links.destination));
  return CheckEnds("neg_destination", destinations, links.negative,
                   links.negatives);
}

void FillLinkBound(const GraphSchema& schema, const v1::SessionSpec& spec,
                   BatchBoundInputs* bound) {
  const int found = schema.FindEdgeType(spec.inputs().edge_type());
  if (found < 0) return;
  const EdgeTypeSchema& type = schema.edge_types[found];
  const auto mode = static_cast<NegativeMode>(spec.link().negatives());
  const LinkStarts starts = CountLinkStarts(
      mode, bound->num_inputs,
      NumNegatives(mode, spec.link().amount(), bound->num_inputs));
  bound->input_type = type.src_type;
  bound->starts.resize(schema.node_types.size(), 0);
  bound->starts[type.src_type] += starts.sources;
  bound->starts[type.dst_type] += starts.destinations;
  bound->more_bytes =
      LinkTensorBytesBound(starts, bound->num_inputs, type.name().size());
  if (spec.link().enclosing()) {
    bound->node_types[type.src_type].row_bytes += sizeof(int64_t);  // z
  }
}

}  // namespace tributary
