// Every library that third_party/BUILD.bazel names compiles, links and runs.
#include <benchmark/benchmark.h>
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <isa-l/crc.h>
#include <metis.h>
#include <openssl/sha.h>
#include <prometheus/registry.h>
#include <spdlog/spdlog.h>
#include <tbb/parallel_for.h>
#include <zip.h>
#include <zlib.h>
#include <CLI/CLI.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <nlohmann/json.hpp>

#include <atomic>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/random/random.h"
#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_format.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "third_party/smoke/smoke.grpc.pb.h"

namespace tributary {
namespace {

TEST(Libraries, Abseil) {
  absl::StatusOr<int> bad = absl::NotFoundError("x");
  EXPECT_EQ(bad.status().ToString(), "NOT_FOUND: x");
  absl::flat_hash_map<std::string, int> map = {{"a", 1}};
  EXPECT_EQ(map["a"], 1);
  absl::AnyInvocable<int()> call = [] { return 7; };
  EXPECT_EQ(call(), 7);
  EXPECT_EQ(std::string(absl::Cord("ab")), "ab");
  EXPECT_EQ(absl::StrFormat("%d", 3), "3");
  absl::BitGen random;
  EXPECT_LT(absl::Uniform(random, 0, 4), 4);
  absl::Mutex mutex;
  absl::MutexLock lock(&mutex);
  EXPECT_GT(absl::Now(), absl::UnixEpoch());
}

TEST(Libraries, GrpcAndProtobuf) {
  class Service : public smoke::Echo::Service {
    grpc::Status Say(grpc::ServerContext*, const smoke::Word* in,
                     smoke::Word* out) override {
      out->set_text(in->text() + "!");
      return grpc::Status::OK;
    }
  } service;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterService(&service);
  auto server = builder.BuildAndStart();
  auto stub = smoke::Echo::NewStub(grpc::CreateChannel(
      "127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  smoke::Word word, reply;
  word.set_text("hello");
  ASSERT_TRUE(stub->Say(&context, word, &reply).ok());
  EXPECT_EQ(reply.text(), "hello!");
}

TEST(Libraries, Checksums) {
  unsigned char text[] = "123456789";
  EXPECT_EQ(crc32_iscsi(text, 9, 0xffffffffu) ^ 0xffffffffu, 0xe3069283u);
  EXPECT_EQ(crc32(0, text, 9), 0xcbf43926u);
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(text, 9, digest);
  EXPECT_EQ(digest[0], 0x15);
}

TEST(Libraries, Metis) {
  // Two triangles joined by one edge: the cut is that edge.
  idx_t n = 6, ncon = 1, parts = 2, cut = -1;
  idx_t xadj[] = {0, 2, 4, 7, 10, 12, 14};
  idx_t adj[] = {1, 2, 0, 2, 0, 1, 3, 2, 4, 5, 3, 5, 3, 4};
  idx_t part[6];
  ASSERT_EQ(METIS_PartGraphKway(&n, &ncon, xadj, adj, nullptr, nullptr, nullptr,
                                &parts, nullptr, nullptr, nullptr, &cut, part),
            METIS_OK);
  EXPECT_EQ(cut, 1);
}

TEST(Libraries, TheRest) {
  CLI::App app;
  int n = 0;
  app.add_option("--n", n);
  app.parse("--n 5");
  EXPECT_EQ(n, 5);
  EXPECT_EQ(nlohmann::json::parse("{\"a\":[1,2]}")["a"][1], 2);
  spdlog::debug("quiet {}", 1);
  EXPECT_TRUE(prometheus::Registry().Collect().empty());
  std::atomic<int> sum = 0;
  tbb::parallel_for(0, 10, [&](int i) { sum += i; });
  EXPECT_EQ(sum, 45);
  EXPECT_STREQ(zip_libzip_version(), zip_libzip_version());
  EXPECT_GT(boost::interprocess::mapped_region::get_page_size(), 0u);
  benchmark::DoNotOptimize(n);
  EXPECT_THAT("abc", testing::HasSubstr("b"));
}

}  // namespace
}  // namespace tributary
