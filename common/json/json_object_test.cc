#include "common/json/json_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Json = nlohmann::json;

TEST(ParseJson, WhatIsNoJsonIsNamedByItsLine) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "a.json line 1: this is no JSON here"},
      {"{\n\"a\": 1,\n}", "a.json line 3: this is no JSON here"},
      {"{\"a\": 1, \"b\": {\"a\": 1, \"a\": 2}}",
       "a.json: the key \"a\" is twice in one object"},
      {std::string(16, '['), "a.json nests deeper than 16 levels"},
      {"[\"\\\"[[[[[[[[[[[[[[[[[[[[\"", "a.json line 1: this is no JSON here"},
      {"{\"\xff\": 1}", "a.json line 1: this is no JSON here"},
  };
  for (const auto& [text, says] : cases) {
    EXPECT_EQ(ParseJson(text, "a.json").status(),
              absl::InvalidArgumentError(says));
  }
  EXPECT_EQ(ParseJson("", "a.json", absl::StatusCode::kDataLoss).status(),
            absl::DataLossError("a.json line 1: this is no JSON here"));
  EXPECT_EQ(*ParseJson("{\"a\": {\"a\": 1}, \"b\": {\"a\": 1}}", "a.json"),
            Json::parse("{\"a\": {\"a\": 1}, \"b\": {\"a\": 1}}"));
}

TEST(JsonObjectTest, ReadsMembersByName) {
  const Json json = Json::parse(R"({
      "text": "t", "yes": true, "whole": 18446744073709551615, "real": -0.5,
      "count": 72057594037927936, "counts": [0, 1], "kind": "b",
      "bytes": "00ff", "one": "a", "several": ["a", "b"], "flag": true,
      "object": {"name": "inner"}, "list": [{"n": 1}, {"n": 2}]})");
  JsonObject in(json, "a.json");
  EXPECT_EQ(in.Text("text"), "t");
  EXPECT_TRUE(in.Bool("yes"));
  EXPECT_EQ(in.Whole("whole"), 18446744073709551615u);
  EXPECT_EQ(in.Real("real"), -0.5);
  EXPECT_EQ(in.Count("count"), int64_t{1} << 56);
  EXPECT_THAT(in.Counts("counts"), ElementsAre(0, 1));
  EXPECT_EQ(in.OneOf("kind", {"a", "b"}), 1u);
  EXPECT_EQ(in.HexBytes("bytes", 2), std::string("\0\xff", 2));
  EXPECT_THAT(in.Texts("one"), ElementsAre("a"));
  EXPECT_THAT(in.Texts("several"), ElementsAre("a", "b"));
  EXPECT_TRUE(in.Flag("flag"));
  EXPECT_EQ(in.Object("object").Text("name"), "inner");
  EXPECT_THAT(in.List("list", [](JsonObject& item) { return item.Whole("n"); }),
              ElementsAre(1, 2));
  EXPECT_EQ(in.TextOr("none", "default"), "default");
  EXPECT_FALSE(in.Flag("none"));
  EXPECT_THAT(in.Texts("none"), IsEmpty());
  EXPECT_FALSE(in.Has("none"));
  in.RefuseOthers();
  EXPECT_EQ(in.status(), absl::OkStatus());
}

// Reads one wrong member of {"a": {"b": VALUE}}.
template <typename Read>
std::string ErrorOf(const std::string& value, Read read) {
  const Json json = Json::parse("{\"a\": {\"b\": " + value + "}}");
  JsonObject in(json, "a.json");
  JsonObject inner = in.Object("a");
  read(inner);
  EXPECT_EQ(in.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(in.status().message());
}

TEST(JsonObjectTest, NamesWhatIsWrong) {
  using In = JsonObject;
  EXPECT_EQ(ErrorOf("1", [](In& in) { in.Text("b"); }),
            "a.json: a: b is no string");
  EXPECT_EQ(ErrorOf("1", [](In& in) { in.Text("c"); }),
            "a.json: a: there is no key c");
  EXPECT_EQ(ErrorOf("1", [](In& in) { in.Bool("b"); }),
            "a.json: a: b is neither true nor false");
  for (const char* wrong : {"-1", "1.0", "256", "\"1\"", "null", "1e2"}) {
    EXPECT_EQ(ErrorOf(wrong, [](In& in) { in.Whole("b", 255); }),
              "a.json: a: b is no whole number of 0 to 255");
  }
  EXPECT_EQ(ErrorOf("[1, -1]", [](In& in) { in.Counts("b"); }),
            "a.json: a: b is no whole number of 0 to 72057594037927936");
  EXPECT_EQ(ErrorOf("\"1\"", [](In& in) { in.Real("b"); }),
            "a.json: a: b is no number");
  EXPECT_EQ(ErrorOf("{}", [](In& in) { in.Array("b"); }),
            "a.json: a: b is no array");
  EXPECT_EQ(ErrorOf("\"c\"",
                    [](In& in) {
                      in.OneOf("b", {"x", "y"});
                    }),
            "a.json: a: b is \"c\"; allowed: x, y");
  for (const char* wrong : {"\"00FF\"", "\"00f\"", "\"00fg\"", "\"00ff00\""}) {
    EXPECT_EQ(ErrorOf(wrong, [](In& in) { in.HexBytes("b", 2); }),
              "a.json: a: b is not 4 lower-case hexadecimal digits");
  }
  EXPECT_EQ(ErrorOf("false", [](In& in) { in.Flag("b"); }),
            "a.json: a: b is true where it is there");
  for (const char* wrong : {"[]", "[\"\"]", "[\"a\", 1]", "{}"}) {
    EXPECT_EQ(ErrorOf(wrong, [](In& in) { in.Texts("b"); }),
              "a.json: a: b is neither a string nor a list of strings");
  }
  EXPECT_EQ(
      ErrorOf("[{\"n\": 1}, {\"m\": 1}]",
              [](In& in) { in.List("b", [](In& i) { return i.Whole("n"); }); }),
      "a.json: a.b[1]: there is no key n");
  EXPECT_EQ(
      ErrorOf("[1]",
              [](In& in) { in.List("b", [](In& i) { return i.Whole("n"); }); }),
      "a.json: a.b[0]: it is no object");
}

TEST(JsonObjectTest, TheFirstErrorIsKept) {
  const Json json = Json::parse("{\"a\": 1, \"b\": {}}");
  JsonObject in(json, "");
  JsonObject b = in.Object("b");
  b.Text("c");
  in.Text("a");
  EXPECT_EQ(in.status().message(), "b: there is no key c");
  EXPECT_EQ(b.status(), in.status());
}

TEST(JsonObjectTest, MembersThatNobodyAskedForAreRefused) {
  const Json json = Json::parse("{\"a\": 1, \"b\": 2, \"c\": 3}");
  JsonObject in(json, "a.json");
  in.Whole("b");
  in.Find("x");
  in.Whole("a");
  in.RefuseOthers();
  EXPECT_EQ(in.status(),
            absl::InvalidArgumentError(
                "a.json: there is no key \"c\"; allowed: a, b, x"));

  JsonObject file(json, "a.json",
                  {.code = absl::StatusCode::kDataLoss,
                   .unknown_code = absl::StatusCode::kUnimplemented,
                   .unknown_remedy = "update"});
  file.RefuseOthers();
  EXPECT_EQ(file.status(),
            absl::UnimplementedError("a.json: there is no key \"a\"; update"));
  JsonObject lost(json, "a.json", {.code = absl::StatusCode::kDataLoss});
  lost.Text("a");
  EXPECT_EQ(lost.status(), absl::DataLossError("a.json: a is no string"));
}

}  // namespace
}  // namespace tributary
