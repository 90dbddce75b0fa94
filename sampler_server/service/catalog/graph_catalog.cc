#include "sampler_server/service/catalog/graph_catalog.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/fleet/graph_text.h"
#include "common/observe/log.h"
#include "common/text/status.h"

namespace tributary {
namespace {

using Graphs = GraphView::Graphs;

std::string Names(const Graphs& graphs, const std::string& omitted) {
  if (graphs.empty()) return "none" + omitted;
  std::string names =
      absl::StrJoin(graphs, ", ", [](std::string* out, const auto& graph) {
        absl::StrAppend(out, graph->name(),
                        graph->retiring ? " (retiring)" : "");
      });
  return names + omitted;
}

// Returns the newest match that is not being retired, or else the newest; null
// if none matches.
template <typename Matches>
std::shared_ptr<HeldGraph> NewestOf(const Graphs& graphs, Matches matches) {
  std::shared_ptr<HeldGraph> found;
  for (const auto& graph : graphs) {
    if (!matches(graph->schema())) continue;
    if (found == nullptr || found->retiring || !graph->retiring) found = graph;
  }
  return found;
}

absl::Status NoSuchGraph(const GraphName& name, const Graphs& graphs,
                         const std::string& omitted) {
  return absl::NotFoundError(absl::StrCat("graph '", name.ToString(),
                                          "'; this server has ",
                                          Names(graphs, omitted)));
}

absl::StatusOr<Sha256Digest> ToDigest(std::string_view what,
                                      const std::string& bytes) {
  Sha256Digest digest;
  if (bytes.size() != digest.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(what), " digest of ", bytes.size(),
                     " bytes; it has ", digest.size()));
  }
  std::memcpy(digest.data(), bytes.data(), digest.size());
  return digest;
}

absl::StatusOr<std::shared_ptr<HeldGraph>> WithDigest(
    const Graphs& graphs, std::string_view what, const std::string& bytes,
    Sha256Digest GraphSchema::*of, const std::string& omitted) {
  ASSIGN_OR_RETURN(const Sha256Digest digest, ToDigest(what, bytes));
  auto found = NewestOf(
      graphs, [&](const GraphSchema& schema) { return schema.*of == digest; });
  if (found != nullptr) return found;
  std::string ours =
      absl::StrJoin(graphs, ", ", [&](std::string* out, const auto& graph) {
        absl::StrAppend(out, ToHex(graph->schema().*of), " (", graph->name(),
                        ")");
      });
  return absl::FailedPreconditionError(
      absl::StrCat("the request is for a graph with ", std::string(what),
                   " digest ", ToHex(digest), "; this server has ",
                   ours.empty() ? "none" : ours, omitted));
}

std::string DescribedDigests(const ServedGraph& served,
                             const Sha256Digest& json) {
  const Graph& graph = *served.graph;
  const GraphSchema& schema = graph.schema();
  v1::DescribeReply reply;
  reply.set_content_digest(schema.content_digest.data(),
                           schema.content_digest.size());
  reply.set_layout_digest(schema.layout_digest.data(),
                          schema.layout_digest.size());
  reply.set_graph_json_bytes(graph.schema_json().size());
  reply.set_graph_json_sha256(json.data(), json.size());
  for (const auto& list : served.hot_lists) {
    v1::HotListState* state = reply.add_hot_lists();
    state->set_name(list->name());
    state->set_digest(list->digest().data(), list->digest().size());
    if (!list->files().empty()) {
      state->set_json_bytes(list->files()[0].bytes.size());
    }
  }
  return reply.SerializeAsString();
}

std::string DescribedText(const Graph& graph) {
  if (graph.schema_json().size() > kMaxGraphTextInReply) return "";
  v1::DescribeReply reply;
  reply.set_graph_json(graph.schema_json());
  return reply.SerializeAsString();
}

}  // namespace

absl::Status DamageOf(const HeldGraph* held) {
  if (held == nullptr) return absl::OkStatus();
  const absl::Status damage = held->graph().damage();
  if (!damage.ok()) {
    LogRepeated(LogLevel::kError, absl::StrCat("damage of ", held->name()),
                absl::StrCat("graph ", held->name(),
                             " is served no longer: ", damage.message()));
  }
  return damage;
}

HeldGraph::HeldGraph(ServedGraph graph)
    : served(std::move(graph)),
      json_digest(Sha256Of(served.graph->schema_json())),
      described(DescribedDigests(served, json_digest)),
      described_text(DescribedText(*served.graph)) {}

absl::Status GraphCatalog::Add(std::shared_ptr<HeldGraph> graph) {
  MutexLock lock(mutex_);
  for (const auto& held : *graphs_) {
    if (held->schema().layout_digest != graph->schema().layout_digest) continue;
    return absl::AlreadyExistsError(
        absl::StrCat("graph ", graph->name(), " with layout digest ",
                     ToHex(graph->schema().layout_digest), " is served already",
                     held->retiring ? ", and being retired" : ""));
  }
  if (graphs_->size() >= kMaxGraphs) {
    return absl::ResourceExhaustedError(absl::StrCat(
        kMaxGraphs, " graphs are served already; allowed: ", kMaxGraphs));
  }
  Graphs graphs = *graphs_;
  graphs.push_back(std::move(graph));
  graphs_ = std::make_shared<const Graphs>(std::move(graphs));
  return absl::OkStatus();
}

void GraphCatalog::Remove(const HeldGraph& graph) {
  MutexLock lock(mutex_);
  Graphs graphs = *graphs_;
  std::erase_if(graphs, [&](const auto& held) { return held.get() == &graph; });
  graphs_ = std::make_shared<const Graphs>(std::move(graphs));
}

GraphView GraphCatalog::View() const {
  MutexLock lock(mutex_);
  return GraphView(graphs_);
}

GraphView GraphCatalog::View(absl::FunctionRef<bool(const HeldGraph&)> may_see,
                             const std::string& omitted) const {
  const GraphView all = View();
  Graphs seen;
  for (const auto& graph : all.graphs()) {
    if (may_see(*graph)) seen.push_back(graph);
  }
  if (seen.size() == all.graphs().size()) return all;
  return GraphView(std::make_shared<const Graphs>(std::move(seen)), omitted);
}

absl::StatusOr<std::shared_ptr<HeldGraph>> GraphView::WithContent(
    const std::string& digest) const {
  return WithDigest(*graphs_, "content", digest, &GraphSchema::content_digest,
                    omitted_);
}

absl::StatusOr<std::shared_ptr<HeldGraph>> GraphView::WithLayout(
    const std::string& digest) const {
  return WithDigest(*graphs_, "layout", digest, &GraphSchema::layout_digest,
                    omitted_);
}

absl::StatusOr<std::shared_ptr<HeldGraph>> GraphView::Named(
    const GraphName& name) const {
  const Graphs& graphs = *graphs_;
  auto found = NewestOf(graphs, [&](const GraphSchema& schema) {
    return name.Matches(schema.name, schema.content_digest);
  });
  if (found == nullptr) return NoSuchGraph(name, graphs, omitted_);
  const bool one_name =
      std::all_of(graphs.begin(), graphs.end(), [&](const auto& held) {
        return held->schema().name == found->schema().name;
      });
  if (!name.empty() || one_name) return found;
  return absl::InvalidArgumentError(
      absl::StrCat("several graphs are served, and none is named (graph_name, "
                   "--graph-name); this server has ",
                   Names(graphs, omitted_)));
}

absl::StatusOr<std::shared_ptr<HeldGraph>> GraphView::Newest() const {
  auto found = NewestOf(*graphs_, [](const GraphSchema&) { return true; });
  if (found == nullptr) return NoSuchGraph({}, *graphs_, omitted_);
  return found;
}

}  // namespace tributary
