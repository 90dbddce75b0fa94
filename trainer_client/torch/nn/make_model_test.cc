// Each model against dense algebra over the whole of a tiny graph, untrimmed.
#include "trainer_client/torch/nn/make_model.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "trainer_client/torch/nn/segment/testing/central_differences.h"
#include "trainer_client/torch/nn/testing/tiny_batch.h"
#include "trainer_client/torch/nn/type_key.h"

namespace tributary {
namespace {

using Parameters = std::map<std::string, at::Tensor>;

std::shared_ptr<GnnModel> Make(const ModelOptions& options,
                               const TypeTable& types, uint64_t seed = 1) {
  auto model = MakeModel(options, types, seed);
  EXPECT_TRUE(model.ok()) << model.status();
  return model.ok() ? *model : nullptr;
}

Parameters ParametersOf(const GnnModel& model) {
  Parameters result;
  for (const auto& p : model.named_parameters()) result[p.key()] = p.value();
  return result;
}

std::vector<std::string> Names(const GnnModel& model) {
  std::vector<std::string> names;
  for (const auto& [name, p] : ParametersOf(model)) names.push_back(name);
  return names;
}

// float64, and no parameter is 0.
void Randomize(GnnModel& model) {
  model.to(at::kDouble);
  const at::NoGradGuard no_grad;
  for (at::Tensor& p : model.parameters()) p.normal_(0, 0.5);
}

at::Tensor Mean(const at::Tensor& a) { return a / a.sum(1, true).clamp_min(1); }

// A relation's part of the rows of its destination: parameters of the prefix,
// [destinations, sources] edges, rows of both ends.
using DenseConv = std::function<at::Tensor(
    const Parameters& p, const std::string& prefix, const at::Tensor& a,
    const at::Tensor& src, const at::Tensor& dst)>;

at::Tensor DenseSage(const Parameters& p, const std::string& prefix,
                     const at::Tensor& a, const at::Tensor& src,
                     const at::Tensor& dst) {
  return Mean(a).matmul(src).matmul(p.at(prefix + "lin_l.weight").t()) +
         p.at(prefix + "lin_l.bias") +
         dst.matmul(p.at(prefix + "lin_r.weight").t());
}

at::Tensor DenseRightGcn(const Parameters& p, const std::string& prefix,
                         const at::Tensor& a, const at::Tensor& src,
                         const at::Tensor&) {
  return Mean(a).matmul(src).matmul(p.at(prefix + "lin.weight").t()) +
         p.at(prefix + "bias");
}

// The heads' outputs, [heads][destinations, C].
std::vector<at::Tensor> DenseHeads(const at::Tensor& h_src,
                                   const at::Tensor& h_dst, const at::Tensor& a,
                                   const at::Tensor& att_src,
                                   const at::Tensor& att_dst) {
  std::vector<at::Tensor> heads;
  const int64_t c = att_src.size(2);
  for (int64_t i = 0; i < att_src.size(1); ++i) {
    const at::Tensor src = h_src.slice(1, c * i, c * i + c);
    const at::Tensor dst = h_dst.slice(1, c * i, c * i + c);
    const at::Tensor e =
        at::leaky_relu(src.matmul(att_src[0][i]).unsqueeze(0) +
                           dst.matmul(att_dst[0][i]).unsqueeze(1),
                       0.2)
            .exp() *
        a;
    heads.push_back((e / e.sum(1, true).clamp_min(1e-300)).matmul(src));
  }
  return heads;
}

at::Tensor DenseGat(const Parameters& p, const std::string& prefix,
                    const at::Tensor& any, const at::Tensor& src,
                    const at::Tensor& dst) {
  const bool shared = p.count(prefix + "lin.weight") > 0;
  // Self loops in place of those that are there.
  const at::Tensor a = shared ? any * (1 - at::eye(any.size(0), at::kDouble)) +
                                    at::eye(any.size(0), at::kDouble)
                              : any;
  const auto heads = DenseHeads(
      src.matmul(p.at(prefix + (shared ? "lin.weight" : "lin_src.weight")).t()),
      dst.matmul(p.at(prefix + (shared ? "lin.weight" : "lin_dst.weight")).t()),
      a, p.at(prefix + "att_src"), p.at(prefix + "att_dst"));
  const bool last = prefix.find("convs.1.") == 0;
  return (last ? at::stack(heads).mean(0) : at::cat(heads, 1)) +
         p.at(prefix + "bias");
}

at::Tensor RowsOf(const Parameters& p, const TinyGraph& g,
                  const MiniBatch& batch, size_t type) {
  if (g.types.feature_dim[type] > 0) return batch.x[type];
  return p.at("embedding." + TypeKey(g.types.node_types[type]) + ".weight")
      .index_select(0, batch.n_id[type]);
}

// Two layers of a conv over all nodes of a homogeneous or a typed graph.
TypeTensors DenseModel(const GnnModel& model, const TinyGraph& g,
                       const MiniBatch& batch, const DenseConv& conv) {
  const Parameters p = ParametersOf(model);
  const bool typed = g.types.relations.size() > 1;
  TypeTensors rows;
  for (size_t t = 0; t < g.nodes.size(); ++t) {
    rows.push_back(RowsOf(p, g, batch, t));
  }
  for (int l = 0; l < 2; ++l) {
    TypeTensors out(rows.size());
    for (size_t r = 0; r < g.edges.size(); ++r) {
      const auto& [name, src, dst] = g.types.relations[r];
      const std::string prefix = "convs." + std::to_string(l) + "." +
                                 (typed ? TypeKey(name) + "." : "");
      const at::Tensor part =
          conv(p, prefix, g.Adjacency(r), rows[src], rows[dst]);
      out[dst] = out[dst].defined() ? out[dst] + part : part;
    }
    rows = out;
    if (l == 0) {
      for (at::Tensor& t : rows) t = at::relu(t);
    }
  }
  return rows;
}

class MakeModelTest : public ::testing::Test {
 protected:
  MakeModelTest() { at::manual_seed(8); }

  static ModelOptions Options(const std::string& model) {
    return {.model = model, .hidden_channels = 6, .out_channels = 3};
  }

  // Expects the model's rows of the inputs to be those of dense algebra.
  static void ExpectDense(const ModelOptions& options, const TinyGraph& graph,
                          const DenseConv& conv) {
    const MiniBatch batch = graph.Batch();
    const auto model = Make(options, graph.types);
    Randomize(*model);
    ExpectInputRows(model->Forward(batch), graph,
                    DenseModel(*model, graph, batch, conv));
  }

  static void ExpectInputRows(const TypeTensors& rows, const TinyGraph& graph,
                              const TypeTensors& expected) {
    for (size_t t = 0; t < rows.size(); ++t) {
      const int64_t n = graph.nodes[t][0];
      ASSERT_EQ(rows[t].defined(), n > 0) << t;
      if (n == 0) continue;
      ASSERT_EQ(rows[t].sizes(), (at::IntArrayRef{n, 3}));
      EXPECT_TRUE(at::allclose(rows[t], expected[t].slice(0, 0, n), 0, 1e-11))
          << rows[t] << expected[t];
    }
  }

  static void ExpectGradients(const ModelOptions& options,
                              const TinyGraph& graph) {
    const MiniBatch batch = graph.Batch(/*unsampled=*/2);
    const auto model = Make(options, graph.types);
    Randomize(*model);
    const auto loss = [&] {
      at::Tensor sum = at::zeros({}, at::kDouble);
      for (const at::Tensor& t : model->Forward(batch)) {
        if (t.defined()) sum = sum + t.square().sum();
      }
      return sum;
    };
    EXPECT_LT(LargestGradientError(loss, model->parameters()), 1e-5);
  }
};

TEST_F(MakeModelTest, Sage) {
  ExpectDense(Options("sage"), TinyHomogeneous(), DenseSage);
  ExpectDense(Options("sage"), TinyTyped(), DenseSage);
}

TEST_F(MakeModelTest, Gat) {
  ModelOptions options = Options("gat");
  options.heads = 2;
  ExpectDense(options, TinyHomogeneous(), DenseGat);
  ExpectDense(options, TinyTyped(), DenseGat);
}

TEST_F(MakeModelTest, GcnRight) {
  ModelOptions options = Options("gcn");
  options.norm = "right";
  ExpectDense(options, TinyTyped(), DenseRightGcn);
  ExpectDense(options, TinyHomogeneous(), DenseRightGcn);
}

TEST_F(MakeModelTest, GcnBothWithDegreesOfTheWholeGraph) {
  const TinyGraph graph = TinyHomogeneous();
  const MiniBatch batch = graph.Batch(/*unsampled=*/3);
  const auto model = Make(Options("gcn"), graph.types);
  Randomize(*model);
  const DenseConv conv = [&](const Parameters& p, const std::string& prefix,
                             const at::Tensor& a, const at::Tensor& src,
                             const at::Tensor& dst) {
    const at::Tensor d = a.sum(1) + 3;
    const at::Tensor norm =
        a * (d / a.sum(1).clamp_min(1)).unsqueeze(1) /
        ((d + 1).unsqueeze(1) * (d + 1).unsqueeze(0)).sqrt();
    return (norm.matmul(src) + dst / (d + 1).unsqueeze(1))
               .matmul(p.at(prefix + "lin.weight").t()) +
           p.at(prefix + "bias");
  };
  ExpectInputRows(model->Forward(batch), graph,
                  DenseModel(*model, graph, batch, conv));
}

TEST_F(MakeModelTest, GcnBothBetweenTypes) {
  const TinyGraph graph = TinyTyped();
  const MiniBatch batch = graph.Batch(/*unsampled=*/3);
  const auto model = Make(Options("gcn"), graph.types);
  Randomize(*model);
  const DenseConv conv = [&](const Parameters& p, const std::string& prefix,
                             const at::Tensor& a, const at::Tensor& src,
                             const at::Tensor&) {
    const at::Tensor in = a.sum(1) + 3, out = a.sum(0) + 3;
    const at::Tensor norm = a * (in / a.sum(1).clamp_min(1)).unsqueeze(1) /
                            (in.unsqueeze(1) * out.unsqueeze(0)).sqrt();
    return norm.matmul(src).matmul(p.at(prefix + "lin.weight").t()) +
           p.at(prefix + "bias");
  };
  ExpectInputRows(model->Forward(batch), graph,
                  DenseModel(*model, graph, batch, conv));
}

// The definition of R-GCN with bases and layer norm over all nodes.
TypeTensors DenseRgcn(const GnnModel& model, const TinyGraph& g,
                      const MiniBatch& batch) {
  const Parameters p = ParametersOf(model);
  TypeTensors rows;
  for (size_t t = 0; t < g.nodes.size(); ++t) {
    rows.push_back(RowsOf(p, g, batch, t));
    if (g.types.feature_dim[t] == 0) continue;
    const std::string input = "input." + TypeKey(g.types.node_types[t]);
    rows[t] =
        rows[t].matmul(p.at(input + ".weight").t()) + p.at(input + ".bias");
  }
  for (int l = 0; l < 2; ++l) {
    const std::string conv = "convs." + std::to_string(l) + ".";
    TypeTensors out;
    for (const at::Tensor& x : rows) {
      out.push_back(x.matmul(p.at(conv + "root")) + p.at(conv + "bias"));
    }
    for (size_t r = 0; r < g.edges.size(); ++r) {
      const auto& [name, src, dst] = g.types.relations[r];
      const auto row = static_cast<int64_t>(r);
      const at::Tensor weight =
          p.count(conv + "comp") == 0
              ? p.at(conv + "weight")[row]
              : (p.at(conv + "comp")[row].view({-1, 1, 1}) *
                 p.at(conv + "weight"))
                    .sum(0);
      out[dst] =
          out[dst] + Mean(g.Adjacency(r)).matmul(rows[src]).matmul(weight);
    }
    rows = out;
    if (l == 1) break;
    for (at::Tensor& x : rows) {
      if (p.count("norms.0.weight") > 0) {
        const at::Tensor centred = x - x.mean(1, true);
        const at::Tensor variance = centred.square().mean(1, true);
        x = centred / (variance + 1e-5).sqrt() * p.at("norms.0.weight") +
            p.at("norms.0.bias");
      }
      x = at::relu(x);
    }
  }
  return rows;
}

TEST_F(MakeModelTest, Rgcn) {
  for (const TinyGraph& graph : {TinyTyped(), TinyHomogeneous()}) {
    for (const int bases : {0, 2}) {
      ModelOptions options = Options("rgcn");
      options.num_bases = bases;
      options.layer_norm = bases > 0;
      const MiniBatch batch = graph.Batch();
      const auto model = Make(options, graph.types);
      Randomize(*model);
      ExpectInputRows(model->Forward(batch), graph,
                      DenseRgcn(*model, graph, batch));
    }
  }
}

// A batch of papers alone, whose other types are left out.
TEST_F(MakeModelTest, TypesAndRelationsThatABatchLacks) {
  TinyGraph graph = TinyTyped();
  graph.nodes[0] = graph.nodes[2] = {0, 0, 0};
  for (const size_t relation : {1, 3, 4, 5}) graph.edges[relation].clear();
  MiniBatch batch = graph.Batch();
  for (const size_t type : {0, 2}) {
    batch.x[type] = batch.n_id[type] = at::Tensor();
  }
  for (const char* name : {"sage", "gcn", "gat", "rgcn"}) {
    SCOPED_TRACE(name);
    const auto model = Make(Options(name), graph.types);
    Randomize(*model);
    const TypeTensors rows = model->Forward(batch);
    EXPECT_FALSE(rows[0].defined());
    ASSERT_EQ(rows[1].sizes(), (at::IntArrayRef{2, 3}));
    rows[1].sum().backward();
    const Parameters p = ParametersOf(*model);
    const at::Tensor table = p.at("embedding.author.weight").grad();
    EXPECT_TRUE(!table.defined() || table.abs().max().item<double>() == 0);
  }
}

TEST_F(MakeModelTest, RefusesNodesWithoutTheirFeatures) {
  MiniBatch batch = TinyHomogeneous().Batch();
  batch.x[0] = at::Tensor();
  EXPECT_THROW(Make(Options("sage"), TinyHomogeneous().types)->Forward(batch),
               c10::Error);
}

TEST_F(MakeModelTest, GradientsEqualCentralDifferences) {
  for (const char* model : {"sage", "gcn", "gat", "rgcn"}) {
    SCOPED_TRACE(model);
    ModelOptions options = Options(model);
    options.heads = 2;
    options.num_bases = 2;
    options.layer_norm = true;
    ExpectGradients(options, TinyHomogeneous());
    ExpectGradients(options, TinyTyped());
  }
}

TEST_F(MakeModelTest, NamesOfPygOnAHomogeneousGraph) {
  const TypeTable types = TinyHomogeneous().types;
  EXPECT_EQ(Names(*Make(Options("sage"), types)),
            (std::vector<std::string>{
                "convs.0.lin_l.bias", "convs.0.lin_l.weight",
                "convs.0.lin_r.weight", "convs.1.lin_l.bias",
                "convs.1.lin_l.weight", "convs.1.lin_r.weight"}));
  EXPECT_EQ(Names(*Make(Options("gcn"), types)),
            (std::vector<std::string>{"convs.0.bias", "convs.0.lin.weight",
                                      "convs.1.bias", "convs.1.lin.weight"}));
  EXPECT_EQ(Names(*Make(Options("gat"), types)),
            (std::vector<std::string>{"convs.0.att_dst", "convs.0.att_src",
                                      "convs.0.bias", "convs.0.lin.weight",
                                      "convs.1.att_dst", "convs.1.att_src",
                                      "convs.1.bias", "convs.1.lin.weight"}));
}

TEST_F(MakeModelTest, NamesAndShapesOnATypedGraph) {
  const TypeTable types = TinyTyped().types;
  const Parameters sage = ParametersOf(*Make(Options("sage"), types));
  // Authors have embeddings of 6 channels, papers 4 features.
  EXPECT_EQ(sage.at("convs.0.author__writes__paper.lin_l.weight").sizes(),
            (at::IntArrayRef{6, 6}));
  EXPECT_EQ(sage.at("convs.0.author__writes__paper.lin_r.weight").sizes(),
            (at::IntArrayRef{6, 4}));
  EXPECT_EQ(sage.at("convs.1.paper__in__venue.lin_l.weight").sizes(),
            (at::IntArrayRef{3, 6}));
  EXPECT_EQ(sage.at("embedding.author.weight").sizes(),
            (at::IntArrayRef{20, 6}));
  ModelOptions options = Options("rgcn");
  options.num_bases = 2;
  options.layer_norm = true;
  EXPECT_EQ(Names(*Make(options, types)),
            (std::vector<std::string>{
                "convs.0.bias", "convs.0.comp", "convs.0.root",
                "convs.0.weight", "convs.1.bias", "convs.1.comp",
                "convs.1.root", "convs.1.weight", "embedding.author.weight",
                "input.paper.bias", "input.paper.weight", "input.venue.bias",
                "input.venue.weight", "norms.0.bias", "norms.0.weight"}));
}

TEST_F(MakeModelTest, ParametersAreAFunctionOfTheSeed) {
  const TypeTable types = TinyTyped().types;
  const auto equal = [](const GnnModel& a, const GnnModel& b) {
    for (size_t i = 0; i < a.parameters().size(); ++i) {
      if (!at::equal(a.parameters()[i], b.parameters()[i])) return false;
    }
    return true;
  };
  at::manual_seed(1);
  const at::Tensor next = at::rand({3});
  at::manual_seed(1);
  const auto first = Make(Options("rgcn"), types, 5);
  EXPECT_TRUE(at::equal(at::rand({3}), next));
  EXPECT_TRUE(equal(*first, *Make(Options("rgcn"), types, 5)));
  EXPECT_FALSE(equal(*first, *Make(Options("rgcn"), types, 6)));
}

TEST_F(MakeModelTest, DropoutIsKeyedByTheBatch) {
  for (const TinyGraph& graph : {TinyHomogeneous(), TinyTyped()}) {
    ModelOptions options = Options("sage");
    options.hidden_channels = 32;
    options.dropout = 0.5;
    options.input_dropout = 0.2;
    const auto model = Make(options, graph.types);
    Randomize(*model);
    const size_t type = graph.nodes.size() / 2;  // that of the inputs
    MiniBatch batch = graph.Batch();
    const at::Tensor first = model->Forward(batch)[type];
    EXPECT_TRUE(at::equal(model->Forward(batch)[type], first));
    batch.draw_key = 78;
    EXPECT_FALSE(at::equal(model->Forward(batch)[type], first));
    model->eval();
    const at::Tensor whole = model->Forward(batch)[type];
    batch.draw_key = 77;
    EXPECT_TRUE(at::equal(model->Forward(batch)[type], whole));
  }
}

// Rows of ones, for any type.
class Ones : public InputEmbedding {
 public:
  at::Tensor Rows(size_t, const at::Tensor& n_id) override {
    asked = n_id;
    return at::ones({n_id.size(0), 6}, at::kDouble);
  }
  at::Tensor asked;
};

TEST_F(MakeModelTest, ReadsTheEmbeddingThatItIsGiven) {
  const TinyGraph graph = TinyTyped();
  const auto ones = std::make_shared<Ones>();
  const auto model = MakeModel(Options("sage"), graph.types, 1, ones);
  ASSERT_TRUE(model.ok());
  (*model)->to(at::kDouble);
  (*model)->Forward(graph.Batch());
  EXPECT_TRUE(
      at::equal(ones->asked, at::tensor(std::vector<int64_t>{1, 3, 5, 7})));
}

TEST_F(MakeModelTest, RefusesOptionsAndNames) {
  TypeTable types = TinyTyped().types;
  EXPECT_EQ(MakeModel({}, types, 1).status().code(),
            absl::StatusCode::kInvalidArgument);
  types.relations[0].name = "author,re-ads,paper";
  types.relations[1].name = "author,re ads,paper";
  EXPECT_EQ(MakeModel(Options("sage"), types, 1).status().message(),
            "the parameters of author,re ads,paper and author,re-ads,paper "
            "would both be named author__re_ads__paper, allowed: names that "
            "differ in more than ' ', '-', ':', '.', '_'");
}

TEST_F(MakeModelTest, RefusesAnotherNumberOfHops) {
  const TinyGraph graph = TinyHomogeneous();
  MiniBatch batch = graph.Batch();
  batch.layers.pop_back();
  EXPECT_THROW(Make(Options("sage"), graph.types)->Forward(batch), c10::Error);
}

}  // namespace
}  // namespace tributary
