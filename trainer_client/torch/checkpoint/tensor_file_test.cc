#include "trainer_client/torch/checkpoint/tensor_file.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace tributary {
namespace {

std::string File(const char* name) {
  return std::string(std::getenv("TEST_TMPDIR")) + "/" + name;
}

TEST(TensorFileTest, TensorsComeBackAsTheyWere) {
  const at::Tensor transposed = at::arange(6).view({2, 3}).t();
  const NamedTensors tensors = {
      {"weight", at::tensor({1.5f, -2.f})},
      {"step", at::tensor(int64_t{7})},  // a scalar
      {"t", transposed},                 // not contiguous
      {"none", at::empty({0, 4})},
      {"half", at::tensor({0.5f}).to(at::kBFloat16)},
  };
  ASSERT_TRUE(WriteTensors(File("a"), tensors).ok());
  const auto read = ReadTensors(File("a"));
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), tensors.size());
  for (const auto& [name, tensor] : tensors) {
    EXPECT_EQ(read->at(name).scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(at::equal(read->at(name), tensor)) << name;
  }
}

TEST(TensorFileTest, LoadsIntoParametersOfTheSameNamesAndShapes) {
  ASSERT_TRUE(WriteTensors(File("b"), {{"w", at::tensor({1.f, 2.f})},
                                       {"b", at::tensor({3.f})}})
                  .ok());
  const at::Tensor w = at::zeros({2}).requires_grad_(true);
  const at::Tensor b = at::zeros({1});
  ASSERT_TRUE(LoadTensors(File("b"), {{"b", b}, {"w", w}}).ok());
  EXPECT_TRUE(at::equal(w, at::tensor({1.f, 2.f})));
  EXPECT_TRUE(w.requires_grad());

  const at::Tensor kept = at::zeros({1});
  const auto refused = [&](const NamedTensors& into, const char* what) {
    const absl::Status status = LoadTensors(File("b"), into);
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_NE(status.ToString().find(what), std::string::npos) << status;
  };
  refused({{"b", kept}, {"v", w}}, "has no tensor v");
  refused({{"b", kept}, {"w", at::zeros({3})}},
          "tensor w is Float [2], needed");
  refused({{"b", kept}, {"w", at::zeros({2}, at::kDouble)}}, "tensor w is Fl");
  refused({{"b", kept}}, "has the unknown tensor w;");
  refused({{"b", kept}, {"v", w}, {"u", w}},
          "has no tensor v, u, and has the unknown tensor w;");
  EXPECT_EQ(kept.item<float>(), 0);  // nothing is copied
}

}  // namespace
}  // namespace tributary
