#include "partition/schema/schema_check.h"

#include <string>

#include "gtest/gtest.h"

namespace tributary {
namespace {

TEST(SchemaCheckTest, NamesOfTypesHoldAnyCharacterButTheReservedOnes) {
  for (const std::string& name :
       {std::string("paper"), std::string("/film/film.directed_by"),
        std::string("."), std::string(".."), std::string("a b"),
        std::string("naïve"), std::string("http://x.org/?a=b;c#d"),
        std::string(255, 'a')}) {
    EXPECT_TRUE(CheckTypeName(name).ok()) << name;
  }
  for (const std::string& name :
       {std::string(), std::string("a,b"), std::string("a__b"),
        std::string("a\nb"), std::string("a\x7f"), std::string("a\xc2\x85"),
        std::string("\xff"), std::string(256, 'a'), std::string("a\0b", 3)}) {
    EXPECT_FALSE(CheckTypeName(name).ok()) << name;
  }
  EXPECT_EQ(CheckTypeName("a\n,b").message(),
            "'a\\n,b' is no name of a type: allowed are 1 to 255 bytes of "
            "UTF-8 without ',', '__' and control characters");
}

TEST(SchemaCheckTest, NamesOfFilesStayInTheirFolder) {
  for (const char* name : {"train", "2021", "a b", "a.b"}) {
    EXPECT_TRUE(CheckFileName(name).ok()) << name;
  }
  for (const char* name : {"", ".", "..", "a/b", "a,b", "a__b", "a\n"}) {
    EXPECT_FALSE(CheckFileName(name).ok()) << name;
  }
  EXPECT_TRUE(CheckFileName(std::string(200, 'a')).ok());
  EXPECT_FALSE(CheckFileName(std::string(201, 'a')).ok());
}

// Returns a schema of the node types `a` and `a_`, of one partition.
GraphSchema TwoTypes() {
  GraphSchema schema;
  schema.heterogeneous = true;
  for (const char* name : {"a", "a_"}) {
    NodeTypeSchema type;
    type.name = name;
    type.base = {0, 0};
    schema.node_types.push_back(type);
  }
  return schema;
}

EdgeTypeSchema EdgeType(const char* src, const char* rel) {
  EdgeTypeSchema type;
  type.src = src;
  type.rel = rel;
  type.dst = "a";
  type.partition_edges = {0};
  return type;
}

TEST(SchemaCheckTest, JoinedNamesOfEdgeTypesDiffer) {
  GraphSchema schema = TwoTypes();
  schema.edge_types = {EdgeType("a", "_r"), EdgeType("a_", "s")};
  EXPECT_TRUE(CheckSchema(schema).ok()) << CheckSchema(schema);
  schema.edge_types[1].rel = "r";
  EXPECT_EQ(CheckSchema(schema).message(),
            "graph.json: edge types a,_r,a and a_,r,a would both be called "
            "a___r__a");
}

}  // namespace
}  // namespace tributary
