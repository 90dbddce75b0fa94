#include "common/session/link_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

LinkColumns Three() {
  LinkColumns links;
  links.source = {5, 6, 7};
  links.destination = {1, 2, 3};
  return links;
}

TEST(LinkColumns, TakesByNumberWithLabels) {
  LinkColumns links = Three();
  links.SetLabels(std::vector<int64_t>{10, 258, 30});
  const LinkColumns taken = links.Take({1, 1, 0});
  EXPECT_THAT(taken.source, ElementsAre(6, 6, 5));
  EXPECT_THAT(taken.destination, ElementsAre(2, 2, 1));
  EXPECT_EQ(taken.label_type, LabelType::kInt64);
  // 258 is 2 and 1 * 256.
  EXPECT_THAT(taken.label, ElementsAre(2, 1, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0,
                                       0, 0, 10, 0, 0, 0, 0, 0, 0, 0));
}

TEST(LinkColumns, TakesTheNegativesOfEachLink) {
  LinkColumns links = Three();
  links.negatives = 2;
  links.negative = {10, 11, 20, 21, 30, 31};
  const LinkColumns taken = links.Take({2, 0});
  EXPECT_EQ(taken.negatives, 2u);
  EXPECT_THAT(taken.negative, ElementsAre(30, 31, 10, 11));
}

TEST(LinkColumns, TheHashTellsTheColumnsApart) {
  const LinkColumns links = Three();
  const Sha256Digest plain = LinksSha256(links, {});
  LinkColumns turned = links;
  turned.source.swap(turned.destination);
  EXPECT_NE(LinksSha256(turned, {}), plain);
  EXPECT_NE(LinksSha256(links, {1, 2, 3}), plain);
  LinkColumns labelled = links;
  labelled.SetLabels(std::vector<int64_t>{1, 2, 3});
  EXPECT_NE(LinksSha256(labelled, {}), plain);
  EXPECT_NE(LinksSha256(labelled, {}), LinksSha256(links, {1, 2, 3}));
  LinkColumns known = links;
  known.edge_id = {1, 2, 3};
  EXPECT_NE(LinksSha256(known, {}), plain);
  EXPECT_NE(LinksSha256(known, {}), LinksSha256(links, {1, 2, 3}));
  LinkColumns owned = links;
  owned.negatives = 1;
  owned.negative = {1, 2, 3};
  EXPECT_NE(LinksSha256(owned, {}), plain);
  EXPECT_NE(LinksSha256(owned, {}), LinksSha256(known, {}));
}

TEST(LinkCredit, ComesBackAsItWasWritten) {
  for (const bool timed : {false, true}) {
    for (const LabelType label :
         {LabelType::kNone, LabelType::kInt64, LabelType::kFloat32}) {
      const LinkCreditShape shape{timed, label == LabelType::kInt64, label,
                                  label == LabelType::kFloat32 ? 2u : 0u};
      LinkCredit credit;
      credit.input_number = {2, 0, 1};
      credit.links = Three();
      if (timed) credit.time = {-4, 0, 9};
      if (shape.edge_ids) credit.links.edge_id = {8, -1, 0};
      if (label == LabelType::kInt64) {
        credit.links.SetLabels(std::vector<int64_t>{3, -1, 0});
      }
      if (label == LabelType::kFloat32) {
        credit.links.SetLabels(std::vector<float>{0.5f, 0, -2});
        credit.links.negatives = 2;
        credit.links.negative = {4, 5, 6, 7, 8, 9};
      }
      const std::vector<uint8_t> payload = EncodeLinkCredit(credit);
      EXPECT_EQ(payload.size(), 3 * LinkCreditBytes(shape));
      const auto read = DecodeLinkCredit(payload, 3, shape);
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_EQ(read->input_number, credit.input_number);
      EXPECT_EQ(read->links.source, credit.links.source);
      EXPECT_EQ(read->links.destination, credit.links.destination);
      EXPECT_EQ(read->links.label, credit.links.label);
      EXPECT_EQ(read->links.edge_id, credit.links.edge_id);
      EXPECT_EQ(read->links.negatives, credit.links.negatives);
      EXPECT_EQ(read->links.negative, credit.links.negative);
      EXPECT_EQ(read->time, credit.time);
    }
  }
}

TEST(LinkCredit, AnotherSizeIsRefused) {
  const std::vector<uint8_t> payload(3 * 24);
  EXPECT_TRUE(DecodeLinkCredit(payload, 3, {}).ok());
  for (const uint64_t links :
       {uint64_t{0}, uint64_t{2}, uint64_t{4}, uint64_t{1} << 61, UINT64_MAX}) {
    const auto read = DecodeLinkCredit(payload, links, {});
    EXPECT_THAT(std::string(read.status().message()),
                HasSubstr("72 bytes for"));
  }
  EXPECT_FALSE(DecodeLinkCredit(payload, 3, {.timed = true}).ok());
  EXPECT_FALSE(DecodeLinkCredit(payload, 3, {.label = LabelType::kInt64}).ok());
  EXPECT_FALSE(DecodeLinkCredit(payload, 3, {.negatives = 1}).ok());
}

TEST(LinkColumns, ListsAreAppendedColumnByColumn) {
  LinkColumns links;
  links.source = {1, 2};
  links.destination = {3, 4};
  links.edge_id = {0, -1};
  links.SetLabels(std::vector<int64_t>{5, 6});
  links.negatives = 2;
  links.negative = {7, 8, 9, 10};
  LinkColumns more = links.Take(std::vector<uint64_t>{1});
  links.Append(more);
  EXPECT_EQ(links.size(), 3u);
  const LinkColumns last = links.Take(std::vector<uint64_t>{2});
  EXPECT_EQ(last.source, more.source);
  EXPECT_EQ(last.destination, more.destination);
  EXPECT_EQ(last.edge_id, more.edge_id);
  EXPECT_EQ(last.label, more.label);
  EXPECT_EQ(last.negative, (std::vector<int64_t>{9, 10}));
}

}  // namespace
}  // namespace tributary
