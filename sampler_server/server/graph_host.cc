#include "sampler_server/server/graph_host.h"

#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/fleet/graph_name.h"
#include "common/fleet/graph_text.h"
#include "common/observe/log.h"
#include "common/text/status.h"
#include "partition/format/graph_bytes.h"
#include "partition/format/graph_json.h"
#include "partition/format/hot_lists.h"
#include "partition/format/hot_manifest.h"
#include "sampler_server/rows/serving_graph.h"
#include "sampler_server/server/peered_graph.h"

namespace tributary {
namespace {

absl::Status CheckDescribable(const Graph& graph) {
  const size_t bytes = graph.schema_json().size();
  if (bytes <= kMaxGraphTextBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "graph.json has ", bytes, " bytes without its files; allowed to serve: ",
      kMaxGraphTextBytes, "; partition the graph into fewer parts than ",
      graph.schema().num_partitions));
}

// Batches of a graph that is not all here need the servers that have the rest.
void WarnOfPartitionsElsewhere(const Graph& graph) {
  const GraphSchema& schema = graph.schema();
  if (graph.partitions().size() == schema.num_partitions) return;
  Log(LogLevel::kWarning,
      absl::StrCat(
          "graph ", VersionedName(schema.name, schema.content_digest),
          ": this server has ", graph.partitions().size(), " of its ",
          schema.num_partitions,
          " partitions and no --peers: batches that need the others fail. "
          "Start each server with the addresses of all as --peers"));
}

// Returns the partitions to open of the graph in `folder`; empty: all.
absl::StatusOr<std::vector<uint32_t>> PartitionsOf(const ListedGraph& source) {
  if (!source.partitions.is_share()) return source.partitions.Of(0);
  ASSIGN_OR_RETURN(const GraphSchema schema, ReadGraphJson(source.folder));
  return source.partitions.Of(schema.num_partitions);
}

std::string NameOf(const Graph& graph) {
  return VersionedName(graph.schema().name, graph.schema().content_digest);
}

// Returns the most bytes that the cache of hot rows of these partitions takes;
// 0 if there is none.
absl::StatusOr<uint64_t> HotBytesIn(const ListedGraph& source,
                                    std::vector<uint32_t> partitions) {
  ASSIGN_OR_RETURN(const GraphSchema schema, ReadGraphJson(source.folder));
  if (partitions.empty() || partitions.size() >= schema.num_partitions) {
    return uint64_t{0};
  }
  ASSIGN_OR_RETURN(const std::optional<HotManifest> manifest,
                   ReadHotManifest(source.folder, schema));
  if (!manifest.has_value()) return uint64_t{0};
  return HotBytesOf(*manifest, schema, partitions);
}

}  // namespace

absl::StatusOr<OpenedGraph> GraphHost::Open(const ListedGraph& source) {
  OpenOptions open;
  ASSIGN_OR_RETURN(open.partitions, PartitionsOf(source));
  open.verify = options_.verify;
  open.features = options_.features;
  open.huge_pages = options_.huge_pages;
  open.cancelled = [this] { return cancelled_.load(); };
  uint64_t hot_bytes = 0;
  if (options_.hot_cache) {
    ASSIGN_OR_RETURN(hot_bytes, HotBytesIn(source, open.partitions));
  }
  OpenedGraph opened;
  const MemoryBeside beside = {
      .batches = options_.reserved_bytes + HeldBytes() + hot_bytes,
      .tensors = options_.tensor_bytes};
  ASSIGN_OR_RETURN(opened.graph, OpenServingGraph(source.folder, open, beside));
  RETURN_IF_ERROR(CheckDescribable(*opened.graph));
  ASSIGN_OR_RETURN(opened.hot_lists,
                   OpenHotLists(source.folder, opened.graph->schema(),
                                open.verify, open.cancelled));
  if (!options_.hot_cache) return opened;
  ASSIGN_OR_RETURN(
      opened.hot, HotCache::Open(source.folder, *opened.graph, open.cancelled));
  if (opened.hot != nullptr) {
    LogInfo(absl::StrCat("hot cache: ", opened.hot->num_rows(),
                         " rows of other partitions, ",
                         opened.hot->bytes() >> 20, " MiB of memory"));
  }
  return opened;
}

uint64_t GraphHost::HeldBytes() const {
  uint64_t held = 0;
  MutexLock lock(state_->mutex);
  for (const Hosted& hosted : state_->hosted) {
    const Graph& graph = *hosted.opened.graph;
    const GraphBytes bytes = GraphBytesOf(graph.schema(), graph.partitions());
    held += bytes.rest + (graph.reads_features() ? 0 : bytes.features);
    if (hosted.opened.hot != nullptr) held += hosted.opened.hot->bytes();
  }
  return held;
}

uint64_t GraphHost::copied_bytes() const {
  uint64_t bytes = 0;
  MutexLock lock(state_->mutex);
  for (const Hosted& hosted : state_->hosted) {
    bytes += hosted.opened.graph->copied_bytes();
  }
  return bytes;
}

uint64_t GraphHost::hot_bytes() const {
  uint64_t bytes = 0;
  MutexLock lock(state_->mutex);
  for (const Hosted& hosted : state_->hosted) {
    if (hosted.opened.hot != nullptr) bytes += hosted.opened.hot->bytes();
  }
  return bytes;
}

std::shared_ptr<RowReader> GraphHost::RowsFor(const Graph& graph) {
  if (!graph.reads_features()) return nullptr;
  MutexLock lock(rows_mutex_);
  if (rows_ == nullptr) {
    rows_ = std::make_unique<DiskRows>(options_.feature_readers, metrics_);
  }
  return rows_->queue();
}

absl::Status GraphHost::Serve(const ListedGraph& source, OpenedGraph opened,
                              SamplerService& service) {
  if (!options_.has_peers) WarnOfPartitionsElsewhere(*opened.graph);
  PeeredGraph peered = MakePeeredGraph(
      opened.graph, RowsFor(*opened.graph), opened.hot, options_.incarnation,
      options_.has_peers, transport_, executor_, statuses_);
  peered.served.hot_lists = opened.hot_lists;
  RETURN_IF_ERROR(service.AddGraph(std::move(peered.served)));
  MutexLock lock(state_->mutex);
  peered.directory->SetListed(state_->listed);
  state_->hosted.push_back(
      {source, std::move(opened), std::move(peered.directory)});
  return absl::OkStatus();
}

void GraphHost::Retire(const ListedGraph& source, absl::Time deadline,
                       SamplerService& service) {
  Sha256Digest layout{};
  std::string name;
  const PeerDirectory* directory = nullptr;
  {
    MutexLock lock(state_->mutex);
    for (Hosted& hosted : state_->hosted) {
      if (hosted.retiring || !(hosted.source == source)) continue;
      hosted.retiring = true;
      layout = hosted.opened.graph->schema().layout_digest;
      name = NameOf(*hosted.opened.graph);
      directory = hosted.directory.get();
    }
  }
  if (directory == nullptr) return;
  LogInfo(absl::StrCat("graph ", name, " takes no new batches"));
  const absl::Status retired =
      service.RetireGraph(layout, deadline, [state = state_, directory, name] {
        RemoveRetired(*state, directory);
        LogInfo(absl::StrCat("graph ", name, " is let go"));
      });
  if (!retired.ok()) LogError(retired.ToString());
}

void GraphHost::RemoveRetired(State& state, const PeerDirectory* directory) {
  Hosted gone;
  {
    MutexLock lock(state.mutex);
    for (Hosted& hosted : state.hosted) {
      if (hosted.directory.get() == directory) gone = std::move(hosted);
    }
    std::erase_if(state.hosted,
                  [](const Hosted& h) { return h.directory == nullptr; });
  }
  if (gone.directory != nullptr) gone.directory->Stop([] {});
}

std::vector<ListedGraph> GraphHost::served() const {
  std::vector<ListedGraph> sources;
  MutexLock lock(state_->mutex);
  for (const Hosted& hosted : state_->hosted) {
    if (!hosted.retiring) sources.push_back(hosted.source);
  }
  return sources;
}

void GraphHost::SetListed(const std::vector<Address>& addresses) {
  MutexLock lock(state_->mutex);
  state_->listed = addresses;
  for (const Hosted& hosted : state_->hosted) {
    hosted.directory->SetListed(addresses);
  }
}

size_t GraphHost::healthy_peers() const {
  std::set<std::string> healthy;
  MutexLock lock(state_->mutex);
  for (const Hosted& hosted : state_->hosted) {
    for (const v1::PeerState& peer : hosted.directory->States()) {
      if (peer.healthy()) healthy.insert(peer.address());
    }
  }
  return healthy.size();
}

uint64_t GraphHost::disk_errors() const {
  MutexLock lock(rows_mutex_);
  return rows_ == nullptr ? 0 : rows_->queue()->errors();
}

void GraphHost::Look() { statuses_->Look(executor_->Now()); }

PeerViews GraphHost::ViewPeers(bool graphs) const {
  PeerViews views(graphs);
  MutexLock lock(state_->mutex);
  for (const Hosted& hosted : state_->hosted) {
    views.Add(hosted.opened.graph->schema(), hosted.directory->Views());
  }
  return views;
}

std::vector<ServerView> GraphHost::Peers() const {
  return ViewPeers(/*graphs=*/true).Take(*statuses_, executor_->Now());
}

std::vector<std::string> GraphHost::silent_peers() const {
  return ViewPeers(/*graphs=*/false).Silent();
}

std::string GraphHost::self_address() const {
  MutexLock lock(state_->mutex);
  for (const Hosted& hosted : state_->hosted) {
    std::string address = hosted.directory->self_address();
    if (!address.empty()) return address;
  }
  return "";
}

void GraphHost::Stop(absl::AnyInvocable<void()> stopped) {
  std::vector<Hosted> hosted;
  {
    MutexLock lock(state_->mutex);
    hosted.swap(state_->hosted);
  }
  // Runs `stopped` when the last directory has released it.
  const std::shared_ptr<const void> last(
      this, [stopped = std::move(stopped)](const void*) mutable { stopped(); });
  for (const Hosted& h : hosted) h.directory->Stop([last] {});
}

}  // namespace tributary
