#include "cli/sample/sample_options.h"

#include <CLI/CLI.hpp>

#include "cli/sample/draw_flags.h"
#include "cli/sample/subgraph_flags.h"
#include "common/identity/tls_flags.h"

namespace tributary {

void DeclareSampleSource(CLI::App& app, SampleArguments& arguments) {
  app.add_option("--graph", arguments.graph,
                 "A graph folder, sampled in this process")
      ->type_name("DIR");
  app.add_option("--servers", arguments.servers,
                 "A fleet: HOST:PORT,... or file:PATH or dns:///NAME:PORT")
      ->type_name("LIST");
  AddTlsFlags(app, arguments.tls);
  app.add_option("--worker-options", arguments.worker_options,
                 "Instead of these: a JSON file with the mode and its options")
      ->type_name("FILE");
  DeclareSampleMode(app, arguments);
}

void DeclareSampleMode(CLI::App& app, SampleArguments& arguments) {
  app.add_option(
         "--mode", arguments.mode,
         "With --graph: collocated (in this process, the default) or mp (in "
         "worker processes, over shared memory); with --servers: remote")
      ->type_name("MODE");
  app.add_option(
         "--num-workers", arguments.num_workers,
         "Worker processes of mode mp, each with --threads threads; 1 to 64")
      ->type_name("N")
      ->capture_default_str();
  app.add_option(
         "--feature-memory", arguments.feature_memory,
         "With --graph: features are resident (mapped), paged (read from their "
         "files on demand) or auto (paged if the graph is larger than memory)")
      ->type_name("WHERE")
      ->capture_default_str();
}

void DeclareSampleBatches(CLI::App& app, SampleArguments& arguments) {
  app.add_option(
         "--input-nodes", arguments.input_nodes,
         "A split (train, SCHEME/train), ids (1,2,3), @FILE.npy (ids or "
         "a mask) or * (all); TYPE: before it in a typed graph")
      ->type_name("NODES");
  app.add_option("--num-neighbors", arguments.num_neighbors,
                 "Neighbours per node for each hop, -1 for all: 15,10,5; by "
                 "edge type: 4,3;src,rel,dst=2,0")
      ->type_name("LIST");
  app.add_option("--batch-size", arguments.batch_size, "Inputs of a batch")
      ->type_name("B")
      ->capture_default_str();
  app.add_option("--epoch", arguments.epoch, "Epoch, 0 to 2^64-1")
      ->type_name("E")
      ->capture_default_str();
  app.add_option("--batches", arguments.batches,
                 "Batches FROM, ..., TO-1 of the epoch; those beyond its end "
                 "are left out [all]")
      ->type_name("FROM:TO");
  app.add_option("--shuffle", arguments.shuffle,
                 "Order of the inputs: none, global")
      ->type_name("ORDER")
      ->capture_default_str();
  app.add_option("--input-weight", arguments.input_weight,
                 "@FILE.npy, a weight for each input: an epoch draws as many "
                 "inputs as there are, in proportion to their weights")
      ->type_name("WEIGHTS");
  app.add_flag("--replace", arguments.replace,
               "Draw neighbours with replacement");
  app.add_option("--expand", arguments.expand,
                 "Nodes that a hop expands: new (found by the previous hop, as "
                 "in PyG) or all (as in DGL's blocks)")
      ->type_name("NODES")
      ->capture_default_str();
  app.add_flag("--collect-degrees", arguments.collect_degrees,
               "Add in_degree and out_degree of the batch's nodes in the whole "
               "graph, for each edge type (needs a graph partitioned with "
               "--degrees)");
  DeclareDrawFlags(app, arguments.draws);
  DeclareSubgraphFlags(app, arguments.subgraph);
  app.add_option("--kind", arguments.kind,
                 "What is sampled: node (neighbours), walk (random walks), ppr "
                 "(the nodes of the largest personalised PageRank), layerwise "
                 "(LADIES), link (neighbours of links and negatives)")
      ->type_name("KIND")
      ->capture_default_str();
}

void DeclareSampleSeed(CLI::App& app, SampleArguments& arguments) {
  app.add_option("--random-seed", arguments.random_seed,
                 "Random seed, 0 to 2^64-1")
      ->type_name("S")
      ->capture_default_str();
  app.add_option("--feature-dtype", arguments.feature_dtype,
                 "Precision of floating x and edge_attr: stored, float16, "
                 "bfloat16, int8 (each row with a scale)")
      ->type_name("DTYPE")
      ->capture_default_str();
}

void DeclareSampleDraws(CLI::App& app, SampleArguments& arguments) {
  DeclareSampleBatches(app, arguments);
  DeclareSampleSeed(app, arguments);
}

void DeclareSampleWalk(CLI::App& app, SampleArguments& arguments) {
  app.add_option("--walk-length", arguments.walk_length, "Steps of a walk")
      ->type_name("L");
  app.add_option("--walks-per-node", arguments.walks_per_node,
                 "Walks from each input")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--metapath", arguments.metapath,
                 "Edge types of the steps, repeated: a,r,b;c,s,a. A step goes "
                 "from the destination of an edge to its source")
      ->type_name("TYPES");
  app.add_option("--restart-prob", arguments.restart_prob,
                 "Probability that a step returns to the start")
      ->type_name("P")
      ->capture_default_str();
  app.add_flag("--restart-ends", arguments.restart_ends,
               "A restart ends the walk instead");
  app.add_option("--p", arguments.p, "node2vec's return parameter")
      ->type_name("P")
      ->capture_default_str();
  app.add_option("--q", arguments.q, "node2vec's in-out parameter")
      ->type_name("Q")
      ->capture_default_str();
}

void DeclareSamplePpr(CLI::App& app, SampleArguments& arguments) {
  app.add_option("--top-k", arguments.top_k, "Nodes for each input")
      ->type_name("K");
  app.add_option("--alpha", arguments.alpha,
                 "Probability that a walk ends at a step")
      ->type_name("A")
      ->capture_default_str();
  app.add_option(
         "--epsilon", arguments.epsilon,
         "A node is pushed while its residual exceeds this times its degree")
      ->type_name("E")
      ->capture_default_str();
  app.add_option("--edge-type", arguments.edge_type,
                 "src,rel,dst: the edge type to follow, in a typed graph")
      ->type_name("TYPE");
}

void DeclareSampleLink(CLI::App& app, SampleArguments& arguments) {
  app.add_option("--input-edges", arguments.input_edges,
                 "Links instead of nodes: a split of edges (train, "
                 "SCHEME/train), or @FILE with source,destination or "
                 "source,destination,label on each line; SRC,REL,DST: before "
                 "it in a typed graph, and several such lists separated by ;")
      ->type_name("LINKS");
  app.add_option("--neg-sampling", arguments.neg_sampling,
                 "Negatives: none, binary (both ends drawn), triplet "
                 "(destinations for each source) or destination (the same, as "
                 "pairs)")
      ->type_name("MODE")
      ->capture_default_str();
  app.add_option("--neg-amount", arguments.neg_amount,
                 "Negatives for each link; whole, but for binary [1]")
      ->type_name("N");
  app.add_option(
         "--neg-degree-power", arguments.neg_degree_power,
         "Draw negatives in proportion to degree^A, A above 0 and up to 1: "
         "destinations by in-degree, drawn sources by out-degree; needs a "
         "graph partitioned with --degrees [uniform]")
      ->type_name("A");
  app.add_option("--neg-destination", arguments.neg_destination,
                 "@FILE with your own negatives: for each link a line of "
                 "destination ids, ID,ID,..., as many in every line; for "
                 "several edge types SRC,REL,DST:@FILE;...")
      ->type_name("NEGATIVES");
  app.add_flag(
      "--neg-strict", arguments.neg_strict,
      "Negatives must not be edges: takes the first such of 64 candidates");
  app.add_option("--exclude", arguments.exclude,
                 "Edges that hops leave out because they are links of the "
                 "batch: none; for links of a split self, reverse_id (and id ^ "
                 "1) or reverse_types (and those of rev_REL); or pair, all "
                 "edges from a source to its destination")
      ->type_name("EDGES")
      ->capture_default_str();
  app.add_flag(
      "--enclosing", arguments.enclosing,
      "SEAL's enclosing subgraphs: all edges between the nodes around each "
      "link except the link itself, with z, the nodes' double-radius labels");
  app.add_option(
         "--on-exhausted", arguments.on_exhausted,
         "With --neg-strict or --time node, if none of a negative's 64 "
         "candidates is valid: error, or accept the last one and count it")
      ->type_name("WHAT")
      ->capture_default_str();
}

void DeclareSampleLayerwise(CLI::App& app, SampleArguments& arguments) {
  app.add_option("--nodes-per-layer", arguments.nodes_per_layer,
                 "Nodes that each layer draws, the layer next to the inputs "
                 "first: 512,256")
      ->type_name("LIST");
  app.add_option("--importance", arguments.importance,
                 "Weights of the nodes drawn: ladies (squares of the "
                 "normalised adjacency), uniform, or fastgcn (over all nodes, "
                 "by out-edges; needs a graph partitioned with --degrees)")
      ->type_name("HOW")
      ->capture_default_str();
}

void DeclareSampleLimits(CLI::App& app, SampleArguments& arguments) {
  app.add_option("--threads", arguments.threads, "Threads, 1 to 64")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--rpc-timeout", arguments.rpc_timeout,
                 "Longest wait for one batch in seconds")
      ->type_name("S")
      ->capture_default_str();
  app.add_option("--buffer-size", arguments.buffer_size,
                 "Memory for batches in flight: 256MB, 1.5GB")
      ->type_name("BYTES")
      ->capture_default_str();
  app.add_option("--max-servers", arguments.max_servers,
                 "The most servers to keep streams to; 0: all")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--worker-key", arguments.worker_key,
                 "The job's name, by which servers divide their capacity")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option(
         "--graph-name", arguments.graph_name,
         "Which of the servers' graphs; without @VERSION the newest one")
      ->type_name("NAME[@VERSION]");
}

}  // namespace tributary
