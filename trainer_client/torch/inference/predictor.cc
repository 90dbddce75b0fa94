#include "trainer_client/torch/inference/predictor.h"

#include <ATen/ATen.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/runtime/clock.h"
#include "common/text/status.h"
#include "trainer_client/torch/batch_tensors/catch_torch.h"
#include "trainer_client/torch/ddp/agree.h"
#include "trainer_client/torch/inference/batch_pass.h"
#include "trainer_client/torch/inference/ext_id_files.h"
#include "trainer_client/torch/inference/layer_plan.h"
#include "trainer_client/torch/inference/layerwise.h"
#include "trainer_client/torch/inference/model_identity.h"
#include "trainer_client/torch/inference/prediction_folder.h"
#include "trainer_client/torch/inference/prediction_sessions.h"
#include "trainer_client/torch/inference/result_files.h"
#include "trainer_client/torch/nn/layered_model.h"
#include "trainer_client/torch/tasks/link_decoder.h"
#include "trainer_client/torch/tasks/training_task.h"
#include "trainer_client/torch/train/train_device.h"

namespace tributary {
namespace {

constexpr char kPhase[] = "predict";

bool CollectsDegrees(const ModelOptions& model) {
  return model.model == "gcn" && model.norm == "both";
}

std::vector<std::vector<bool>> TypesWithRows(const LayeredModel& model) {
  std::vector<std::vector<bool>> has_rows;
  for (int l = 0; l <= model.num_layers(); ++l) {
    has_rows.push_back(model.TypesWithRows(l));
  }
  return has_rows;
}

// Returns the index of an edge type; that of the only one if it is empty.
absl::StatusOr<size_t> RelationOf(const TypeTable& types,
                                  const std::string& name) {
  if (name.empty() && types.relations.size() == 1) return 0;
  for (size_t r = 0; r < types.relations.size(); ++r) {
    if (types.relations[r].name == name) return r;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--predict: edge type \"", name,
                   "\" is not in the graph; allowed: [SRC,REL,DST:]SPLIT"));
}

}  // namespace

struct Predictor::State {
  const PredictOptions& options;
  const TrainOptions& train;
  LoaderSlot* const loaders;
  ProcessGroup* const group;
  TrainObserver* const observer;
  const PredictionSessions sessions;

  // Set by Prepare().
  GraphSchema schema;
  TypeTable types;
  int64_t num_rows = 0;           // of the target
  std::vector<size_t> out_types;  // node types of the target
  LayerPlan plan;                 // layer-wise
  std::shared_ptr<GnnModel> model;
  LayeredModel* layered = nullptr;  // null: a model of another kind
  TrainingTask* task = nullptr;
  std::optional<BatchPass> pass;
  std::optional<LayerwiseInference> layerwise;
  std::optional<ExtIdFiles> ext_ids;  // of rank 0, if they are wanted

  bool predicts_nodes() const { return !train.predicts_links(); }
  bool rank_0() const { return group->rank() == 0; }

  absl::Status CheckModel(Learner& learner) {
    model = learner.model();
    task = &learner.task();
    layered = dynamic_cast<LayeredModel*>(model.get());
    if (layered != nullptr || !options.layerwise()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "this program's own model computes whole batches, not single layers; "
        "allowed: --inference sampled, or a LayeredModel");
  }

  absl::Status ReadTarget() {
    ASSIGN_OR_RETURN(DistLoader* const loader, loaders->Open(sessions.Probe()));
    schema = loader->schema();
    types = TypeTable::From(schema);
    num_rows = static_cast<int64_t>(loader->num_inputs());
    loaders->Close();
    out_types.clear();
    const std::string type = sessions.target_type();
    if (sessions.of_links()) {
      ASSIGN_OR_RETURN(const size_t relation, RelationOf(types, type));
      out_types = {types.relations[relation].src_type,
                   types.relations[relation].dst_type};
      return absl::OkStatus();
    }
    const int index = type.empty() ? 0 : types.NodeType(type);
    if (index < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("--predict: node type \"", type, "\" is unknown"));
    }
    out_types = {static_cast<size_t>(index)};
    return absl::OkStatus();
  }

  absl::Status OpenExtIds() {
    if (options.ext_ids.empty() || !rank_0()) return absl::OkStatus();
    std::vector<std::string> names;
    for (const size_t type : out_types) names.push_back(types.node_types[type]);
    ASSIGN_OR_RETURN(ext_ids, ExtIdFiles::Open(options.ext_ids,
                                               schema.content_digest, names));
    return absl::OkStatus();
  }

  absl::Status PlanPasses() {
    ASSIGN_OR_RETURN(const c10::Device device,
                     TrainDevice(train, group->local_rank()));
    pass.emplace(train, device, loaders, group, observer);
    if (layered == nullptr) return absl::OkStatus();
    ASSIGN_OR_RETURN(plan, PlanLayers(types, TypesWithRows(*layered),
                                      options.eval_num_neighbors, out_types));
    if (!options.layerwise()) return absl::OkStatus();
    layerwise.emplace(layered, types, plan,
                      LayerwiseInference::Context{
                          .folder = options.out,
                          .sessions = &sessions,
                          .collect_degrees = CollectsDegrees(train.model),
                          .out_channels = task->out_channels(),
                          .pass = &*pass,
                          .group = group});
    return absl::OkStatus();
  }

  // The layers whose rows are stored: of nodes, the last one makes the result.
  int num_stored() const {
    if (!layerwise) return 0;
    return layered->num_layers() - (sessions.of_links() ? 0 : 1);
  }

  ResultShapes Shapes() const {
    const bool links = sessions.of_links();
    const int64_t out = task->out_channels();
    ResultShapes shapes;
    const auto rows = [&](std::vector<int64_t> row) {
      row.insert(row.begin(), num_rows);
      return row;
    };
    shapes[ResultFiles::kIds] = {.type = kNpyInt64,
                                 .shape = links ? rows({2}) : rows({})};
    if (links) {
      shapes[ResultFiles::kPredictions].shape = rows({});
      shapes[ResultFiles::kEmbeddings].shape = rows({2, out});
    } else if (!predicts_nodes()) {
      shapes[ResultFiles::kEmbeddings].shape = rows({out});
    } else {
      shapes[ResultFiles::kPredictions].shape = rows({out});
      if (layered != nullptr) {
        shapes[ResultFiles::kEmbeddings].shape = rows(
            {layered->in_channels(layered->num_layers() - 1, out_types[0])});
      }
    }
    return shapes;
  }

  // --- rows of a batch -------------------------------------------------------

  BatchRows WholeBatch(const MiniBatch& batch) {
    BatchRows rows;
    if (layered == nullptr) {
      rows.out = model->Forward(batch);
      return rows;
    }
    TORCH_CHECK(
        batch.layers.size() == static_cast<size_t>(layered->num_layers()),
        "a batch of ", batch.layers.size(), " hops");
    rows.last_input = layered->InputRows(batch);
    for (int l = 0; l + 1 < layered->num_layers(); ++l) {
      rows.last_input = layered->ForwardLayer(l, std::move(rows.last_input),
                                              batch.layers[l], batch);
    }
    rows.out = layered->ForwardLayer(layered->num_layers() - 1, rows.last_input,
                                     batch.layers.back(), batch);
    return rows;
  }

  absl::Status WriteNodes(const MiniBatch& batch, const BatchRows& rows,
                          ResultFiles& files) {
    const size_t type = batch.input_type;
    if (type >= rows.out.size() || !rows.out[type].defined()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the model computes no rows for the type ", types.node_types[type]));
    }
    const auto of_inputs = [&](const at::Tensor& all) {
      return all.index_select(0, batch.seed_index);
    };
    ResultRows result{.at = batch.input_id, .ids = of_inputs(batch.n_id[type])};
    const at::Tensor out = of_inputs(rows.out[type]);
    if (predicts_nodes()) {
      result.predictions = out;
      if (layered != nullptr) {
        result.embeddings = of_inputs(rows.last_input.at(type));
      }
    } else {
      result.embeddings = out;
    }
    return files.Write(result);
  }

  absl::Status WriteLinks(const MiniBatch& batch, const TypeTensors& out,
                          ResultFiles& files) {
    const auto scorer = std::dynamic_pointer_cast<LinkScorer>(task->decoder());
    if (!scorer) return absl::InternalError("the task has no decoder");
    for (const LinkLabels& links : batch.links) {
      const int64_t n = links.input_id.numel();
      if (n == 0) continue;
      const TypeTable::Relation& relation = types.relations[links.relation];
      const auto of_end = [&](const TypeTensors& rows, int end) {
        const size_t type = end == 0 ? relation.src_type : relation.dst_type;
        return rows.at(type).index_select(
            0, links.edge_label_index[end].slice(0, 0, n));
      };
      const at::Tensor src = of_end(out, 0);
      const at::Tensor dst = of_end(out, 1);
      RETURN_IF_ERROR(files.Write(
          {.at = links.input_id,
           .ids = at::stack({of_end(batch.n_id, 0), of_end(batch.n_id, 1)}, 1),
           .predictions =
               scorer->Score(links.relation, src, dst, batch.draw_key),
           .embeddings = at::stack({src, dst}, 1)}));
    }
    return absl::OkStatus();
  }

  // --- the result's pass -----------------------------------------------------

  absl::Status PassSampled(ResultFiles& files) {
    return pass->ForEach(sessions.Sampled(schema, CollectsDegrees(train.model)),
                         kPhase, [&](const MiniBatch& batch) {
                           const BatchRows rows = WholeBatch(batch);
                           return sessions.of_links()
                                      ? WriteLinks(batch, rows.out, files)
                                      : WriteNodes(batch, rows, files);
                         });
  }

  absl::Status PassLastLayer(ResultFiles& files) {
    RETURN_IF_ERROR(layerwise->OpenLast());
    return pass->ForEach(sessions.Target(layerwise->LastHop()), kPhase,
                         [&](const MiniBatch& batch) {
                           return WriteNodes(batch, layerwise->LastLayer(batch),
                                             files);
                         });
  }

  // The links' ends have rows in the files of the last layer.
  absl::Status PassStoredRows(ResultFiles& files) {
    ASSIGN_OR_RETURN(const StoredLayer stored,
                     layerwise->Stored(layered->num_layers()));
    std::vector<bool> has_rows(types.node_types.size(), false);
    for (const size_t type : out_types) has_rows[type] = true;
    return pass->ForEach(sessions.Probe(), kPhase, [&](const MiniBatch& batch) {
      return WriteLinks(batch, stored.RowsOf(batch, has_rows, pass->device()),
                        files);
    });
  }

  absl::Status MakeResult() {
    const ResultShapes shapes = Shapes();
    RETURN_IF_ERROR(
        AgreeOnRank0(*group, rank_0() ? ResultFiles::Create(options.out, shapes)
                                      : absl::OkStatus()));
    ASSIGN_OR_RETURN(ResultFiles files, ResultFiles::Open(options.out, shapes));
    RETURN_IF_ERROR(!layerwise            ? PassSampled(files)
                    : sessions.of_links() ? PassStoredRows(files)
                                          : PassLastLayer(files));
    RETURN_IF_ERROR(files.Sync());
    std::array<double, 1> written{1};  // no rank is past this before all are
    return group->Sum(absl::MakeSpan(written));
  }

  absl::Status Finish(PredictionFolder& folder) {
    std::vector<std::string> names;
    for (const auto& [name, shape] : Shapes()) names.push_back(name);
    if (ext_ids.has_value()) {
      RETURN_IF_ERROR(ext_ids->Write(options.out, num_rows));
      for (const std::string& name : ext_ids->names()) names.push_back(name);
    }
    return folder.Finish(names);
  }

  // Rank 0 keeps the folder; the others learn how many layers are done.
  absl::StatusOr<int> LayersDone(std::optional<PredictionFolder>& folder) {
    absl::Status status;
    if (rank_0()) {
      absl::StatusOr<PredictionFolder> opened = PredictionFolder::Open(
          options.out, IdentityOf(schema, *model, *task, train, options));
      status = opened.status();
      if (opened.ok()) folder = *std::move(opened);
    }
    RETURN_IF_ERROR(AgreeOnRank0(*group, status));
    ASSIGN_OR_RETURN(
        const std::string text,
        group->BroadcastText(absl::StrCat(folder ? folder->layers_done() : 0)));
    return std::stoi(text);
  }

  absl::Status Predict() {
    std::optional<PredictionFolder> folder;
    ASSIGN_OR_RETURN(const int done, LayersDone(folder));
    for (int layer = done + 1; layer <= num_stored(); ++layer) {
      RETURN_IF_ERROR(
          layerwise->Compute(layer, [&] { return folder->LayerDone(layer); }));
    }
    RETURN_IF_ERROR(MakeResult());
    return AgreeOnRank0(*group, rank_0() ? Finish(*folder) : absl::OkStatus());
  }
};

Predictor::Predictor(const PredictOptions& options, const TrainOptions& train,
                     LoaderSlot* loaders, ProcessGroup* group,
                     TrainObserver* observer)
    : state_(new State{.options = options,
                       .train = train,
                       .loaders = loaders,
                       .group = group,
                       .observer = observer,
                       .sessions = PredictionSessions(options)}) {}

Predictor::~Predictor() = default;

absl::Status Predictor::Prepare(Learner& learner) {
  State& s = *state_;
  RETURN_IF_ERROR(s.CheckModel(learner));
  RETURN_IF_ERROR(AgreeOnRank0(
      *s.group, s.rank_0() ? PredictionFolder::CheckUnused(s.options.out)
                           : absl::OkStatus()));
  RETURN_IF_ERROR(s.ReadTarget());
  RETURN_IF_ERROR(AgreeOnRank0(*s.group, s.OpenExtIds()));
  return s.PlanPasses();
}

absl::Status Predictor::Run(Learner&) {
  State& s = *state_;
  const absl::Time start = SteadyClock().Now();
  s.model->eval();
  if (const auto decoder = s.task->decoder()) decoder->eval();
  RETURN_IF_ERROR(
      CatchTorch("predict", [&]() -> absl::Status { return s.Predict(); }));
  s.observer->OnPrediction(
      {.folder = s.options.out,
       .rows = s.num_rows,
       .seconds = absl::ToDoubleSeconds(SteadyClock().Now() - start)});
  return absl::OkStatus();
}

}  // namespace tributary
