// The command line of `tributary sample`: as text, and parsed into the options
// of a loader.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_REQUEST_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_REQUEST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/command/arguments.h"
#include "cli/sample/draw_flags.h"
#include "cli/sample/subgraph_flags.h"
#include "common/identity/tls_files.h"
#include "partition/schema/feature_memory.h"
#include "trainer_client/core/dist_loader.h"
#include "trainer_client/core/options.h"

namespace tributary {

// The text of each flag as it was given, or its default as a user would write
// it.
struct SampleArguments {
  std::string graph;
  std::string servers;
  std::string input_nodes;
  std::string num_neighbors;
  std::string batch_size = "1";
  std::string random_seed = "0";
  std::string epoch = "0";
  std::string batches = "0:18446744073709551615";
  std::string shuffle = "global";
  std::string input_weight;
  std::string expand = "new";
  std::string feature_dtype = "stored";
  std::string kind = "node";
  std::string out;
  std::string threads = "2";
  std::string rpc_timeout = "180";
  std::string buffer_size = "256MB";
  std::string max_servers = "16";
  std::string worker_key = "default";
  std::string graph_name;
  TlsFiles tls;
  std::string worker_options;  // a file, in place of graph, servers and mode
  std::string mode;            // empty: follows from graph or servers
  std::string num_workers = "1";
  std::string feature_memory = "auto";
  bool replace = false;
  bool collect_degrees = false;
  DrawFlags draws;
  SubgraphFlags subgraph;
  // --kind walk.
  std::string walk_length;
  std::string walks_per_node = "1";
  std::string metapath;
  std::string restart_prob = "0";
  bool restart_ends = false;
  std::string p = "1", q = "1";
  // --kind ppr.
  std::string top_k;
  std::string alpha = "0.15";
  std::string epsilon = "0.0001";
  std::string edge_type;  // and of --kind layerwise
  // --kind layerwise.
  std::string nodes_per_layer;
  std::string importance = "ladies";
  // --kind link.
  std::string input_edges;
  std::string neg_sampling = "none";
  std::string neg_amount;  // empty: 1
  std::string neg_destination;
  std::string neg_degree_power;
  bool neg_strict = false;
  bool enclosing = false;
  std::string on_exhausted = "error";
  std::string exclude = "none";
};

// Files with the columns of the links of one edge type; empty: none.
struct LinkFiles {
  std::string links;
  std::string times;
  std::string negatives;
};

// A checked command line.
struct SampleRequest {
  std::string worker_options;  // file; empty: the fields below
  std::string graph;           // folder; empty: worker.servers
  std::string out;             // folder; empty: none
  // Files from which ReadListFiles() fills the fields of `loader` of the same
  // names; empty: none.
  std::string input_file;
  std::string input_weight_file;
  std::string input_time_file;
  std::vector<LinkFiles> link_files;  // one for each list of links
  uint64_t epoch = 0;
  IndexRange batches;
  int threads = 2;
  int num_workers = 0;  // processes of mode mp; 0: mode collocated
  FeatureMemory feature_memory = FeatureMemory::kAuto;  // of `graph`
  SessionOptions loader;
  RemoteDistSamplingWorkerOptions worker;
};

// Parses and checks the texts. Opens no file. Returns a usage error for a wrong
// value or combination.
absl::StatusOr<SampleRequest> ParseSampleArguments(
    const SampleArguments& arguments);

// Reads the lists that the request names by their files. Returns the readers'
// errors.
absl::Status ReadListFiles(SampleRequest* request);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_REQUEST_H_
