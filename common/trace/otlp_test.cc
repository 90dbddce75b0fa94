#include "common/trace/otlp.h"

#include <cstdint>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "common/trace/testing/made_timelines.h"
#include "common/trace/trace_times.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tributary {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

// What the JSON encoding of OTLP (opentelemetry-proto, docs/specification.md)
// and the messages of trace.proto ask of a line.
class Reader {
 public:
  explicit Reader(const std::string& line) {
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const Json json = Json::parse(line);
    ExpectKeys(json, {"resourceSpans"});
    for (const Json& resource : json.at("resourceSpans")) Read(resource);
    for (const auto& [id, span] : spans_) CheckParent(span);
  }

  // Names of spans from the root on, and their milliseconds from MadeStart().
  std::vector<std::string> Tree() const {
    std::vector<std::string> lines;
    Append("", "", lines);
    return lines;
  }
  const Json& Named(const std::string& name) const {
    for (const std::string& id : order_) {
      if (spans_.at(id).at("name") == name) return spans_.at(id);
    }
    ADD_FAILURE() << "no span " << name;
    return spans_.at(order_.at(0));
  }
  size_t size() const { return spans_.size(); }
  const std::string& trace_id() const { return trace_id_; }
  const std::set<std::string>& ids() const { return ids_; }
  const std::multiset<std::string>& sources() const { return sources_; }

  static std::string Attribute(const Json& span, const std::string& key) {
    for (const Json& attribute : span.at("attributes")) {
      if (attribute.at("key") != key) continue;
      const Json& value = attribute.at("value");
      return value.begin()->is_string() ? value.begin()->get<std::string>()
                                        : value.begin()->dump();
    }
    return "(none)";
  }

 private:
  static void ExpectKeys(const Json& json, const std::set<std::string>& known) {
    ASSERT_TRUE(json.is_object());
    for (const auto& [key, value] : json.items()) {
      EXPECT_TRUE(known.contains(key)) << key;
    }
  }
  static void CheckAttributes(const Json& attributes) {
    for (const Json& attribute : attributes) {
      ExpectKeys(attribute, {"key", "value"});
      EXPECT_TRUE(attribute.at("key").is_string());
      const Json& value = attribute.at("value");
      ASSERT_EQ(value.size(), 1);
      const std::string type = value.begin().key();
      const Json& of_type = *value.begin();
      if (type == "boolValue") {
        EXPECT_TRUE(of_type.is_boolean());
      } else if (type == "intValue") {  // int64: a decimal text
        ASSERT_TRUE(of_type.is_string());
        EXPECT_EQ(std::to_string(std::stoll(of_type.get<std::string>())),
                  of_type.get<std::string>());
      } else {
        EXPECT_EQ(type, "stringValue");
        EXPECT_TRUE(of_type.is_string());
      }
    }
  }
  static bool IsHex(const Json& id, size_t digits) {
    if (!id.is_string()) return false;
    const std::string text = id.get<std::string>();
    return text.size() == digits &&
           text.find_first_not_of("0123456789abcdef") == std::string::npos &&
           text.find_first_not_of('0') != std::string::npos;
  }
  static uint64_t Nanos(const Json& time) {
    EXPECT_TRUE(time.is_string());
    const std::string text = time.get<std::string>();
    EXPECT_EQ(text.find_first_not_of("0123456789"), std::string::npos) << text;
    return std::stoull(text);
  }

  void Read(const Json& resource) {
    ExpectKeys(resource, {"resource", "scopeSpans", "schemaUrl"});
    ExpectKeys(resource.at("resource"), {"attributes"});
    CheckAttributes(resource.at("resource").at("attributes"));
    const std::string service =
        Attribute(resource.at("resource"), "service.name");
    const std::string instance =
        Attribute(resource.at("resource"), "service.instance.id");
    sources_.insert(service + " " + instance);
    for (const Json& scope : resource.at("scopeSpans")) {
      ExpectKeys(scope, {"scope", "spans", "schemaUrl"});
      ExpectKeys(scope.at("scope"), {"name", "version", "attributes"});
      EXPECT_FALSE(scope.at("spans").empty());
      for (const Json& span : scope.at("spans")) ReadSpan(span);
    }
  }
  void ReadSpan(const Json& span) {
    ExpectKeys(
        span, {"traceId", "spanId", "parentSpanId", "name", "kind",
               "startTimeUnixNano", "endTimeUnixNano", "attributes", "status"});
    EXPECT_TRUE(IsHex(span.at("traceId"), 32));
    EXPECT_TRUE(IsHex(span.at("spanId"), 16));
    if (trace_id_.empty()) trace_id_ = span.at("traceId");
    EXPECT_EQ(span.at("traceId"), trace_id_);
    EXPECT_TRUE(span.at("name").is_string() && span.at("name") != "");
    EXPECT_TRUE(span.at("kind").is_number_integer());
    EXPECT_GE(span.at("kind"), 1);
    EXPECT_LE(span.at("kind"), 5);
    EXPECT_LE(Nanos(span.at("startTimeUnixNano")),
              Nanos(span.at("endTimeUnixNano")));
    if (span.contains("attributes")) CheckAttributes(span.at("attributes"));
    if (span.contains("status")) {
      ExpectKeys(span.at("status"), {"code", "message"});
      EXPECT_EQ(span.at("status").at("code"), 2);
    }
    const std::string id = span.at("spanId");
    EXPECT_TRUE(spans_.emplace(id, span).second) << "the same id twice";
    ids_.insert(id);
    order_.push_back(id);
  }
  // The parent is there, and its times hold the span's.
  void CheckParent(const Json& span) const {
    if (!span.contains("parentSpanId")) return;
    EXPECT_TRUE(IsHex(span.at("parentSpanId"), 16));
    const auto parent = spans_.find(span.at("parentSpanId"));
    ASSERT_NE(parent, spans_.end());
    EXPECT_GE(Nanos(span.at("startTimeUnixNano")),
              Nanos(parent->second.at("startTimeUnixNano")));
    EXPECT_LE(Nanos(span.at("endTimeUnixNano")),
              Nanos(parent->second.at("endTimeUnixNano")));
  }
  void Append(const std::string& parent, const std::string& indent,
              std::vector<std::string>& lines) const {
    const uint64_t zero = absl::ToUnixNanos(MadeStart());
    for (const std::string& id : order_) {
      const Json& span = spans_.at(id);
      if (span.value("parentSpanId", "") != parent) continue;
      const auto ms = [&](const char* key) {
        return std::to_string((Nanos(span.at(key)) - zero) / 1'000'000);
      };
      lines.push_back(indent + span.at("name").get<std::string>() + " " +
                      std::to_string(span.at("kind").get<int>()) + " " +
                      ms("startTimeUnixNano") + "-" + ms("endTimeUnixNano"));
      Append(id, indent + "  ", lines);
    }
  }

  std::string trace_id_;
  std::map<std::string, Json> spans_;
  std::vector<std::string> order_;
  std::set<std::string> ids_;
  std::multiset<std::string> sources_;
};

// The server's 440 ms lie in the middle of the attempt's 450, the peer's 405 in
// the middle of its call's 410.
TEST(OtlpTest, SpansOfABatch) {
  const Reader reader(OtlpLine(MadeOfThrottledPeer()));
  EXPECT_EQ(reader.trace_id(), "30313233343536373839616263646566");
  EXPECT_THAT(reader.Tree(),
              ElementsAre("batch 1 0-450",                //
                          "  attempt 3 0-450",            //
                          "    make batch 2 5-445",       //
                          "      queue 1 5-7",            //
                          "      sample 1 7-25",          //
                          "      sample_peers 1 25-435",  //
                          "      gather 1 435-445",       //
                          "      sample_hop 3 9-419",     //
                          "        sample_hop 2 11-416",  //
                          "          queue 1 11-406",     //
                          "          work 1 406-416",     //
                          "      sample_hop 3 9-29",      //
                          "        sample_hop 2 18-19",   //
                          "          work 1 18-19",       //
                          "  wait in ring 1 450-450"));
  EXPECT_THAT(reader.sources(),
              UnorderedElementsAre("tributary-trainer (none)",
                                   "tributary-sampler 10.0.0.1:50051",
                                   "tributary-sampler 10.0.0.2:50051",
                                   "tributary-sampler 10.0.0.3:50051"));
  const Json& batch = reader.Named("batch");
  EXPECT_EQ(Reader::Attribute(batch, "tributary.job"), "mine");
  EXPECT_EQ(Reader::Attribute(batch, "tributary.epoch"), "2");
  EXPECT_EQ(Reader::Attribute(batch, "tributary.index"), "5");
  EXPECT_EQ(Reader::Attribute(batch, "tributary.bottleneck"), "peer_queue");
  EXPECT_THAT(Reader::Attribute(batch, "tributary.explanation"),
              HasSubstr("waiting for 10.0.0.2:50051"));
  const Json& call = reader.Named("sample_hop");
  EXPECT_EQ(Reader::Attribute(call, "tributary.peer"), "10.0.0.2:50051");
  EXPECT_EQ(Reader::Attribute(reader.Named("make batch"),
                              "tributary.sample_peers_us"),
            "410000");
}

TEST(OtlpTest, TheSameBatchHasTheSameIds) {
  const Reader first(OtlpLine(MadeOfThrottledPeer()));
  EXPECT_EQ(first.ids(), Reader(OtlpLine(MadeOfThrottledPeer())).ids());
  BatchTimeline other = MadeOfThrottledPeer();
  other.trace_id[0] = 'x';
  const Reader second(OtlpLine(other));
  EXPECT_EQ(second.ids().size(), first.ids().size());
  for (const std::string& id : second.ids()) {
    EXPECT_FALSE(first.ids().contains(id));
  }
}

TEST(OtlpTest, TheRingTellsOfEarlierBatches) {
  BatchTimeline timeline = MadeOfBusyTrainer();
  timeline.behind = absl::Milliseconds(300);
  Reader reader(OtlpLine(timeline));
  EXPECT_EQ(reader.Tree().back(), "  wait in ring 1 40-940");
  EXPECT_EQ(
      Reader::Attribute(reader.Named("wait in ring"), "tributary.behind_us"),
      "300000");
}

TEST(OtlpTest, AttemptsThatFailAreErrors) {
  BatchTimeline timeline = MadeOfLostServer();
  Reader reader(OtlpLine(timeline));
  EXPECT_THAT(
      reader.Tree(),
      ElementsAre("batch 1 0-290", "  attempt 3 0-250", "  attempt 3 250-290",
                  "    make batch 2 255-285", "      queue 1 255-257",
                  "      sample 1 257-275", "      gather 1 275-285",
                  "  wait in ring 1 290-290"));
  EXPECT_EQ(reader.Named("attempt").at("status").at("message"),
            "UNAVAILABLE: connection lost");
  EXPECT_FALSE(reader.Named("batch").contains("status"));
  timeline.attempts.pop_back();
  reader = Reader(OtlpLine(timeline));
  EXPECT_EQ(reader.Named("batch").at("status").at("code"), 2);
  EXPECT_EQ(reader.size(), 2);
}

TEST(OtlpTest, AnAttemptWithoutAnAnswerEndsWithTheBatch) {
  BatchTimeline timeline = MadeOfLostServer();
  timeline.attempts[0].status = absl::OkStatus();
  timeline.attempts[0].ended = absl::InfiniteFuture();
  const Reader reader(OtlpLine(timeline));
  EXPECT_EQ(reader.Tree()[1], "  attempt 3 0-290");
  EXPECT_EQ(Reader::Attribute(reader.Named("attempt"), "tributary.answered"),
            "false");
}

// The server's clock is an hour ahead.
TEST(OtlpTest, AServersRecord) {
  const v1::BatchTrace trace = *MadeOfColdDisk().attempts[0].trace;
  const Reader reader(OtlpLine("10.0.0.1:50051", trace));
  EXPECT_THAT(
      reader.Tree(),
      ElementsAre("make batch 2 3600000-3600330", "  queue 1 3600000-3600002",
                  "  sample 1 3600002-3600020", "  gather 1 3600020-3600030",
                  "  gather_disk 1 3600030-3600330"));
  EXPECT_EQ(reader.trace_id(), "30313233343536373839616263646566");
}

TEST(OtlpTest, ABatchWithoutATraceIdHasOneOfItsOwn) {
  v1::BatchTrace trace = *MadeTimeline().attempts[0].trace;
  trace.clear_trace_id();
  const std::string id = Reader(OtlpLine("s:1", trace)).trace_id();
  trace.set_trace_id(std::string(16, '\0'));
  EXPECT_EQ(Reader(OtlpLine("s:1", trace)).trace_id(), id);
  trace.set_trace_id("short");
  EXPECT_EQ(Reader(OtlpLine("s:1", trace)).trace_id(), id);
  trace.set_index(6);
  EXPECT_NE(Reader(OtlpLine("s:1", trace)).trace_id(), id);
}

TEST(OtlpTest, NumbersBeyondInt64AreTexts) {
  v1::BatchTrace trace;
  trace.set_epoch(UINT64_MAX);
  trace.set_index(INT64_MAX);
  const Reader reader(OtlpLine("s:1", trace));
  const std::string line = OtlpLine("s:1", trace);
  EXPECT_THAT(line, HasSubstr(R"({"stringValue":"18446744073709551615"})"));
  EXPECT_THAT(line, HasSubstr(R"({"intValue":"9223372036854775807"})"));
}

TEST(OtlpTest, HostileServers) {
  const std::string text = "\x1b[2J\n\xff\"\\" + std::string(9000, 'x');
  BatchTimeline timeline = MadeTimeline();
  v1::BatchTrace& trace = *timeline.attempts[0].trace;
  trace.set_job(text);
  trace.set_error(text);
  trace.set_outcome(v1::BatchTrace::OUTCOME_FAILED);
  trace.set_arrived_unix_us(UINT64_MAX);
  for (int i = 0; i < 100; ++i) trace.add_stage_us(UINT64_MAX);
  for (int i = 0; i < 3000; ++i) {
    v1::StageSpan* span = trace.add_spans();
    span->set_stage(i);
    span->set_start_us(UINT64_MAX);
    span->set_duration_us(UINT64_MAX);
    v1::PeerCallSpan* call = trace.add_calls();
    call->set_peer(text);
    call->set_start_us(i);
    call->set_duration_us(UINT64_MAX);
    call->set_code(-1);
    call->mutable_times()->set_queue_us(UINT64_MAX);
  }
  for (const std::string& line : {OtlpLine(timeline), OtlpLine(text, trace)}) {
    const Reader reader(line);
    EXPECT_LE(reader.size(), 4 * kMostTraced + 8);
    EXPECT_EQ(line.find("\\u001b"), std::string::npos);
    EXPECT_LT(line.size(), size_t{1} << 20);
  }
}

}  // namespace
}  // namespace tributary
