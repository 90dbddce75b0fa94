#include <random>
#include <thread>
#include "channel/grpc/grpc_server.h"
#include "channel/grpc/grpc_transport.h"
#include "common/runtime/thread_pool.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/service/sampler_service.h"
#include "sampler_server/tensors/testing/tensor_client.h"
namespace tributary {
TEST(Pull, Speed) {
  ThreadPool pool("p", 1), leaf("l", 1), data("d", 1), proto("x", 1), mine("c", 1);
  GraphSpec graph; graph.num_nodes = 2; graph.edges = {{1, 0}};
  SamplerServiceOptions options; options.incarnation = 1;
  SamplerServiceEnvironment env;
  env.executor = &pool; env.leaf_executor = &leaf; env.data_executor = &data; env.protocol_executor = &proto;
  auto g = BuildGraph(graph);
  SamplerService service(options, env, ServedGraph{g});
  auto server = *GrpcServer::Start({.listen = {"127.0.0.1", 0}}, &service);
  GrpcTransport transport;
  v1::AttemptRef ref;
  const auto& d = g->schema().content_digest;
  ref.set_content_digest(d.data(), d.size()); ref.set_attempt(1); ref.set_client(1);
  {
  TensorClient client(&transport, server->address(), &mine, [](const std::function<bool()>& done) { while (!done()) std::this_thread::yield(); }, ref);
  v1::TensorMember m; m.set_address("a:1"); m.set_incarnation(1);
  ASSERT_TRUE(client.Open(1, {m}, 0).ok());
  const uint64_t rows = 1'000'000;
  ASSERT_TRUE(client.Create(FloatSpec("t", rows, 64)).ok());
  std::mt19937_64 random(1);
  std::vector<uint64_t> ids(10'000);
  for (uint64_t at = 0; at < rows; at += 10'000) {
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = at + i;
    ASSERT_TRUE(client.Write("t", v1::WRITE_SET, ids.size(), RowsAndValues(ids, std::vector<float>(640'000, 1))).ok());
  }
  for (int window : {1, 2, 4}) {
    std::atomic<int> left{0}, bad{0};
    const auto begin = absl::Now();
    const int n = 300;
    int started = 0;
    while (started < n || left > 0) {
      if (started < n && left < window) {
        for (auto& id : ids) id = random() % rows;
        v1::ReadRowsRequest r; r.set_name("t"); r.set_num_rows(ids.size()); r.set_max_reply_bytes(4 << 20); r.set_timeout_ms(10000);
        ++left; ++started;
        CallRequest call; call.kind = MessageKind::kReadRowsRequest; *r.mutable_attempt() = ref; call.header = r.SerializeAsString();
        auto owner = std::make_shared<std::vector<uint8_t>>(RowsAndValues<uint8_t>(ids, {}));
        call.payload = *owner; call.payload_owner = owner;
        client.calls().Call(std::move(call), mine.Now() + absl::Seconds(10), 4 << 20, [&](auto reply) { if (!reply.ok() || reply->payload.size() != 2'560'000) ++bad; --left; });
      } else std::this_thread::yield();
    }
    const double s = absl::ToDoubleSeconds(absl::Now() - begin);
    printf("window %d: %.0f pulls/s, %.2f ms each, %.2f GB/s bad %d\n", window, n / s, s / n * 1e3, n * 2.56e6 / s / 1e9, bad.load());
  }
  // table alone
  auto attempt = *service.tensors().Find(ref);
  auto table = *attempt->Find("t");
  std::vector<uint8_t> out(2'560'000);
  const auto b = absl::Now();
  for (int i = 0; i < 300; ++i) { for (auto& id : ids) id = random() % rows; table->Read(ids, out.data()); }
  printf("table alone %.3f ms\n", absl::ToDoubleMilliseconds(absl::Now() - b) / 300);
  std::vector<float> values(640'000, 1);
  const auto b2 = absl::Now();
  for (int i = 0; i < 100; ++i) client.Write("t", v1::WRITE_ADD, ids.size(), RowsAndValues(ids, values)).IgnoreError();
  printf("adds of 10000 %.3f ms\n", absl::ToDoubleMilliseconds(absl::Now() - b2) / 100);
  ASSERT_TRUE(client.Attach("t", v1::SPARSE_ADAGRAD).ok());
  const auto b3 = absl::Now();
  std::sort(ids.begin(), ids.end()); ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  values.resize(ids.size() * 64);
  for (int i = 1; i <= 50; ++i) {
    v1::PushRoundRequest r; r.set_round(i); r.set_closes(true); auto& p = *r.add_pushes(); p.set_name("t"); p.set_num_rows(ids.size()); p.mutable_step()->set_learning_rate(.1); p.mutable_step()->set_eps(1e-10);
    auto s = client.Ask<v1::PushRoundReply>(MessageKind::kPushRoundRequest, r, RowsAndValues(ids, values));
    ASSERT_TRUE(s.ok()) << s.status();
  }
  printf("rounds of 10000 %.3f ms\n", absl::ToDoubleMilliseconds(absl::Now() - b3) / 50);
  }
  server->Shutdown(absl::ZeroDuration()); server.reset();
}
}
