#include "sampler_server/service/graph_catalog.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/observe/log.h"
#include "common/text/status.h"

namespace tributary {
namespace {

using Graphs = std::vector<std::shared_ptr<HeldGraph>>;

std::string Names(const Graphs& graphs) {
  if (graphs.empty()) return "none";
  return absl::StrJoin(graphs, ", ", [](std::string* out, const auto& graph) {
    absl::StrAppend(out, graph->name(), graph->retiring ? " (retiring)" : "");
  });
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

absl::Status NoSuchGraph(const GraphName& name, const Graphs& graphs) {
  return absl::NotFoundError(absl::StrCat(
      "graph '", name.ToString(), "'; this server has ", Names(graphs)));
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
    Sha256Digest GraphSchema::*of) {
  ASSIGN_OR_RETURN(const Sha256Digest digest, ToDigest(what, bytes));
  auto found = NewestOf(
      graphs, [&](const GraphSchema& schema) { return schema.*of == digest; });
  if (found != nullptr) return found;
  std::string ours =
      absl::StrJoin(graphs, ", ", [&](std::string* out, const auto& graph) {
        absl::StrAppend(out, ToHex(graph->schema().*of), " (", graph->name(),
                        ")");
      });
  return absl::FailedPreconditionError(absl::StrCat(
      "the request is for a graph with ", std::string(what), " digest ",
      ToHex(digest), "; this server has ", ours.empty() ? "none" : ours));
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

std::shared_ptr<const Graphs> GraphCatalog::Snapshot() const {
  MutexLock lock(mutex_);
  return graphs_;
}

std::vector<std::shared_ptr<HeldGraph>> GraphCatalog::All() const {
  return *Snapshot();
}

absl::StatusOr<std::shared_ptr<HeldGraph>> GraphCatalog::WithContent(
    const std::string& digest) const {
  return WithDigest(*Snapshot(), "content", digest,
                    &GraphSchema::content_digest);
}

absl::StatusOr<std::shared_ptr<HeldGraph>> GraphCatalog::WithLayout(
    const std::string& digest) const {
  return WithDigest(*Snapshot(), "layout", digest, &GraphSchema::layout_digest);
}

absl::StatusOr<std::shared_ptr<HeldGraph>> GraphCatalog::Named(
    const GraphName& name) const {
  const auto graphs = Snapshot();
  auto found = NewestOf(*graphs, [&](const GraphSchema& schema) {
    return name.Matches(schema.name, schema.content_digest);
  });
  if (found == nullptr) return NoSuchGraph(name, *graphs);
  const bool one_name =
      std::all_of(graphs->begin(), graphs->end(), [&](const auto& held) {
        return held->schema().name == found->schema().name;
      });
  if (!name.empty() || one_name) return found;
  return absl::InvalidArgumentError(
      absl::StrCat("several graphs are served, and none is named (graph_name, "
                   "--graph-name); this server has ",
                   Names(*graphs)));
}

absl::StatusOr<std::shared_ptr<HeldGraph>> GraphCatalog::Newest() const {
  const auto graphs = Snapshot();
  auto found = NewestOf(*graphs, [](const GraphSchema&) { return true; });
  if (found == nullptr) return NoSuchGraph({}, *graphs);
  return found;
}

}  // namespace tributary
