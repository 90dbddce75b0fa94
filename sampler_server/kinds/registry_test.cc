#include "sampler_server/kinds/registry.h"

#include <gtest/gtest.h>

#include <set>

#include "common/session/kinds/neighbor_spec.h"
#include "common/session/spec_builder.h"

namespace tributary {
namespace {

GraphSchema Schema() {
  GraphSchema schema;
  schema.name = "g";
  schema.semantics_version = 1;
  schema.heterogeneous = true;
  schema.content_digest.fill(1);
  schema.layout_digest.fill(2);
  for (const char* name : {"a", "b", "c"}) {
    NodeTypeSchema& type = schema.node_types.emplace_back();
    type.name = name;
    type.num_nodes = 10;
    type.base = {0, 10};
  }
  const auto add = [&schema](const char* src, int s, const char* dst, int d) {
    EdgeTypeSchema& type = schema.edge_types.emplace_back();
    type.src = src;
    type.rel = "to";
    type.dst = dst;
    type.src_type = s;
    type.dst_type = d;
  };
  add("a", 0, "a", 0);
  add("b", 1, "a", 0);
  add("c", 2, "b", 1);
  return schema;
}

v1::SessionSpec Spec() {
  SpecGraph graph{"g",
                  Schema().content_digest,
                  Schema().layout_digest,
                  {"a", "b", "c"},
                  {"a,to,a", "b,to,a", "c,to,b"}};
  SpecOptions options;
  options.input_type = "a";
  options.input_count = 10;
  options.batch_size = 4;
  options.random_seed = 9;
  options.num_neighbors.by_edge_type["b,to,a"] = {2, 1};
  v1::SessionSpec spec;
  EXPECT_TRUE(spec.ParseFromString(*BuildNeighborSpec(graph, options)));
  return spec;
}

TEST(MakePlan, PlansTypesWithAFanout) {
  const std::string bytes = Spec().SerializeAsString();
  const auto plan = MakePlan(Schema(), bytes);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->session, Sha256Of(bytes));
  EXPECT_EQ(plan->random_seed, 9u);
  EXPECT_EQ(plan->num_hops, 2);
  EXPECT_TRUE(plan->typed_names);
  ASSERT_EQ(plan->edge_types.size(), 1u);
  EXPECT_EQ(plan->edge_types[0].name, "b,to,a");
  EXPECT_EQ(plan->edge_types[0].edge_type, 1);
  EXPECT_EQ(plan->edge_types[0].fanouts, (std::vector<int32_t>{2, 1}));
  EXPECT_EQ(plan->node_types, (std::vector<int>{0, 1}));
}

// Hops of zeros plan the input's type alone.
TEST(MakePlan, NothingToSample) {
  v1::SessionSpec spec = Spec();
  for (auto& entry : *spec.mutable_neighbor()->mutable_fanouts()) {
    entry.set_per_hop(0, 0);
    entry.set_per_hop(1, 0);
  }
  const auto plan = MakePlan(Schema(), spec.SerializeAsString());
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->num_hops, 2);
  EXPECT_TRUE(plan->edge_types.empty());
  EXPECT_EQ(plan->node_types, (std::vector<int>{0}));
}

template <typename Change>
void ExpectRefused(absl::StatusCode code, const char* words, Change change) {
  v1::SessionSpec spec = Spec();
  change(spec);
  const absl::Status status =
      MakePlan(Schema(), spec.SerializeAsString()).status();
  EXPECT_EQ(status.code(), code) << words << ": " << status;
  EXPECT_NE(status.message().find(words), std::string::npos) << status;
}

TEST(MakePlan, AnotherGraphOrVersionIsAFailedPrecondition) {
  constexpr auto kCode = absl::StatusCode::kFailedPrecondition;
  ExpectRefused(kCode, "semantics_version 2; this server has 1",
                [](auto& s) { s.set_semantics_version(2); });
  ExpectRefused(kCode, "content_digest 0303",
                [](auto& s) { s.set_content_digest(std::string(32, '\3')); });
  ExpectRefused(kCode, "layout_digest 0303", [](auto& s) {
    s.set_shuffle(v1::SHUFFLE_LOCAL);
    s.set_layout_digest(std::string(32, '\3'));
  });
}

TEST(MakePlan, EveryFieldIsChecked) {
  constexpr auto kCode = absl::StatusCode::kInvalidArgument;
  ExpectRefused(kCode, "content_digest: 3 bytes",
                [](auto& s) { s.set_content_digest("abc"); });
  ExpectRefused(kCode, "layout_digest: 3 bytes",
                [](auto& s) { s.set_layout_digest("abc"); });
  ExpectRefused(kCode, "shuffle: 0",
                [](auto& s) { s.set_shuffle(v1::SHUFFLE_UNSPECIFIED); });
  ExpectRefused(kCode, "batch_size: 0", [](auto& s) { s.set_batch_size(0); });
  ExpectRefused(kCode, "inputs.node_type: 'z'; allowed: a, b, c",
                [](auto& s) { s.mutable_inputs()->set_node_type("z"); });
  ExpectRefused(kCode, "inputs.count",
                [](auto& s) { s.mutable_inputs()->set_count(0); });
  ExpectRefused(kCode, "inputs.sha256: 0 bytes",
                [](auto& s) { s.mutable_inputs()->clear_sha256(); });
  ExpectRefused(kCode, "kind: not set", [](auto& s) { s.clear_neighbor(); });
  ExpectRefused(kCode, "neighbor.expand: 0",
                [](auto& s) { s.mutable_neighbor()->clear_expand(); });
}

TEST(MakePlan, FanoutsAreChecked) {
  constexpr auto kCode = absl::StatusCode::kInvalidArgument;
  const auto fanout = [](auto& s, int i) {
    return s.mutable_neighbor()->mutable_fanouts(i);
  };
  ExpectRefused(kCode, "edge type 'x,y,z'",
                [&](auto& s) { fanout(s, 0)->set_edge_type("x,y,z"); });
  ExpectRefused(kCode, "named twice",
                [&](auto& s) { fanout(s, 1)->set_edge_type("a,to,a"); });
  ExpectRefused(kCode, "one length for all",
                [&](auto& s) { fanout(s, 2)->add_per_hop(1); });
  ExpectRefused(kCode, "has -2",
                [&](auto& s) { fanout(s, 1)->set_per_hop(1, -2); });
  ExpectRefused(kCode, "0 hops",
                [&](auto& s) { fanout(s, 0)->clear_per_hop(); });
  ExpectRefused(kCode, "fanouts: empty",
                [](auto& s) { s.mutable_neighbor()->clear_fanouts(); });
}

// A newer client may ask for what this program does not know: it must not be
// ignored.
TEST(MakePlan, UnknownFieldsAreRefused) {
  const std::string unknown("\xf8\x07\x01", 3);  // field 127, varint 1
  EXPECT_NE(MakePlan(Schema(), Spec().SerializeAsString() + unknown)
                .status()
                .message()
                .find("field 127 is unknown"),
            std::string::npos);
  EXPECT_EQ(MakePlan(Schema(), "\xff\xff").status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(QuestionTypes, HaveNamesThatFindThem) {
  std::set<absl::string_view> names;
  for (const QuestionType* type : AllQuestionTypes()) {
    EXPECT_EQ(FindQuestionType(type->name()), type);
    EXPECT_TRUE(names.insert(type->name()).second) << type->name();
    EXPECT_LE(type->name().size(), 15u) << type->name();
  }
  EXPECT_EQ(names,
            (std::set<absl::string_view>{"adjacency", "have_edges",
                                         "induced_edges", "walk_steps"}));
  EXPECT_EQ(FindQuestionType(""), nullptr);
  EXPECT_EQ(FindQuestionType("walk"), nullptr);
}

}  // namespace
}  // namespace tributary
