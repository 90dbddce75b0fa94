#include "trainer_client/core/session/split_pages.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/schema/spec_graph.h"

namespace tributary {

absl::StatusOr<SplitPages> SplitPages::Start(const GraphSchema& schema,
                                             const InputSource& source) {
  std::string type = source.edge_type;
  std::vector<Range> ranges;
  if (type.empty()) {
    ASSIGN_OR_RETURN(type,
                     ResolveInputType(SpecGraphOf(schema), source.node_type));
    ranges = {{0, schema.node_types[schema.FindNodeType(type)].num_nodes}};
  } else if (const int found = schema.FindEdgeType(type); found >= 0) {
    const EdgeTypeSchema& edges = schema.edge_types[found];
    // An edge of a split need not be one of the graph: its id is -1 then.
    ranges = {{0, schema.node_types[edges.src_type].num_nodes},
              {0, schema.node_types[edges.dst_type].num_nodes},
              {-1, INT64_MAX}};
  }
  ASSIGN_OR_RETURN(const size_t found, schema.FindSplit(type, source.split));
  const auto count = static_cast<uint64_t>(schema.splits[found].count);
  if (count == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("split ", source.split, " is empty"));
  }
  const uint64_t total = count * ranges.size();
  return SplitPages(source.split, total, std::move(ranges));
}

absl::Status SplitPages::Add(const InputPage& page) {
  if (page.total != total_ || page.ids.empty() ||
      page.ids.size() > total_ - values_.size()) {
    return absl::DataLossError(absl::StrCat(
        "split ", name_, " has ", total_, " values by graph.json; a page at ",
        values_.size(), " brought ", page.ids.size(), " of ", page.total));
  }
  for (size_t i = 0; i < page.ids.size(); ++i) {
    const Range& range = ranges_[(values_.size() + i) % ranges_.size()];
    if (page.ids[i] >= range.least && page.ids[i] < range.end) continue;
    return absl::DataLossError(absl::StrCat(
        "value ", values_.size() + i, " of split ", name_, " is ", page.ids[i],
        "; allowed: ", range.least, " to ", range.end - 1));
  }
  values_.insert(values_.end(), page.ids.begin(), page.ids.end());
  latest_was_short_ = page.ids.size() < longest_page_ && !complete();
  longest_page_ = std::max(longest_page_, page.ids.size());
  return absl::OkStatus();
}

}  // namespace tributary
