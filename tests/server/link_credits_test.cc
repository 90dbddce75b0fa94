// Credits for links: their inputs come in the payload.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/session/kinds/link_spec.h"
#include "common/session/link_columns.h"
#include "sampler_server/testing/fleet_fixture.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class LinkCredits : public FleetFixture {
 protected:
  static constexpr uint64_t kRoom = 8192;

  // Two links, labelled; a session of nodes where `nodes`.
  std::shared_ptr<ScriptedTrainer> Open(SimFleet& fleet, bool nodes = false,
                                        const NegativeSampling& negatives = {
                                            NegativeMode::kBinary, 1}) {
    auto trainer = Connect(fleet);
    const GraphSchema& schema = fleet.servers[0]->graph->schema();
    session_ = VectorSession(*fleet.servers[0]);
    if (!nodes) {
      SpecGraph graph{schema.name, schema.content_digest, schema.layout_digest};
      graph.node_types = {schema.node_types[0].name};
      graph.edge_types = {schema.edge_types[0].name()};
      SpecOptions options = session_.options;
      options.links = LinkInputs{"", LabelType::kInt64};
      options.input_count = 2;
      session_.spec = BuildLinkSpec(graph, options, negatives).value();
      session_.identity = SessionIdentity(session_.spec);
    }
    trainer->Open(session_);
    return trainer;
  }

  v1::Credit Credit(uint64_t grant) const {
    v1::Credit credit;
    credit.set_grant(grant);
    credit.set_session(
        std::string(session_.identity.begin(), session_.identity.end()));
    credit.set_max_bytes(kRoom);
    credit.set_timeout_ms(1000);
    credit.set_links(2);
    return credit;
  }

  static LinkCredit Inputs() {
    LinkCredit inputs;
    inputs.input_number = {0, 1};
    inputs.links.source = {1, 5};
    inputs.links.destination = {0, 5};
    inputs.links.SetLabels(std::vector<int64_t>{1, 1});
    return inputs;
  }

  TrainerSession session_;
};

TEST_F(LinkCredits, ABatchComes) {
  SimFleet fleet(1);
  fleet.Add({.opened = VectorGraph(1)});
  auto trainer = Open(fleet);
  trainer->Send(Credit(0), nullptr, EncodeLinkCredit(Inputs()));
  Await(fleet, *trainer, 1);
  EXPECT_THAT(trainer->answer(0), StartsWith("ready"));
  RunFor(fleet, absl::Seconds(1));
  ExpectIdle(*fleet.servers[0]);
}

TEST_F(LinkCredits, WrongOnesAreRefusedForGood) {
  SimFleet fleet(1);
  fleet.Add({.opened = VectorGraph(1)});
  auto trainer = Open(fleet);
  const std::vector<uint8_t> good = EncodeLinkCredit(Inputs());
  const auto changed = [](auto change) {
    LinkCredit inputs = Inputs();
    change(inputs);
    return EncodeLinkCredit(inputs);
  };
  v1::Credit credit = Credit(0);
  credit.set_links(0);
  trainer->Send(credit, nullptr, good);
  credit = Credit(1);
  credit.set_links(1);
  trainer->Send(credit, nullptr, good);
  credit = Credit(2);
  credit.set_links(UINT64_MAX);
  trainer->Send(credit, nullptr, good);
  credit = Credit(3);
  credit.add_original_id(1);
  trainer->Send(credit, nullptr, good);
  trainer->Send(Credit(4), nullptr, {});
  trainer->Send(Credit(5), nullptr,
                changed([](LinkCredit& c) { c.links.label.pop_back(); }));
  trainer->Send(Credit(6), nullptr, changed([](LinkCredit& c) {
                  c.links.source[1] = 7;  // the graph has 7 nodes
                }));
  trainer->Send(Credit(7), nullptr,
                changed([](LinkCredit& c) { c.links.destination[0] = -1; }));
  trainer->Send(Credit(8), nullptr, changed([](LinkCredit& c) {
                  c.input_number[0] = 2;  // the list has 2
                }));
  trainer->Send(Credit(9), nullptr,
                changed([](LinkCredit& c) { c.input_number[0] = -1; }));
  Await(fleet, *trainer, 10);
  for (uint64_t i = 0; i < 10; ++i) {
    EXPECT_THAT(trainer->answer(i), StartsWith("error INVALID_ARGUMENT")) << i;
    EXPECT_THAT(trainer->answer(i), Not(HasSubstr(" retry"))) << i;
  }
  EXPECT_FALSE(trainer->closed());
  ExpectIdle(*fleet.servers[0]);
}

TEST_F(LinkCredits, NodesTakeNoPayload) {
  SimFleet fleet(1);
  fleet.Add({.opened = VectorGraph(1)});
  auto trainer = Open(fleet, true);
  v1::Credit credit = ScriptedTrainer::MakeCredit(session_, 0, kRoom, 1000);
  trainer->Send(credit, nullptr, {1, 2, 3});
  credit.set_grant(1);
  credit.set_links(1);
  trainer->Send(credit);
  Await(fleet, *trainer, 2);
  EXPECT_THAT(trainer->answer(0), HasSubstr("3 bytes"));
  EXPECT_THAT(trainer->answer(1), HasSubstr("inputs are nodes"));
}

// Two destinations with each of the two links.
TEST_F(LinkCredits, ANegativeThatIsMissingOrNoNodeIsRefusedForGood) {
  SimFleet fleet(1);
  fleet.Add({.opened = VectorGraph(1)});
  NegativeSampling own{NegativeMode::kDestination, 2};
  own.given = true;
  auto trainer = Open(fleet, false, own);
  LinkCredit inputs = Inputs();
  inputs.links.negatives = 2;
  inputs.links.negative = {3, 0, 6, 4};
  trainer->Send(Credit(0), nullptr, EncodeLinkCredit(inputs));
  inputs.links.negative[2] = 7;  // the graph has 7 nodes
  trainer->Send(Credit(1), nullptr, EncodeLinkCredit(inputs));
  inputs.links.negative.pop_back();
  trainer->Send(Credit(2), nullptr, EncodeLinkCredit(inputs));
  Await(fleet, *trainer, 3);
  EXPECT_THAT(trainer->answer(0), StartsWith("ready"));
  EXPECT_THAT(trainer->answer(1), HasSubstr("7"));
  for (uint64_t i = 1; i < 3; ++i) {
    EXPECT_THAT(trainer->answer(i), StartsWith("error INVALID_ARGUMENT")) << i;
    EXPECT_THAT(trainer->answer(i), Not(HasSubstr(" retry"))) << i;
  }
  RunFor(fleet, absl::Seconds(1));
  ExpectIdle(*fleet.servers[0]);
}

// Only credits have one.
TEST_F(LinkCredits, AnotherMessagesPayloadClosesTheStream) {
  SimFleet fleet(1);
  fleet.Add({.opened = VectorGraph(1)});
  const auto trainer = Open(fleet);
  OutgoingMessage cancel;
  cancel.kind = MessageKind::kCancel;
  static constexpr uint8_t kByte[] = {1};
  cancel.payload = kByte;
  trainer->SendRaw(std::move(cancel));
  fleet.world.RunUntil([&] { return trainer->closed(); }, absl::Seconds(5));
  EXPECT_TRUE(trainer->closed());
}

}  // namespace
}  // namespace tributary
