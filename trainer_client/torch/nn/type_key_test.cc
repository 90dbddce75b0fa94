#include "trainer_client/torch/nn/type_key.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(TypeKeyTest, NamesOfPygsToHetero) {
  EXPECT_EQ(TypeKey("paper"), "paper");
  EXPECT_EQ(TypeKey("author,writes,paper"), "author__writes__paper");
  EXPECT_EQ(TypeKey("a b,c-d:e,f.g"), "a_b__c_d_e__f_g");
}

}  // namespace
}  // namespace tributary
