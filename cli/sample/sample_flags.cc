#include "cli/sample/sample_flags.h"

#include <CLI/CLI.hpp>

#include "common/identity/tls_flags.h"
#include "trainer_client/core/session_text/session_flags.h"

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

void DeclareSession(CLI::App& app, SampleArguments& arguments,
                    const std::vector<absl::string_view>& except) {
  DeclareSessionFlags(app, arguments.session, except);
  app.add_option("--session", arguments.session_file,
                 "A JSON object of the options above by name, such as "
                 "num_neighbors; flags replace what it says")
      ->type_name("FILE");
  app.add_option("--epoch", arguments.epoch, "Epoch, 0 to 2^64-1")
      ->type_name("E")
      ->capture_default_str();
  app.add_option("--batches", arguments.batches,
                 "Batches FROM, ..., TO-1 of the epoch; those beyond its end "
                 "are left out [all]")
      ->type_name("FROM:TO");
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
  app.add_option("--trainer-cache", arguments.trainer_cache,
                 "With --servers: rows of features to hold, so that servers "
                 "need not send them: auto, off, a share of each node type's "
                 "rows as 0.2, or memory as 2GB")
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_option("--trainer-cache-list", arguments.trainer_cache_list,
                 "Which of the graph's hot lists orders these rows  [one that "
                 "was sampled, else degree]")
      ->type_name("NAME");
  app.add_option("--transport", arguments.transport,
                 "With --servers: what carries batches: auto (TCP to servers "
                 "that take it, as long as it gets through, else gRPC), grpc, "
                 "tcp")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--trace-file", arguments.trace_file,
                 "Append to this file, for each batch, a line of OTLP/JSON "
                 "with the spans of where its time went")
      ->type_name("FILE");
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
