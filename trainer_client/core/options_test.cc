#include "trainer_client/core/options.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace tributary {
namespace {

using Options = RemoteDistSamplingWorkerOptions;

Options Good() {
  Options options;
  options.servers = "127.0.0.1:50051,127.0.0.1:50052";
  return options;
}

TEST(Options, DefaultsWithServersAreValid) {
  EXPECT_TRUE(Good().Validate().ok()) << Good().Validate();
  Options glt;
  glt.master_addr = "10.0.0.1";
  glt.master_port = 11234;
  EXPECT_TRUE(glt.Validate().ok()) << glt.Validate();
  glt.master_addr = "::1";
  EXPECT_TRUE(glt.Validate().ok()) << glt.Validate();
}

TEST(Options, EachWrongValueNamesFieldValueAndAllowed) {
  struct Case {
    std::function<void(Options&)> set;
    const char* field;
    const char* value;
    const char* allowed;
  };
  const Case cases[] = {
      {[](Options& o) { o.servers = ""; }, "servers", "empty", "file:PATH"},
      {[](Options& o) { o.servers = "host"; }, "servers", "host", "HOST:PORT"},
      {[](Options& o) { o.servers = "", o.master_addr = "a"; }, "master_port",
       "0", "1 to 65535"},
      {[](Options& o) {
         o.server_rank = {0, -1};
       },
       "server_rank", "-1", "0 to"},
      {[](Options& o) {
         o.server_rank = {1, 1};
       },
       "server_rank", "1 twice", "once"},
      {[](Options& o) { o.server_rank = {2}; }, "server_rank", "2", "0 to 1"},
      {[](Options& o) { o.num_clients = -1; }, "num_clients", "-1", "0 to"},
      {[](Options& o) { o.client_rank = 1; }, "client_rank", "1", "0 to 0"},
      {[](Options& o) { o.num_clients = 2, o.client_rank = 2; }, "client_rank",
       "2", "0 to 1"},
      {[](Options& o) { o.max_servers = -1; }, "max_servers", "-1", "0 to 655"},
      {[](Options& o) { o.num_workers = 0; }, "num_workers", "0", "1 to 64"},
      {[](Options& o) {
         o.worker_devices = {"cpu", "cuda:0"};
       },
       "worker_devices", "cuda:0", "cpu"},
      {[](Options& o) { o.worker_concurrency = 33; }, "worker_concurrency",
       "33", "1 to 32"},
      {[](Options& o) { o.num_rpc_threads = 65; }, "num_rpc_threads", "65",
       "1 to 64"},
      {[](Options& o) { o.rpc_timeout = absl::Milliseconds(99); },
       "rpc_timeout", "99ms", "0.1 s to 1 day"},
      {[](Options& o) { o.rpc_timeout = absl::InfiniteDuration(); },
       "rpc_timeout", "inf", "0.1 s to 1 day"},
      {[](Options& o) { o.buffer_size = 1; }, "buffer_size", "1 bytes",
       "64 KiB to this machine"},
      {[](Options& o) { o.prefetch_size = 0; }, "prefetch_size", "0",
       "1 to 1024"},
      {[](Options& o) { o.worker_key = ""; }, "worker_key", "0 bytes long",
       "1 to 256"},
      {[](Options& o) { o.worker_key = "job\xff"; }, "worker_key", "job\xff",
       "UTF-8"},
      {[](Options& o) { o.tls.ca = "ca.pem"; }, "tls",
       "--tls-cert and --tls-key missing", "needs --tls-ca"},
      {[](Options& o) { o.graph_name = "g@xyz"; }, "graph_name", "g@xyz",
       "NAME@VERSION"},
      {[](Options& o) { o.graph_name = "g\xff"; }, "graph_name", "g\xff",
       "UTF-8"},
      {[](Options& o) {
         o.servers = "", o.master_addr = "no host", o.master_port = 1;
       },
       "master_addr", "no host", "a host name"},
  };
  for (const Case& c : cases) {
    Options options = Good();
    c.set(options);
    const absl::Status status = options.Validate();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.field;
    for (const char* part : {c.field, c.value, c.allowed}) {
      EXPECT_NE(status.message().find(part), std::string::npos)
          << part << " is not in: " << status;
    }
  }
}

}  // namespace
}  // namespace tributary
