#include "sampler_server/service/catalog/graph_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Each `nodes` is a content of its own, each `partitions` a layout.
std::shared_ptr<HeldGraph> Held(const std::string& name, int64_t nodes,
                                uint32_t partitions = 1) {
  GraphSpec spec;
  spec.name = name;
  spec.num_nodes = nodes;
  spec.edges = {{1, 0}};
  spec.num_partitions = partitions;
  return std::make_shared<HeldGraph>(ServedGraph{BuildGraph(spec)});
}

std::string Bytes(const Sha256Digest& digest) {
  return {digest.begin(), digest.end()};
}

class GraphCatalogTest : public ::testing::Test {
 protected:
  std::shared_ptr<HeldGraph> Add(std::shared_ptr<HeldGraph> graph) {
    EXPECT_TRUE(catalog_.Add(graph).ok());
    return graph;
  }
  HeldGraph* Named(const std::string& text) {
    const auto found = catalog_.Named(*GraphName::Parse(text));
    return found.ok() ? found->get() : nullptr;
  }
  std::string Problem(const std::string& text) {
    return catalog_.Named(*GraphName::Parse(text)).status().ToString();
  }

  GraphCatalog catalog_;
};

TEST_F(GraphCatalogTest, TheOnlyGraphNeedsNoName) {
  EXPECT_THAT(Problem(""), HasSubstr("NOT_FOUND"));
  EXPECT_EQ(catalog_.Newest().status().code(), absl::StatusCode::kNotFound);
  const auto only = Add(Held("cora", 2));
  EXPECT_EQ(Named(""), only.get());
  EXPECT_EQ(Named("cora"), only.get());
  EXPECT_EQ(Named(only->name()), only.get());
}

TEST_F(GraphCatalogTest, ANameWithoutAVersionIsTheNewest) {
  const auto monday = Add(Held("daily", 2));
  const auto tuesday = Add(Held("daily", 3));
  EXPECT_EQ(Named("daily"), tuesday.get());
  EXPECT_EQ(Named(""), tuesday.get());
  EXPECT_EQ(Named(monday->name()), monday.get());
  tuesday->retiring = true;  // taken back
  EXPECT_EQ(Named("daily"), monday.get());
  EXPECT_EQ(Named(tuesday->name()), tuesday.get());
  monday->retiring = true;
  EXPECT_EQ(Named("daily"), tuesday.get());
}

TEST_F(GraphCatalogTest, OfSeveralNamesOneMustBeSaid) {
  const auto cora = Add(Held("cora", 2));
  const auto pubmed = Add(Held("pubmed", 3));
  EXPECT_EQ(Named("cora"), cora.get());
  EXPECT_THAT(Problem(""),
              AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr(cora->name()),
                    HasSubstr(pubmed->name())));
  EXPECT_EQ(*catalog_.Newest(), pubmed);
  EXPECT_THAT(Problem("citeseer"),
              AllOf(HasSubstr("NOT_FOUND"), HasSubstr("'citeseer'"),
                    HasSubstr(cora->name()), HasSubstr(pubmed->name())));
}

TEST_F(GraphCatalogTest, DigestsFindWhatTheyAreOf) {
  const auto one = Add(Held("g", 4, 1));
  const auto two = Add(Held("g", 4, 2));
  const auto other = Add(Held("g", 5, 2));
  ASSERT_EQ(one->schema().content_digest, two->schema().content_digest);
  for (const auto& graph : {one, two, other}) {
    EXPECT_EQ(*catalog_.WithLayout(Bytes(graph->schema().layout_digest)),
              graph);
  }
  const std::string content = Bytes(one->schema().content_digest);
  EXPECT_EQ(*catalog_.WithContent(content), two);
  two->retiring = true;
  EXPECT_EQ(*catalog_.WithContent(content), one);
}

TEST_F(GraphCatalogTest, AnUnknownDigestNamesWhatThereIs) {
  const auto held = Add(Held("cora", 2));
  const auto found = catalog_.WithContent(std::string(32, 'x'));
  EXPECT_EQ(found.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(found.status().message()),
              AllOf(HasSubstr("7878787878"), HasSubstr(held->name()),
                    HasSubstr(ToHex(held->schema().content_digest))));
  const auto no_digest = catalog_.WithLayout("short");
  EXPECT_EQ(no_digest.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(no_digest.status().message()),
              HasSubstr("layout digest of 5 bytes; it has 32"));
}

TEST_F(GraphCatalogTest, ALayoutIsHeldOnceAndComesBackOnceItIsGone) {
  const auto held = Add(Held("cora", 2));
  EXPECT_EQ(catalog_.Add(Held("cora", 2)).code(),
            absl::StatusCode::kAlreadyExists);
  catalog_.Remove(*held);
  EXPECT_TRUE(catalog_.All().empty());
  EXPECT_TRUE(catalog_.Add(Held("cora", 2)).ok());
}

TEST_F(GraphCatalogTest, ThereIsAMostOfThem) {
  for (size_t i = 0; i < GraphCatalog::kMaxGraphs; ++i) {
    Add(Held("g", static_cast<int64_t>(2 + i)));
  }
  EXPECT_EQ(catalog_.Add(Held("g", 1000)).code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace tributary
