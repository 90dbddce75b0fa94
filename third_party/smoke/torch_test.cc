// LibTorch compiles, links and finds its libraries.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "third_party/smoke/smoke.pb.h"

namespace tributary {
namespace {

TEST(Torch, MultipliesAndDifferentiates) {
  torch::Tensor a = torch::arange(6, torch::kFloat).reshape({2, 3});
  a.requires_grad_();
  torch::Tensor product = torch::matmul(a, a.t());
  EXPECT_EQ(product[1][1].item<float>(), 9 + 16 + 25);
  product.trace().backward();
  EXPECT_TRUE(torch::equal(a.grad(), 2 * a.detach()));
}

// LibTorch has a protobuf of its own inside.
TEST(Torch, LivesBesideDebiansProtobuf) {
  smoke::Word word, copy;
  word.set_text("hello");
  ASSERT_TRUE(copy.ParseFromString(word.SerializeAsString()));
  EXPECT_EQ(copy.text(), "hello");
}

}  // namespace
}  // namespace tributary
