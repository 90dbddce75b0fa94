// The C++ of the pages and of headers' examples compiles: this test links it.
#include <gtest/gtest.h>

#include "tests/docs/prelude.h"

namespace tributary {
namespace doc_blocks {
namespace {

// Examples are found at all. More than these stand in the pages and headers.
TEST(DocBlocksTest, AreCompiled) { EXPECT_GE(NumBlocks(), 28); }

}  // namespace
}  // namespace doc_blocks
}  // namespace tributary
