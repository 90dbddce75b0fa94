#include "cli/k8s/prometheus_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tributary {
namespace {

using ::testing::HasSubstr;

TEST(PrometheusQuery, SetsEachMatcherAndNothingElse) {
  const auto set = SetMatchers(
      "sum(busy{ns=\"a\",partitions=\"all\"}) / avg(busy{partitions = 'all'})",
      "partitions", "3");
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(*set,
            "sum(busy{ns=\"a\",partitions=\"3\"}) / avg(busy{partitions = "
            "\"3\"})");
}

TEST(PrometheusQuery, LeavesTextsAndOtherOperatorsAlone) {
  const auto set = SetMatchers(
      "label_replace(a{partitions=\"all\",x=\"{partitions=\\\"all\\\"}\"},"
      "\"partitions\", \"b\") + "
      "c{other_partitions=\"all\",partitions!=\"all\"}",
      "partitions", "3");
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(*set,
            "label_replace(a{partitions=\"3\",x=\"{partitions=\\\"all\\\"}\"},"
            "\"partitions\", \"b\") + "
            "c{other_partitions=\"all\",partitions!=\"all\"}");
}

TEST(PrometheusQuery, RefusesAQueryWithoutTheMatcher) {
  EXPECT_THAT(SetMatchers("sum(busy)", "partitions", "3").status().message(),
              HasSubstr("partitions"));
  EXPECT_THAT(
      SetMatchers("a{partitions=\"x", "partitions", "3").status().message(),
      HasSubstr("left open"));
  EXPECT_FALSE(SetMatchers("", "partitions", "3").ok());
}

}  // namespace
}  // namespace tributary
