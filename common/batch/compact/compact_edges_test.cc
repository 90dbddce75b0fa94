// Edges that are encoded and expanded again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "common/batch/compact/compact_expander.h"
#include "common/batch/compact/compact_writer.h"
#include "common/io/buffer.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

constexpr uint8_t kBeyond = 0xA5;  // around a tensor
constexpr size_t kAround = 64;

struct HopRun {
  uint32_t first_node = 0;
  std::vector<uint32_t> degrees;  // the first and the last are not 0
  uint32_t first_fresh = 0;
  std::vector<uint32_t> neighbors;
  bool reversed = false;
};

std::vector<int32_t> EdgeIndexOf(const std::vector<HopRun>& runs) {
  std::vector<int32_t> sources, destinations;
  for (const HopRun& run : runs) {
    auto& found = run.reversed ? destinations : sources;
    auto& expanded = run.reversed ? sources : destinations;
    found.insert(found.end(), run.neighbors.begin(), run.neighbors.end());
    for (size_t i = 0; i < run.degrees.size(); ++i) {
      expanded.insert(expanded.end(), run.degrees[i],
                      static_cast<int32_t>(run.first_node + i));
    }
  }
  sources.insert(sources.end(), destinations.begin(), destinations.end());
  return sources;
}

CompactEdgeIndex FormOf(const std::vector<HopRun>& runs,
                        const CompactPath& path = CompactPaths().back()) {
  std::vector<MeasuredRun> measured;
  for (const HopRun& run : runs) {
    MeasuredRun& m = measured.emplace_back(
        MeasuredRun{{}, NeighborMeasure(run.first_fresh, path)});
    m.run.edges = static_cast<uint32_t>(run.neighbors.size());
    m.run.nodes = static_cast<uint32_t>(run.degrees.size());
    m.run.first_node = run.first_node;
    m.run.reversed = run.reversed;
    m.neighbors.Add(run.neighbors);
  }
  return ChooseForm(measured);
}

// A tensor of which the first bytes are to be left out, with bytes around it.
class Place {
 public:
  explicit Place(size_t bytes) : room_(bytes + 2 * kAround), bytes_(bytes) {
    std::fill_n(room_.data(), room_.size(), kBeyond);
  }
  absl::Span<uint8_t> tensor() { return {room_.data() + kAround, bytes_}; }
  bool IsIntactAround() const {
    const auto intact = [](uint8_t byte) { return byte == kBeyond; };
    return std::all_of(room_.data(), room_.data() + kAround, intact) &&
           std::all_of(room_.data() + kAround + bytes_,
                       room_.data() + room_.size(), intact);
  }

 private:
  AlignedBuffer room_;
  size_t bytes_;
};

// Writes the block, in pieces of `piece`, to the end of the tensor.
Place Encoded(const std::vector<HopRun>& runs, size_t piece = 4096,
              const CompactPath& path = CompactPaths().back()) {
  const CompactEdgeIndex form = FormOf(runs, path);
  Place place(form.edges() * kEdgeIndexBytes);
  EdgeIndexWriter writer(form, place.tensor().subspan(form.left_out()), path);
  for (const HopRun& run : runs) {
    writer.BeginRun();
    writer.AddDegrees(run.degrees);
    const absl::Span<const uint32_t> all = run.neighbors;
    for (size_t i = 0; i < all.size(); i += piece) {
      writer.AddNeighbors(all.subspan(i, piece));
    }
    writer.EndRun();
  }
  return place;
}

absl::Status RunOut(absl::StatusOr<std::unique_ptr<CompactExpander>> expander) {
  if (!expander.ok()) return expander.status();
  while (!(*expander)->done()) {
    const absl::Status status = (*expander)->Step();
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

std::vector<int32_t> Ints(absl::Span<const uint8_t> tensor) {
  std::vector<int32_t> ints(tensor.size() / sizeof(int32_t));
  std::memcpy(ints.data(), tensor.data(), tensor.size());
  return ints;
}

void ExpectRoundTrip(const std::vector<HopRun>& runs, uint64_t num_nodes,
                     size_t piece = 4096) {
  const CompactEdgeIndex form = FormOf(runs);
  ASSERT_GT(form.left_out(), 0u);
  for (const CompactPath& path : CompactPaths()) {
    ASSERT_EQ(FormOf(runs, path), form) << path.name;
    Place place = Encoded(runs, piece, path);
    ASSERT_TRUE(place.IsIntactAround());
    ASSERT_EQ(place.tensor().subspan(form.left_out()),
              Encoded(runs).tensor().subspan(form.left_out()))
        << path.name;
    const auto read = ReadCompactEdgeIndex(
        place.tensor().subspan(form.left_out()), form.edges(), num_nodes);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*read, form);
    // Nothing of what was left out is read.
    std::fill_n(place.tensor().data(), form.left_out(), 0xEE);
    const absl::Status status = RunOut(
        ExpandEdgeIndex(place.tensor(), form.left_out(), num_nodes, path));
    ASSERT_TRUE(status.ok()) << path.name << ": " << status;
    ASSERT_TRUE(place.IsIntactAround()) << path.name;
    ASSERT_EQ(Ints(place.tensor()), EdgeIndexOf(runs)) << path.name;
  }
}

// Twenty edges of three nodes: docs/protocol.md has this example.
std::vector<HopRun> Example() {
  HopRun run;
  run.first_node = 2;
  run.degrees = {3, 0, 17};
  run.first_fresh = 5;
  run.neighbors = {5, 6, 2, 300, 7, 5};
  run.neighbors.resize(20, 1);
  return {run};
}

TEST(CompactEdges, KnownBytes) {
  std::string expected = absl::HexStringToBytes(
      "0102000001000000"            // form, width, runs
      "140000000300000003000000"    // edges, nodes, fresh
      "020000000500000000000000");  // first ones, reversed
  expected.append(24, '\0');
  expected += absl::HexStringToBytes(
      "e7ff3f"  // 1110 0 1{17} 0
      "130000"  // edges 0, 1 and 4
      "02002c010500");
  for (int i = 0; i < 14; ++i) expected.append("\1\0", 2);
  Place place = Encoded(Example());
  const absl::Span<const uint8_t> block = place.tensor().subspan(64);
  EXPECT_EQ(absl::BytesToHexString(
                {reinterpret_cast<const char*>(block.data()), block.size()}),
            absl::BytesToHexString(expected));
  ExpectRoundTrip(Example(), 301);
}

TEST(CompactEdges, KnownBytesOfEdgeIds) {
  const std::vector<int64_t> ids = {1,  0x10203, 7,  8,  9,  10, 11, 12, 13,
                                    14, 15,      16, 17, 18, 19, 20, 21};
  ASSERT_EQ(LeftOutOfEdgeIds(17, 3), 64u);  // of 136 bytes; the block has 59
  Place place(17 * 8);
  EdgeIdWriter writer(17, 3, place.tensor().subspan(64));
  writer.Add(absl::MakeConstSpan(ids).first(5));
  writer.Add(absl::MakeConstSpan(ids).subspan(5));
  std::string expected = absl::HexStringToBytes("0103000000000000");
  expected.append(13, '\0');
  expected += absl::HexStringToBytes("010000030201");
  for (int id = 7; id < 22; ++id) {
    expected += {static_cast<char>(id), 0, 0};
  }
  const absl::Span<const uint8_t> block = place.tensor().subspan(64);
  EXPECT_EQ(absl::BytesToHexString(
                {reinterpret_cast<const char*>(block.data()), block.size()}),
            absl::BytesToHexString(expected));
}

// The neighbours that one hop finds: sources by first occurrence, most of them
// near the beginning.
HopRun RandomRun(std::mt19937_64& random, size_t edges, uint32_t first_node,
                 uint32_t* num_nodes, double fresh, uint32_t largest) {
  HopRun run;
  run.first_node = first_node;
  run.first_fresh = *num_nodes;
  run.reversed = random() % 3 == 0;
  const uint32_t mean = 1 + random() % 40;
  const bool many_empty = random() % 4 == 0;
  for (size_t left = edges; left > 0;) {
    uint32_t degree = random() % (2 * mean + 1);
    if (many_empty && random() % 2 == 0) degree = 0;
    if (run.degrees.empty()) degree = std::max(degree, 1u);
    degree = static_cast<uint32_t>(std::min<size_t>(left, degree));
    run.degrees.push_back(degree);
    left -= degree;
  }
  std::bernoulli_distribution is_fresh(fresh);
  for (size_t e = 0; e < edges; ++e) {
    if (is_fresh(random)) {
      run.neighbors.push_back((*num_nodes)++);
    } else if (*num_nodes > run.first_fresh && random() % 16 == 0) {
      run.neighbors.push_back(*num_nodes - 1 -
                              static_cast<uint32_t>(random() % 3) %
                                  (*num_nodes - run.first_fresh));
    } else {
      run.neighbors.push_back(static_cast<uint32_t>(random() % largest));
    }
  }
  return run;
}

TEST(CompactEdges, RandomRunsComeAgain) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 400; ++round) {
    std::vector<HopRun> runs;
    const uint32_t largest = uint32_t{1} << (1 + random() % 30);
    uint32_t num_nodes = largest + 70;
    const size_t num_runs = 1 + random() % 5;
    for (size_t r = 0; r < num_runs; ++r) {
      const double fresh =
          std::vector<double>{0, 0.01, 0.4, 0.97, 1}[random() % 5];
      const size_t edges = 60 + random() % (round % 20 == 0 ? 9000 : 300);
      runs.push_back(
          RandomRun(random, edges, random() % 60, &num_nodes, fresh, largest));
    }
    if (FormOf(runs).left_out() == 0) continue;
    ExpectRoundTrip(runs, num_nodes + 60'000, 8 * (1 + random() % 20));
  }
}

// More than a step takes, of each stream.
TEST(CompactEdges, ManySteps) {
  std::mt19937_64 random(8);
  uint32_t num_nodes = 70'000;
  std::vector<HopRun> runs;
  for (const double fresh : {0.3, 1.0, 0.0}) {
    runs.push_back(
        RandomRun(random, 200'001, 11, &num_nodes, fresh, num_nodes));
  }
  runs[1].degrees.assign(1, 200'001);  // one node has all edges
  ExpectRoundTrip(runs, num_nodes + 600'000);
}

TEST(CompactEdges, TakesFewBytes) {
  std::mt19937_64 random(9);
  uint32_t num_nodes = 1000;
  std::vector<HopRun> runs = {
      RandomRun(random, 100'000, 0, &num_nodes, 0.4, 65'000)};
  runs[0].degrees.assign(10'000, 10);
  const CompactEdgeIndex form = FormOf(runs);
  EXPECT_EQ(form.number_bytes, 2);
  // 2 bytes for six edges of ten, a bit for each edge, and one and a little
  // more for its node.
  EXPECT_NEAR(static_cast<double>(form.bytes()), 100'000 * 1.4625, 1500);
}

TEST(CompactEdges, WhatIsNoSmallerStays) {
  EXPECT_EQ(FormOf({{0, {1}, 9, {1}, false}}).left_out(), 0u);
  std::vector<uint32_t> degrees(3000, 0);
  degrees.front() = degrees.back() = 40;
  const std::vector<HopRun> runs = {
      {0, degrees, 9, std::vector<uint32_t>(80, 1), false}};
  EXPECT_EQ(FormOf(runs).left_out(), 0u) << "more than 8 nodes for an edge";
  EXPECT_EQ(LeftOutOfEdgeIds(100, 8), 0u);
  EXPECT_EQ(LeftOutOfEdgeIds(10, 4), 0u);
  EXPECT_EQ(LeftOutOfEdgeIds(100, 4), 384u);
}

TEST(CompactEdges, MarksWhereTheyPay) {
  // One of a hundred is fresh: its number takes less than a hundred marks.
  std::vector<uint32_t> neighbors(100, 1);
  neighbors[50] = 9;
  const CompactEdgeIndex form = FormOf({{0, {100}, 9, neighbors, false}});
  EXPECT_EQ(form.runs[0].fresh, 0u);
  EXPECT_EQ(form.number_bytes, 1);
  ExpectRoundTrip({{0, {100}, 9, neighbors, false}}, 100);
}

TEST(CompactEdges, IdsOfEveryWidth) {
  std::mt19937_64 random(10);
  for (uint8_t width = 1; width <= 7; ++width) {
    for (const size_t edges : {65, 66, 67, 68, 1000, 140'003}) {
      std::vector<int64_t> ids(edges);
      for (int64_t& id : ids) {
        id = static_cast<int64_t>(random() >> (64 - 8 * width));
      }
      const size_t left_out = LeftOutOfEdgeIds(edges, width);
      if (left_out == 0) continue;
      for (const CompactPath& path : CompactPaths()) {
        Place place(edges * 8);
        EdgeIdWriter writer(edges, width, place.tensor().subspan(left_out));
        writer.Add(absl::MakeConstSpan(ids).first(33));
        writer.Add(absl::MakeConstSpan(ids).subspan(33));
        ASSERT_TRUE(place.IsIntactAround());
        const absl::Status status =
            RunOut(ExpandEdgeIds(place.tensor(), left_out, path));
        ASSERT_TRUE(status.ok()) << status;
        ASSERT_TRUE(place.IsIntactAround());
        ASSERT_EQ(std::memcmp(place.tensor().data(), ids.data(), edges * 8), 0)
            << path.name << ", " << int{width} << " bytes";
      }
    }
  }
}

// ---- what a server may say --------------------------------------------------

// Sets `bytes` at `offset` of the example's block and expands it.
absl::Status Changed(size_t offset, std::vector<uint8_t> bytes,
                     uint64_t num_nodes = 301) {
  Place place = Encoded(Example());
  std::copy(bytes.begin(), bytes.end(), place.tensor().data() + 64 + offset);
  const absl::Status status =
      RunOut(ExpandEdgeIndex(place.tensor(), 64, num_nodes));
  EXPECT_TRUE(place.IsIntactAround());
  EXPECT_TRUE(status.ok() || absl::IsDataLoss(status)) << status;
  return status;
}

TEST(CompactEdges, WrongBlocksAreRefused) {
  EXPECT_TRUE(Changed(0, {1}).ok());
  const auto expect = [](const absl::Status& status, const char* what) {
    EXPECT_FALSE(status.ok()) << what;
    EXPECT_THAT(status.ToString(), HasSubstr(what));
  };
  expect(Changed(0, {2}), "form 2");
  expect(Changed(2, {1}), "form 1, 1");
  expect(Changed(1, {0}), "17 numbers of 0 bytes");
  expect(Changed(1, {5}), "17 numbers of 5 bytes");
  expect(Changed(1, {4}), "runs of 106 bytes in a block of 96");
  expect(Changed(4, {0}), "0 runs");
  expect(Changed(4, {4}), "4 runs in 96 bytes");
  expect(Changed(4, {255, 255, 255, 255}), "runs in 96 bytes");
  expect(Changed(8, {0}), "a run of 0 edges");
  expect(Changed(8, {2}), "3 of them to fresh nodes");
  expect(Changed(8, {19}), "runs of 19 edges");
  expect(Changed(8, {255, 255, 255, 255}), "runs of 4294967295 edges");
  expect(Changed(12, {0}), "a run of nodes 2 + 0");
  expect(Changed(12, {170}), "nodes in a tensor of 20");
  expect(Changed(12, {2}), "the degrees are not those");
  expect(Changed(16, {4}), "4 fresh");
  expect(Changed(16, {2}), "the marks are not those");
  expect(Changed(20, {255, 255, 255, 255}), "of 301");
  expect(Changed(24, {255, 255, 255, 255}), "of 301");
  expect(Changed(28, {2}), "reversed 2");
  expect(Changed(56, {0xe6}), "the degrees are not those");
  expect(Changed(58, {0x7f}), "the degrees are not those");
  expect(Changed(58, {0xbf}), "the degrees are not those");
  expect(Changed(59, {0x17}), "the marks are not those");
  expect(Changed(59, {0x03}), "the marks are not those");
  expect(Changed(61, {0x10}), "the marks are not those");
  expect(Changed(64, {45}), "node 301 of 301");
  expect(Changed(0, {1}, 300), "node 300 of 300");
  expect(Changed(0, {1}, 4), "of 4");
}

TEST(CompactEdges, WrongSizesAreRefused) {
  for (const size_t left_out : {0, 32, 128, 156, 160}) {
    Place place = Encoded(Example());
    std::memmove(place.tensor().data() + left_out, place.tensor().data() + 64,
                 std::min<size_t>(96, 160 - left_out));
    EXPECT_TRUE(absl::IsDataLoss(
        RunOut(ExpandEdgeIndex(place.tensor(), left_out, 301))))
        << left_out;
    EXPECT_TRUE(place.IsIntactAround());
  }
  Place place = Encoded(Example());
  EXPECT_TRUE(absl::IsDataLoss(RunOut(ExpandEdgeIds(place.tensor(), 64))));
  for (const uint8_t width : {0, 1, 2, 4, 8, 255}) {
    Place ids(100 * 8);
    EdgeIdWriter(100, 3, ids.tensor().subspan(448)).Add({});
    EXPECT_TRUE(RunOut(ExpandEdgeIds(ids.tensor(), 448)).ok());
    Place other(100 * 8);
    EdgeIdWriter(100, 3, other.tensor().subspan(448)).Add({});
    other.tensor()[449] = width;
    EXPECT_TRUE(absl::IsDataLoss(RunOut(ExpandEdgeIds(other.tensor(), 448))))
        << int{width};
  }
}

// Whatever bytes are changed, nothing beside the tensor is, and numbers are
// nodes.
TEST(CompactEdges, DamagedBlocksStayInTheirTensor) {
  std::mt19937_64 random(11);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    uint32_t num_nodes = 300;
    const std::vector<HopRun> runs = {
        RandomRun(random, 150, 3, &num_nodes, 0.4, 290),
        RandomRun(random, 90, 3, &num_nodes, 0.9, 290)};
    const CompactEdgeIndex form = FormOf(runs);
    Place place = Encoded(runs);
    const auto block = place.tensor().subspan(form.left_out());
    const size_t changes = 1 + random() % 3;
    for (size_t c = 0; c < changes; ++c) {
      const size_t most =
          random() % 2 == 0 ? form.header_bytes() : block.size();
      block[random() % most] ^= 1u << random() % 8;
    }
    const CompactPath& path = CompactPaths()[random() % CompactPaths().size()];
    const absl::Status status =
        RunOut(ExpandEdgeIndex(place.tensor(), form.left_out(), 700, path));
    ASSERT_TRUE(place.IsIntactAround()) << round;
    if (!status.ok()) {
      ++refused;
      continue;
    }
    for (const int32_t node : Ints(place.tensor())) {
      ASSERT_TRUE(node >= 0 && node < 700) << round;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace tributary
