#include "partition/schema/stored_degrees.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tributary {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Type 0 has degrees, type 1 none.
GraphSchema TwoTypes() {
  GraphSchema schema;
  schema.name = "g";
  schema.edge_types.resize(2);
  for (EdgeTypeSchema& type : schema.edge_types) type.src = type.dst = "a";
  schema.edge_types[0].rel = "r";
  schema.edge_types[0].degrees = true;
  schema.edge_types[1].rel = "s";
  return schema;
}

TEST(CheckDegreesStored, NamesTheTypeThatHasNone) {
  EXPECT_TRUE(CheckDegreesStored(TwoTypes(), {0}).ok());
  const absl::Status status = CheckDegreesStored(TwoTypes(), {0, 1});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("collect_degrees"), HasSubstr("'g'"),
                    HasSubstr("a,s,a"), HasSubstr("partition --degrees")));
}

TEST(CheckDegreesStored, RequiresEdges) {
  const absl::Status status = CheckDegreesStored(TwoTypes(), {});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("have no edges; allowed: false"));
}

}  // namespace
}  // namespace tributary
