#include "cli/hot/make_hot_cache.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/hot/access_counts.h"
#include "cli/sample/sample_source.h"
#include "common/batch/compact/compact_measure.h"
#include "common/text/status.h"
#include "partition/format/hot_lists.h"
#include "partition/schema/feature_columns.h"
#include "partition/writer/hot/hot_cache_writer.h"
#include "partition/writer/hot/hot_list_writer.h"
#include "partition/writer/hot/node_ranking.h"
#include "trainer_client/core/dist_loader.h"

namespace tributary {
namespace {

constexpr std::array<double, 7> kForecastRatios = {0.01, 0.02, 0.05, 0.1,
                                                   0.2,  0.5,  1};

// Returns the input nodes of a session, ascending and each once.
absl::StatusOr<std::vector<int64_t>> InputsOf(const Graph& graph, int type,
                                              const SessionOptions& loader) {
  std::vector<int64_t> ids = loader.input_nodes;
  const int64_t num_nodes = graph.schema().node_types[type].num_nodes;
  if (!loader.input_split.empty()) {
    ASSIGN_OR_RETURN(const auto split, graph.Split(type, loader.input_split));
    ids.assign(split.begin(), split.end());
  }
  for (size_t i = 0; i < loader.input_mask.size(); ++i) {
    if (loader.input_mask[i]) ids.push_back(static_cast<int64_t>(i));
  }
  for (int64_t i = 0; loader.all_nodes && i < num_nodes; ++i) ids.push_back(i);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

absl::StatusOr<int> InputTypeOf(const GraphSchema& schema,
                                const std::string& name) {
  if (name.empty() && schema.node_types.size() == 1) return 0;
  const int type = schema.FindNodeType(name);
  if (type >= 0) return type;
  return absl::InvalidArgumentError(absl::StrCat(
      "--input-nodes names ",
      name.empty() ? "no node type" : absl::StrCat("the node type ", name),
      "; the graph has several: TYPE: before it"));
}

absl::Status CheckGraph(const std::string& folder, const GraphSchema& schema,
                        bool caches) {
  if (schema.num_partitions < 2 && caches) {
    return absl::InvalidArgumentError(absl::StrCat(
        folder,
        " has one partition, and so no rows of others to cache; allowed: "
        "to leave --hot-cache out, for the hot list alone"));
  }
  if (!caches && HasListedTypes(schema)) return absl::OkStatus();
  for (const NodeTypeSchema& type : schema.node_types) {
    if (type.x.has_value()) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(folder, " has no features of nodes (x) to cache"));
}

// A graph is not verified when it is opened, and original ids index counters.
absl::Status CheckOriginalIds(const Graph& graph) {
  const GraphSchema& schema = graph.schema();
  for (size_t t = 0; t < schema.node_types.size(); ++t) {
    const NodeTypeSchema& type = schema.node_types[t];
    for (uint32_t p = 0; p < schema.num_partitions; ++p) {
      for (const int64_t id : graph.nodes(static_cast<int>(t), p)->orig_id) {
        if (id >= 0 && id < type.num_nodes) continue;
        return absl::DataLossError(absl::StrCat(
            "orig_id of node type ", type.name, " in partition ", p, " holds ",
            id, " of ", type.num_nodes, " nodes: verify the graph"));
      }
    }
  }
  return absl::OkStatus();
}

// Samples by one loader after the other, then works on one partition after the
// other.
class HotCacheMaker {
 public:
  // `writer` is null if nothing is to be written.
  HotCacheMaker(const HotCacheRequest& request, const Graph& graph,
                HotCacheWriter* writer, SamplingWorkers& workers,
                const HotProgress& progress)
      : request_(request),
        graph_(graph),
        writer_(writer),
        workers_(workers),
        progress_(progress),
        chosen_by_(graph_.schema()),
        predicted_by_(graph_.schema()) {
    if (!request_.size.has_value()) return;
    for (const double ratio : kForecastRatios) sizes_.push_back({ratio, 0});
    const auto same = [this](const HotSize& size) {
      return size.ratio.has_value() && size.ratio == request_.size->ratio;
    };
    std::erase_if(sizes_, same);
    sizes_.push_back(*request_.size);
    report_.sizes.resize(sizes_.size());
  }

  absl::StatusOr<HotCacheReport> Make() {
    if (request_.order == HotOrder::kGlobal) {
      ASSIGN_OR_RETURN(const uint64_t batches,
                       Sample(request_.sample.session.options, ""));
      RETURN_IF_ERROR(FindHeld());
      for (uint32_t p = 0; p < graph_.schema().num_partitions; ++p) {
        RETURN_IF_ERROR(MakePartition(p, batches));
      }
    } else {
      RETURN_IF_ERROR(MakeLocally());
    }
    report_.trainers = ForecastTrainers(ForecastTypes(), later_);
    if (writer_ != nullptr) {
      ReportProgress("flushes the cache to the disk");
      RETURN_IF_ERROR(writer_->Commit(request_.made_by).status());
    }
    if (!request_.dry_run) RETURN_IF_ERROR(WriteList());
    return MakeReport();
  }

 private:
  absl::Status MakeLocally();
  // Counts the batches of both epochs. Returns how many there are of the later
  // one.
  absl::StatusOr<uint64_t> Sample(SessionOptions loader,
                                  const std::string& whose);
  void LeaveOutRows(SessionOptions& loader) const;
  absl::StatusOr<uint64_t> SampleEpoch(DistLoader& loader, uint64_t epoch,
                                       const std::string& stage,
                                       AccessCounts& counts);
  void ReportProgress(std::string_view stage, uint64_t done = 0,
                      uint64_t total = 0) {
    if (progress_ == nullptr) return;
    progress_(stage, static_cast<int64_t>(done), static_cast<int64_t>(total));
  }
  // Finds the nodes whose rows trainers hold.
  absl::Status FindHeld();
  absl::Status MakePartition(uint32_t partition, uint64_t batches);
  absl::Status WriteList();
  // Return the counts over the orders of all partitions.
  const AccessCounts& AllChosen() const {
    return all_chosen_by_.has_value() ? *all_chosen_by_ : chosen_by_;
  }
  const AccessCounts& AllPredicted() const {
    return all_predicted_by_.has_value() ? *all_predicted_by_ : predicted_by_;
  }
  std::vector<ForecastType> ForecastTypes() const;
  std::vector<HotType> TypesOf(uint32_t partition) const;
  // Counts the nodes of all partitions.
  AccessHistogram HistogramOfAll(int type) const;
  // Counts those of other partitions that trainers do not hold.
  AccessHistogram HistogramOfRemote(int type, uint32_t partition) const;
  // Calls `take(original id, internal id)` for these, ascending by the latter.
  template <typename Take>
  void ForEachRemote(int type, uint32_t partition, Take take) const;
  std::vector<uint64_t> ChosenIds(uint32_t partition, int type,
                                  const HotTypeChoice& choice) const;
  HotCacheReport MakeReport();

  const HotCacheRequest& request_;
  const Graph& graph_;
  HotCacheWriter* const writer_;
  SamplingWorkers& workers_;
  const HotProgress& progress_;
  AccessCounts chosen_by_, predicted_by_;
  // Of the orders of all partitions, where each has its own.
  std::optional<AccessCounts> all_chosen_by_, all_predicted_by_;
  std::vector<std::vector<bool>> held_;  // by type, original id; or empty
  LaterBatches later_;
  std::vector<HotSize> sizes_;
  HotCacheReport report_;
};

absl::Status HotCacheMaker::MakeLocally() {
  const SessionOptions& asked = request_.sample.session.options;
  const GraphSchema& schema = graph_.schema();
  ASSIGN_OR_RETURN(const int type, InputTypeOf(schema, asked.input_type));
  ASSIGN_OR_RETURN(const std::vector<int64_t> ids,
                   InputsOf(graph_, type, asked));
  all_chosen_by_.emplace(schema);
  all_predicted_by_.emplace(schema);
  std::vector<std::vector<int64_t>> own(schema.num_partitions);
  for (const int64_t id : ids) {
    ASSIGN_OR_RETURN(const NodeLocation at, graph_.node_map(type).Locate(id));
    own[at.partition].push_back(id);
  }
  for (uint32_t p = 0; p < schema.num_partitions; ++p) {
    uint64_t batches = 0;
    chosen_by_.Clear();
    predicted_by_.Clear();
    if (!own[p].empty()) {
      SessionOptions loader = asked;
      loader.input_split.clear();
      loader.input_mask.clear();
      loader.all_nodes = false;
      loader.input_nodes = std::move(own[p]);
      loader.own_inputs = true;
      loader.shuffle = ShuffleMode::kLocal;
      ASSIGN_OR_RETURN(batches, Sample(std::move(loader),
                                       absl::StrCat(" of partition ", p)));
    }
    RETURN_IF_ERROR(MakePartition(p, batches));
  }
  return absl::OkStatus();
}

// A batch has the same nodes with and without their features and labels, whose
// bytes are counted by the nodes.
void HotCacheMaker::LeaveOutRows(SessionOptions& loader) const {
  CollectedColumns others = CollectedColumns::None();
  for (const CollectedColumn column :
       {CollectedColumn::kEdgeAttr, CollectedColumn::kTime,
        CollectedColumn::kWeight, CollectedColumn::kSeedTime}) {
    if (loader.collect.has(column)) others.Add(column);
  }
  loader.collect = others;
  for (const EdgeTypeSchema& type : graph_.schema().edge_types) {
    if (type.edge_attr.has_value() && others.has(CollectedColumn::kEdgeAttr)) {
      return;
    }
  }
  loader.feature_dtype = FeatureDType::kStored;
}

absl::StatusOr<uint64_t> HotCacheMaker::Sample(SessionOptions loader,
                                               const std::string& whose) {
  LeaveOutRows(loader);
  ASSIGN_OR_RETURN(const std::unique_ptr<DistLoader> made,
                   workers_.OpenLoader(loader));
  const uint64_t epoch = request_.sample.epoch;
  RETURN_IF_ERROR(
      SampleEpoch(*made, epoch,
                  absl::StrCat("samples epoch ", epoch, whose, " to choose"),
                  chosen_by_)
          .status());
  return SampleEpoch(
      *made, epoch + 1,
      absl::StrCat("samples epoch ", epoch + 1, whose, " to predict"),
      predicted_by_);
}

absl::StatusOr<uint64_t> HotCacheMaker::SampleEpoch(DistLoader& loader,
                                                    uint64_t epoch,
                                                    const std::string& stage,
                                                    AccessCounts& counts) {
  RETURN_IF_ERROR(loader.StartEpoch(epoch));
  RETURN_IF_ERROR(
      loader.Limit(request_.sample.batches.from, request_.sample.batches.to));
  const uint64_t total = loader.end_index() - loader.begin_index();
  const bool predicts = &counts == &predicted_by_;
  const uint64_t bytes_before = loader.stats().bytes;
  uint64_t compact = 0;
  if (predicts) later_.batches_of_epoch += loader.num_batches();
  for (uint64_t batches = 0;; ++batches) {
    ReportProgress(stage, batches, total);
    ASSIGN_OR_RETURN(const std::optional<BatchLease> batch, loader.Next());
    if (!batch.has_value()) {
      if (predicts) {
        later_.batches += batches;
        later_.bytes += loader.stats().bytes - bytes_before - compact;
      }
      return batches;
    }
    RETURN_IF_ERROR(counts.Add(batch->view()));
    std::optional<AccessCounts>& all =
        &counts == &chosen_by_ ? all_chosen_by_ : all_predicted_by_;
    if (all.has_value()) RETURN_IF_ERROR(all->Add(batch->view()));
    if (predicts) compact += CompactSavingOf(batch->view());
  }
}

std::vector<ForecastType> HotCacheMaker::ForecastTypes() const {
  const SessionOptions& loader = request_.sample.session.options;
  std::vector<ForecastType> types;
  for (const NodeTypeSchema& schema : graph_.schema().node_types) {
    const auto t = static_cast<int>(types.size());
    types.push_back(
        {.num_nodes = static_cast<uint64_t>(schema.num_nodes),
         .held = MayLeaveOutRows(schema, loader.collect, loader.feature_dtype),
         .row_bytes =
             CollectedRowBytes(schema, loader.collect, loader.feature_dtype),
         .all = HistogramOfAll(t)});
  }
  return types;
}

absl::Status HotCacheMaker::WriteList() {
  ReportProgress("writes the hot list");
  HotListRequest list;
  list.folder = request_.sample.graph;
  list.name = request_.list;
  list.made_by = request_.made_by;
  for (size_t t = 0; t < graph_.schema().node_types.size(); ++t) {
    list.counts.push_back(AllChosen().of(static_cast<int>(t)));
  }
  return WriteHotList(graph_, list).status();
}

absl::Status HotCacheMaker::FindHeld() {
  if (request_.trainer_share == 0) return absl::OkStatus();
  ReportProgress("orders the rows that trainers hold");
  const SessionOptions& loader = request_.sample.session.options;
  for (const NodeTypeSchema& schema : graph_.schema().node_types) {
    const auto type = static_cast<int>(held_.size());
    std::vector<bool>& held = held_.emplace_back(schema.num_nodes);
    if (!MayLeaveOutRows(schema, loader.collect, loader.feature_dtype))
      continue;
    ASSIGN_OR_RETURN(const NodeRanking ranking,
                     NodeRanking::Make(graph_, type, AllChosen().of(type)));
    const double rows =
        request_.trainer_share * static_cast<double>(schema.num_nodes);
    for (size_t rank = 0; rank < static_cast<size_t>(rows); ++rank) {
      held[ranking.IdAt(rank)] = true;
    }
  }
  return absl::OkStatus();
}

absl::Status HotCacheMaker::MakePartition(uint32_t partition,
                                          uint64_t batches) {
  if (!request_.size.has_value()) return absl::OkStatus();
  ReportProgress("writes the rows", partition, graph_.schema().num_partitions);
  const std::vector<HotType> types = TypesOf(partition);
  const auto cached_bytes = [&types](absl::Span<const HotTypeChoice> choice) {
    uint64_t bytes = 0;
    for (size_t t = 0; t < types.size(); ++t) {
      bytes += choice[t].rows * types[t].cached_bytes;
    }
    return bytes;
  };
  const auto cached_rows = [](absl::Span<const HotTypeChoice> choice) {
    uint64_t rows = 0;
    for (const HotTypeChoice& type : choice) rows += type.rows;
    return rows;
  };
  for (size_t i = 0; i < sizes_.size(); ++i) {
    const auto choice = ChooseHotRows(sizes_[i], types);
    SizeForecast& forecast = report_.sizes[i];
    forecast.size = sizes_[i];
    forecast.cached_rows += cached_rows(choice);
    forecast.cached_bytes += cached_bytes(choice);
    forecast.remote_bytes += PredictRemote(types, choice).bytes;
  }
  const auto choice = ChooseHotRows(*request_.size, types);
  PartitionForecast& forecast = report_.partitions.emplace_back();
  forecast.partition = partition;
  forecast.batches = batches;
  forecast.cached_rows = cached_rows(choice);
  forecast.cached_bytes = cached_bytes(choice);
  forecast.before = CountRemote(types);
  forecast.after = PredictRemote(types, choice);
  if (writer_ == nullptr) return absl::OkStatus();
  for (size_t t = 0; t < types.size(); ++t) {
    const int type = static_cast<int>(t);
    RETURN_IF_ERROR(
        writer_->Add(partition, type, ChosenIds(partition, type, choice[t])));
  }
  return absl::OkStatus();
}

std::vector<HotType> HotCacheMaker::TypesOf(uint32_t partition) const {
  const SessionOptions& loader = request_.sample.session.options;
  std::vector<HotType> types;
  for (const NodeTypeSchema& schema : graph_.schema().node_types) {
    HotType& type = types.emplace_back();
    type.num_nodes = static_cast<uint64_t>(schema.num_nodes);
    type.reply_bytes =
        sizeof(int64_t) +
        CollectedRowBytes(schema, loader.collect, loader.feature_dtype);
    if (schema.x.has_value()) type.cached_bytes = HotRowBytes(schema);
    const auto t = static_cast<int>(types.size()) - 1;
    type.remote = HistogramOfRemote(t, partition);
  }
  return types;
}

// Counts nodes by how often they were chosen.
class HistogramMaker {
 public:
  void Add(uint32_t count, uint32_t later) {
    AccessClass& nodes = count < few_.size() ? few_[count] : histogram_[count];
    ++nodes.nodes;
    nodes.later += later;
  }
  AccessHistogram Take() {
    for (uint32_t count = 0; count < few_.size(); ++count) {
      if (few_[count].nodes > 0) histogram_[count] = few_[count];
    }
    return std::move(histogram_);
  }

 private:
  std::array<AccessClass, 1024> few_{};  // most nodes; without a search
  AccessHistogram histogram_;
};

AccessHistogram HotCacheMaker::HistogramOfAll(int type) const {
  const absl::Span<const uint32_t> chosen = AllChosen().of(type);
  const absl::Span<const uint32_t> later = AllPredicted().of(type);
  HistogramMaker made;
  for (size_t id = 0; id < chosen.size(); ++id) made.Add(chosen[id], later[id]);
  return made.Take();
}

template <typename Take>
void HotCacheMaker::ForEachRemote(int type, uint32_t partition,
                                  Take take) const {
  const NodeTypeSchema& schema = graph_.schema().node_types[type];
  for (uint32_t p = 0; p < graph_.schema().num_partitions; ++p) {
    if (p == partition) continue;
    auto internal = static_cast<uint64_t>(schema.base[p]);
    for (const int64_t id : graph_.nodes(type, p)->orig_id) {
      if (held_.empty() || !held_[type][id]) take(id, internal);
      ++internal;
    }
  }
}

AccessHistogram HotCacheMaker::HistogramOfRemote(int type,
                                                 uint32_t partition) const {
  const absl::Span<const uint32_t> chosen = chosen_by_.of(type);
  const absl::Span<const uint32_t> later = predicted_by_.of(type);
  HistogramMaker made;
  ForEachRemote(type, partition,
                [&](int64_t id, uint64_t) { made.Add(chosen[id], later[id]); });
  return made.Take();
}

// Ascending: by partition, then row.
std::vector<uint64_t> HotCacheMaker::ChosenIds(
    uint32_t partition, int type, const HotTypeChoice& choice) const {
  const absl::Span<const uint32_t> counts = chosen_by_.of(type);
  std::vector<uint64_t> ids;
  if (choice.rows == 0) return ids;
  ids.reserve(choice.rows);
  uint64_t ties = choice.ties;
  ForEachRemote(type, partition, [&](int64_t id, uint64_t internal) {
    const uint32_t count = counts[id];
    const bool tie = count == choice.above && ties > 0;
    if (tie) --ties;
    if (tie || count > choice.above) ids.push_back(internal);
  });
  return ids;
}

// Turns sums over batches into means of a batch.
HotCacheReport HotCacheMaker::MakeReport() {
  const auto divide = [](RemoteRows& sum, double batches) {
    if (batches > 0) sum = {sum.rows / batches, sum.bytes / batches};
  };
  double all = 0;
  for (PartitionForecast& partition : report_.partitions) {
    const auto batches = static_cast<double>(partition.batches);
    all += batches;
    report_.before.rows += partition.before.rows;
    report_.before.bytes += partition.before.bytes;
    report_.after.rows += partition.after.rows;
    report_.after.bytes += partition.after.bytes;
    divide(partition.before, batches);
    divide(partition.after, batches);
  }
  divide(report_.before, all);
  divide(report_.after, all);
  for (SizeForecast& size : report_.sizes) {
    if (all > 0) size.remote_bytes /= all;
  }
  return std::move(report_);
}

absl::Status CheckOrder(const HotCacheRequest& request) {
  const SampleRequest& sample = request.sample;
  if (request.order == HotOrder::kGlobal) return absl::OkStatus();
  if (request.trainer_share > 0) {
    return absl::InvalidArgumentError(
        "--trainer-cache with --shuffle local, where each partition chooses by "
        "its own batches; allowed with it: global");
  }
  if (std::holds_alternative<LinkOptions>(sample.session.options.kind)) {
    return absl::InvalidArgumentError(
        "--shuffle local is for input nodes; allowed for links: global");
  }
  if (sample.session.files.input_time.empty() &&
      sample.session.files.input_weight.empty()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "--shuffle local shares inputs out by partition, without their own times "
      "or weights; allowed with these: global");
}

}  // namespace

absl::StatusOr<HotCacheReport> MakeHotCache(const HotCacheRequest& request,
                                            const HotProgress& progress) {
  RETURN_IF_ERROR(CheckOrder(request));
  const std::string& folder = request.sample.graph;
  OpenOptions open;
  open.features = FeatureMemory::kPaged;
  ASSIGN_OR_RETURN(const auto graph, Graph::Open(folder, open));
  RETURN_IF_ERROR(
      CheckGraph(folder, graph->schema(), request.size.has_value()));
  RETURN_IF_ERROR(CheckOriginalIds(*graph));
  std::optional<HotCacheWriter> writer;
  if (!request.dry_run && request.size.has_value()) {
    ASSIGN_OR_RETURN(HotCacheWriter made,
                     HotCacheWriter::Create(folder, graph));
    writer.emplace(std::move(made));
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<SamplingWorkers> workers,
                   OpenSampleSource(request.sample, "tributary cache"));
  return HotCacheMaker(request, *graph, writer.has_value() ? &*writer : nullptr,
                       *workers, progress)
      .Make();
}

}  // namespace tributary
