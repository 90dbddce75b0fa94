#include "trainer_client/torch/checkpoint/checkpoint_manifest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace tributary {
namespace {

CheckpointManifest Example() {
  CheckpointManifest manifest{.created_by = "tributary-train 0.1",
                              .step = 1200,
                              .epoch = 3,
                              .attempt = 2,
                              .world_size = 4,
                              .options = "--lr 0.5 \"x\"\n",
                              .epoch_sums = {{"loss", -1.5}},
                              .files = {{.name = "model.safetensors",
                                         .bytes = 48,
                                         .sha256 = Sha256Of("model")}}};
  manifest.cursor = {.epoch = 3,
                     .consumed = 640,
                     .next_index = 20,
                     .order = {.inputs = Sha256Of("inputs"),
                               .graph = Sha256Of("graph"),
                               .random_seed = 11,
                               .shuffle = true,
                               .drop_last = false}};
  return manifest;
}

void ExpectEqual(const CheckpointManifest& a, const CheckpointManifest& b) {
  EXPECT_EQ(a.created_by, b.created_by);
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.epoch, b.epoch);
  EXPECT_EQ(a.attempt, b.attempt);
  EXPECT_EQ(a.world_size, b.world_size);
  EXPECT_EQ(a.cursor, b.cursor);
  EXPECT_EQ(a.options, b.options);
  EXPECT_EQ(a.files, b.files);
}

// A manifest with this text before the digest, and the right digest.
std::string Sealed(const std::string& body) {
  return absl::StrCat(body, ",\n  \"sha256\": \"", ToHex(Sha256Of(body)),
                      "\"\n}\n");
}
std::string BodyOf(const CheckpointManifest& manifest) {
  const std::string text = FormatManifest(manifest);
  return text.substr(0, text.rfind(",\n  \"sha256\""));
}

TEST(CheckpointManifestTest, Text) {
  const std::string inputs = ToHex(Sha256Of("inputs"));
  const std::string body = absl::StrCat(R"({
  "format": "tributary-checkpoint",
  "format_version": 1,
  "created_by": "tributary-train 0.1",
  "step": 1200,
  "epoch": 3,
  "attempt": 2,
  "world_size": 4,
  "cursor": {
    "epoch": 3,
    "consumed": 640,
    "next_index": 20,
    "order": {
      "inputs": ")",
                                        inputs, R"(",
      "graph": ")",
                                        ToHex(Sha256Of("graph")), R"(",
      "random_seed": 11,
      "shuffle": true,
      "drop_last": false
    }
  },
  "options": "--lr 0.5 \"x\"\n",
  "epoch_sums": {
    "loss": "bff8000000000000"
  },
  "files": [
    {
      "name": "model.safetensors",
      "bytes": 48,
      "sha256": ")",
                                        ToHex(Sha256Of("model")), R"("
    }
  ])");
  EXPECT_EQ(FormatManifest(Example()), Sealed(body));
}

TEST(CheckpointManifestTest, ReadsBack) {
  const auto read = ParseManifest(FormatManifest(Example()));
  ASSERT_TRUE(read.ok()) << read.status();
  ExpectEqual(*read, Example());
  CheckpointManifest largest = Example();
  largest.step = largest.cursor.order.random_seed =
      std::numeric_limits<uint64_t>::max();
  largest.cursor.order.shuffle = false;
  largest.cursor.order.drop_last = true;
  largest.cursor.order.own_rank = 6;
  largest.cursor.order.own_world = 7;
  largest.files.clear();
  const auto again = ParseManifest(FormatManifest(largest));
  ASSERT_TRUE(again.ok()) << again.status();
  ExpectEqual(*again, largest);
}

TEST(CheckpointManifestTest, SumsAreExact) {
  CheckpointManifest manifest = Example();
  const std::map<std::string, double> sums = {
      {"denormal", std::numeric_limits<double>::denorm_min()},
      {"infinity", -HUGE_VAL},
      {"third", 1.0 / 3},
      {"zero", -0.0}};
  manifest.epoch_sums = sums;
  manifest.epoch_sums["nan"] = std::nan("");
  const auto read = ParseManifest(FormatManifest(manifest));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(std::isnan(read->epoch_sums.at("nan")));
  for (const auto& [name, sum] : sums) {
    EXPECT_EQ(read->epoch_sums.at(name), sum) << name;
    EXPECT_EQ(std::signbit(read->epoch_sums.at(name)), std::signbit(sum));
  }
}

TEST(CheckpointManifestTest, AnyFlippedBitAndAnyCutIsRefused) {
  const std::string text = FormatManifest(Example());
  for (size_t at = 0; at < text.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = text;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      ASSERT_FALSE(ParseManifest(flipped).ok()) << at << " " << bit;
    }
    ASSERT_FALSE(ParseManifest(text.substr(0, at)).ok()) << at;
  }
  EXPECT_FALSE(ParseManifest(text + "\n").ok());
}

TEST(CheckpointManifestTest, SaysWhatIsWrong) {
  using Code = absl::StatusCode;
  const std::string body = BodyOf(Example());
  const auto with = [&](const char* from, const char* to) {
    return Sealed(absl::StrReplaceAll(body, {{from, to}}));
  };
  const struct {
    std::string text;
    Code code;
    std::string message;
  } cases[] = {
      {"{}", Code::kInvalidArgument, "foreign: it does not begin as"},
      {"", Code::kInvalidArgument, "foreign: "},
      {body, Code::kDataLoss, "damaged: it does not end in its own SHA-256"},
      {body.substr(0, 70), Code::kDataLoss, "damaged: it is cut off"},
      {with("version\": 1", "version\": 2"), Code::kUnimplemented,
       "newer: its layout has version 2; this program reads version 1"},
      {with("version\": 1", "version\": 0"), Code::kUnimplemented, "older: "},
      {with("version\": 1", "version\": -1"), Code::kDataLoss,
       "format_version is no whole number"},
      {with("\"step\": 1200", "\"step\": 1.5"), Code::kDataLoss,
       "damaged: step is no whole number"},
      {with("\"step\"", "\"stop\""), Code::kDataLoss, "there is no key step"},
      {with("\"attempt\"", "\"x\": 1, \"attempt\""), Code::kDataLoss,
       "damaged: there is no key \"x\""},
      {with("\"shuffle\": true", "\"shuffle\": 1"), Code::kDataLoss,
       "cursor.order: shuffle is neither true nor false"},
      {with("bff8000000000000", "BFF8000000000000"), Code::kDataLoss,
       "epoch_sums: loss is not 16 lower-case"},
      {with("bff8000000000000", "bff8"), Code::kDataLoss, "epoch_sums: loss"},
      {with("\"name\": \"model", "\"name\": \"../model"), Code::kDataLoss,
       "files[0]: the name is not allowed"},
      {with("\"cursor\": {", "\"cursor\": {{"), Code::kDataLoss, "no JSON"},
      {with("\"options\": \"",
            "\"options\": [[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]], \"x\": \""),
       Code::kDataLoss, "damaged nests deeper"},
  };
  for (const auto& [text, code, message] : cases) {
    const absl::Status status = ParseManifest(text).status();
    EXPECT_EQ(status.code(), code) << message << status;
    EXPECT_NE(std::string(status.message()).find(message), std::string::npos)
        << message << status;
  }
}

TEST(CheckpointManifestTest, FileNames) {
  for (const char* name : {"a", "model.safetensors", "rng-0_1", "checkpoint"}) {
    EXPECT_TRUE(IsCheckpointFileName(name)) << name;
  }
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".tmp"),
        std::string("a/b"), std::string("checkpoint.json"), std::string("a b"),
        std::string("\xff"), std::string(101, 'a')}) {
    EXPECT_FALSE(IsCheckpointFileName(name)) << name;
  }
}

}  // namespace
}  // namespace tributary
