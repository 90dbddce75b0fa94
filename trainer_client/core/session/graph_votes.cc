#include "trainer_client/core/session/graph_votes.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/fleet/graph_name.h"

namespace tributary {
namespace {

constexpr size_t kMaxNamed = 4;

}  // namespace

void GraphVotes::Set(const Address& server,
                     const ServerDescription& description) {
  votes_[server] = {description.graph_name, description.content_digest,
                    description.contents};
}

std::map<Sha256Digest, GraphVotes::Count> GraphVotes::CountAll() const {
  std::map<Sha256Digest, Count> counts;
  for (const auto& [server, vote] : votes_) ++counts[vote.content].named;
  for (auto& [content, count] : counts) {
    for (const auto& [server, vote] : votes_) {
      const bool holds =
          vote.content == content ||
          std::count(vote.holds.begin(), vote.holds.end(), content) > 0;
      count.held += holds ? 1 : 0;
    }
  }
  return counts;
}

absl::StatusOr<std::optional<Sha256Digest>> GraphVotes::Choose(
    bool all_heard) const {
  const auto counts = CountAll();
  const auto doubled =
      std::count_if(counts.begin(), counts.end(),
                    [](const auto& count) { return count.second.named > 1; });
  if (votes_.empty() || (!all_heard && doubled != 1)) return std::nullopt;
  const Vote* best = nullptr;
  std::tuple<int, int> most;
  for (const auto& [server, vote] : votes_) {
    const Count& count = counts.at(vote.content);
    const std::tuple<int, int> value(count.named, count.held);
    if (best != nullptr && value <= most) continue;
    best = &vote;
    most = value;
  }
  if (counts.size() > 1 && most == std::tuple<int, int>(1, 1)) {
    return Undecided();
  }
  return best->content;
}

absl::Status GraphVotes::Undecided() const {
  std::vector<std::string> named;
  for (const auto& [server, vote] : votes_) {
    if (named.size() == kMaxNamed) break;
    named.push_back(absl::StrCat("server ", server.ToString(), " has ",
                                 VersionedName(vote.name, vote.content)));
  }
  return absl::FailedPreconditionError(
      absl::StrCat("the servers have different graphs, and no two the same: ",
                   absl::StrJoin(named, ", "),
                   votes_.size() > kMaxNamed
                       ? absl::StrCat(", ", votes_.size() - kMaxNamed, " more")
                       : "",
                   "; name the one that is meant as graph_name (--graph-name), "
                   "NAME@VERSION"));
}

std::string ContentText(GraphSchema schema) {
  schema.made_by.clear();
  schema.files.clear();
  schema.partition_method.clear();
  schema.num_partitions = 1;
  schema.layout_digest = {};
  for (NodeTypeSchema& type : schema.node_types) type.base.clear();
  for (EdgeTypeSchema& type : schema.edge_types) type.partition_edges.clear();
  return schema.ToJson();
}

}  // namespace tributary
