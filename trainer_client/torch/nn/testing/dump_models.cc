// Writes what models compute on tiny graphs, for tests/peer: dump_models
// FOLDER.
//
// Each case is a folder: param.<name>.npy and grad.<name>.npy, x.<type>.npy
// (the input rows, also of types without features), edges.<relation>.npy [2,
// edges], out.<type>.npy (rows of the inputs) and loss.npy. The loss is the
// mean cross entropy of the inputs, input i having the label i % 3.
#include <ATen/ATen.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "common/tensor/npy.h"
#include "trainer_client/torch/nn/make_model.h"
#include "trainer_client/torch/nn/testing/tiny_batch.h"

namespace tributary {
namespace {

void Write(const std::filesystem::path& folder, const std::string& name,
           const at::Tensor& any) {
  const at::Tensor t = any.detach().contiguous();
  const bool floats = t.is_floating_point();
  std::ofstream file(folder / (name + ".npy"), std::ios::binary);
  file << FormatNpyHeader({.kind = floats ? 'f' : 'i',
                           .size = static_cast<uint8_t>(t.element_size())},
                          t.sizes().vec());
  file.write(static_cast<const char*>(t.const_data_ptr()),
             static_cast<std::streamsize>(t.nbytes()));
}

at::Tensor EdgeIndex(const TinyGraph& graph, size_t relation) {
  const auto& edges = graph.edges[relation];
  at::Tensor index =
      at::empty({2, static_cast<int64_t>(edges.size())}, at::kLong);
  auto index_of = index.accessor<int64_t, 2>();
  for (size_t e = 0; e < edges.size(); ++e) {
    index_of[0][static_cast<int64_t>(e)] = edges[e].first;
    index_of[1][static_cast<int64_t>(e)] = edges[e].second;
  }
  return index;
}

at::Tensor Loss(const TypeTensors& rows) {
  at::Tensor loss;
  for (const at::Tensor& t : rows) {
    if (!t.defined()) continue;
    const at::Tensor labels = at::arange(t.size(0), at::kLong) % 3;
    loss = at::cross_entropy_loss(t, labels);
  }
  return loss;
}

void WriteBatch(const std::filesystem::path& folder, const TinyGraph& graph,
                const MiniBatch& batch, const GnnModel& model) {
  for (size_t t = 0; t < batch.x.size(); ++t) {
    const std::string& type = graph.types.node_types[t];
    const at::Tensor rows =
        batch.x[t].defined()
            ? batch.x[t]
            : model.named_parameters()["embedding." + type + ".weight"]
                  .index_select(0, batch.n_id[t]);
    Write(folder, "x." + type, rows);
  }
  for (size_t r = 0; r < graph.edges.size(); ++r) {
    Write(folder, "edges." + graph.types.relations[r].name,
          EdgeIndex(graph, r));
  }
}

bool DumpCase(const std::filesystem::path& folder, const ModelOptions& options,
              const TinyGraph& graph) {
  const auto made = MakeModel(options, graph.types, /*random_seed=*/3);
  if (!made.ok()) {
    std::fprintf(stderr, "%s\n", made.status().ToString().c_str());
    return false;
  }
  GnnModel& model = **made;
  std::filesystem::create_directories(folder);
  MiniBatch batch = graph.Batch();
  for (at::Tensor& x : batch.x) {
    if (x.defined()) x = x.to(at::kFloat);
  }
  WriteBatch(folder, graph, batch, model);
  const TypeTensors rows = model.Forward(batch);
  const at::Tensor loss = Loss(rows);
  loss.backward();
  Write(folder, "loss", loss);
  for (size_t t = 0; t < rows.size(); ++t) {
    if (!rows[t].defined()) continue;
    Write(folder, "out." + graph.types.node_types[t], rows[t]);
  }
  for (const auto& p : model.named_parameters()) {
    const at::Tensor& grad = p.value().grad();
    Write(folder, "param." + p.key(), p.value());
    Write(folder, "grad." + p.key(),
          grad.defined() ? grad : at::zeros_like(p.value()));
  }
  return true;
}

bool DumpCases(const std::filesystem::path& folder) {
  const ModelOptions base = {.hidden_channels = 8, .out_channels = 3};
  ModelOptions sage = base;
  sage.model = "sage";
  ModelOptions sage_max = sage;
  sage_max.aggr = "max";
  ModelOptions gcn = base;
  gcn.model = "gcn";
  ModelOptions gat = base;
  gat.model = "gat";
  gat.heads = 2;
  ModelOptions rgcn = base;
  rgcn.model = "rgcn";
  ModelOptions bases = rgcn;
  bases.num_bases = 2;
  const TinyGraph one = TinyHomogeneous();
  // PyG's GCN counts a node's own self loop once, with the one that it adds.
  TinyGraph loopless = one;
  std::erase_if(loopless.edges[0],
                [](const auto& e) { return e.first == e.second; });
  const TinyGraph typed = TinyTyped();
  return DumpCase(folder / "sage", sage, one) &&
         DumpCase(folder / "sage_max", sage_max, one) &&
         DumpCase(folder / "gcn", gcn, loopless) &&
         DumpCase(folder / "gat", gat, one) &&
         DumpCase(folder / "rgcn", rgcn, one) &&
         DumpCase(folder / "typed_sage", sage, typed) &&
         DumpCase(folder / "typed_sage_max", sage_max, typed) &&
         DumpCase(folder / "typed_gat", gat, typed) &&
         DumpCase(folder / "typed_rgcn", rgcn, typed) &&
         DumpCase(folder / "typed_rgcn_bases", bases, typed);
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "dump_models FOLDER\n");
    return 2;
  }
  at::manual_seed(11);
  return tributary::DumpCases(argv[1]) ? 0 : 1;
}
