// Collects the spans of one trace and writes them as OTLP/JSON.
#ifndef TRIBUTARY_COMMON_TRACE_SPAN_LIST_H_
#define TRIBUTARY_COMMON_TRACE_SPAN_LIST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"

namespace tributary {

// opentelemetry.proto.trace.v1.Span.SpanKind.
enum class SpanKind { kInternal = 1, kServer = 2, kClient = 3 };

// The process that a span is of: service.name and service.instance.id.
struct SpanSource {
  std::string service;
  std::string instance;  // empty: has none

  friend bool operator==(const SpanSource&, const SpanSource&) = default;
};

// The attributes of a span, as OTLP's list of typed values.
class SpanAttributes {
 public:
  void Add(const char* key, const std::string& text);
  // Numbers beyond int64, which OTLP does not have, are written as texts.
  void Add(const char* key, uint64_t number);
  void Add(const char* key, bool value);

  const nlohmann::json& json() const { return list_; }

 private:
  nlohmann::json list_ = nlohmann::json::array();
};

// Spans of one trace, by their source. Not thread-safe.
class SpanList {
 public:
  // `trace_id` has 16 bytes; other ones, and zero, are replaced by a hash of
  // `instead`, for the trace's id must not be zero.
  SpanList(const std::string& trace_id, const std::string& instead);

  struct Span {
    std::string path;    // unique in the trace
    std::string parent;  // the parent's path; empty: none
    std::string name;
    SpanKind kind = SpanKind::kInternal;
    absl::Time start;
    absl::Duration duration;
    SpanAttributes attributes;
    absl::Status status;
  };
  void Add(const SpanSource& source, const Span& span);
  // Returns the request as one line.
  std::string ToLine() const;

 private:
  // 16 lower-case hexadecimal digits, not all zero.
  std::string IdOf(const std::string& path) const;

  std::string trace_id_;  // bytes
  std::vector<SpanSource> sources_;
  std::vector<nlohmann::json> spans_;  // a list for each of sources_
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TRACE_SPAN_LIST_H_
