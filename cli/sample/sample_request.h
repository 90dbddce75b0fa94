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
#include "common/identity/tls_files.h"
#include "partition/schema/feature_memory.h"
#include "trainer_client/core/options.h"
#include "trainer_client/core/session_text/session_text.h"

namespace tributary {

// The text of each flag as it was given, or its default as a user would write
// it.
struct SampleArguments {
  std::string graph;
  std::string servers;
  SessionText session;
  std::string session_file;  // with more of it; empty: none
  std::string epoch = "0";
  std::string batches = "0:18446744073709551615";
  std::string out;
  std::string threads = "2";
  std::string rpc_timeout = "180";
  std::string buffer_size = "256MB";
  std::string max_servers = "16";
  std::string trainer_cache = "off";
  std::string trainer_cache_list;
  std::string transport = "auto";
  std::string trace_file;
  std::string worker_key = "default";
  std::string graph_name;
  TlsFiles tls;
  std::string worker_options;  // a file, in place of graph, servers and mode
  std::string mode;            // empty: follows from graph or servers
  std::string num_workers = "1";
  std::string feature_memory = "auto";
};

// A checked command line.
struct SampleRequest {
  std::string worker_options;  // file; empty: the fields below
  std::string graph;           // folder; empty: worker.servers
  std::string out;             // folder; empty: none
  uint64_t epoch = 0;
  IndexRange batches;
  int threads = 2;
  int num_workers = 0;  // processes of mode mp; 0: mode collocated
  FeatureMemory feature_memory = FeatureMemory::kAuto;  // of `graph`
  DescribedSession session;  // of which files have not been read
  RemoteDistSamplingWorkerOptions worker;
};

// Returns the texts of the session's flags with those of --session, where flags
// give none. Errors are those of ReadSessionFile().
absl::StatusOr<SessionText> SessionTextOf(const SampleArguments& arguments);

// Parses and checks the texts, and those of --session. Opens no other file.
// Returns a usage error for a wrong value or combination.
absl::StatusOr<SampleRequest> ParseSampleArguments(
    const SampleArguments& arguments);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_REQUEST_H_
