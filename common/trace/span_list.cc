#include "common/trace/span_list.h"

#include <algorithm>
#include <limits>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/hash/sha256.h"
#include "common/text/fit_text.h"
#include "common/trace/trace_times.h"

namespace tributary {
namespace {

using Json = nlohmann::json;

constexpr size_t kTraceIdBytes = 16;
constexpr size_t kSpanIdBytes = 8;
constexpr size_t kLongestText = 1024;

// The first `size` bytes of the hash of a text; not all zero.
std::string IdFrom(const std::string& text, size_t size) {
  const Sha256Digest digest = Sha256Of(text);
  std::string id(digest.begin(), digest.begin() + size);
  if (std::all_of(id.begin(), id.end(), [](char c) { return c == 0; })) {
    id.back() = 1;
  }
  return id;
}

std::string Nanos(absl::Time time) {
  return absl::StrCat(std::max<int64_t>(0, absl::ToUnixNanos(time)));
}

Json TextAttribute(const char* key, const std::string& text) {
  return {{"key", key},
          {"value", {{"stringValue", FitText(text, kLongestText)}}}};
}

}  // namespace

void SpanAttributes::Add(const char* key, const std::string& text) {
  list_.push_back(TextAttribute(key, text));
}

void SpanAttributes::Add(const char* key, uint64_t number) {
  if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return Add(key, absl::StrCat(number));
  }
  list_.push_back(
      {{"key", key}, {"value", {{"intValue", absl::StrCat(number)}}}});
}

void SpanAttributes::Add(const char* key, bool value) {
  list_.push_back({{"key", key}, {"value", {{"boolValue", value}}}});
}

SpanList::SpanList(const std::string& trace_id, const std::string& instead)
    : trace_id_(trace_id) {
  const bool zero = std::all_of(trace_id.begin(), trace_id.end(),
                                [](char c) { return c == 0; });
  if (zero || trace_id.size() != kTraceIdBytes) {
    trace_id_ = IdFrom(instead, kTraceIdBytes);
  }
}

std::string SpanList::IdOf(const std::string& path) const {
  return absl::BytesToHexString(
      IdFrom(absl::StrCat(trace_id_, "/", path), kSpanIdBytes));
}

void SpanList::Add(const SpanSource& source, const Span& span) {
  Json json = {{"traceId", absl::BytesToHexString(trace_id_)},
               {"spanId", IdOf(span.path)},
               {"name", span.name},
               {"kind", static_cast<int>(span.kind)},
               {"startTimeUnixNano", Nanos(span.start)},
               {"endTimeUnixNano", Nanos(span.start + span.duration)}};
  if (!span.parent.empty()) json["parentSpanId"] = IdOf(span.parent);
  if (!span.attributes.json().empty()) {
    json["attributes"] = span.attributes.json();
  }
  if (!span.status.ok()) {
    // STATUS_CODE_ERROR
    json["status"] = {
        {"code", 2},
        {"message", FitText(span.status.ToString(), kLongestText)}};
  }
  const auto at = std::find(sources_.begin(), sources_.end(), source);
  if (at == sources_.end()) {
    sources_.push_back(source);
    spans_.push_back(Json::array({std::move(json)}));
  } else {
    spans_[at - sources_.begin()].push_back(std::move(json));
  }
}

std::string SpanList::ToLine() const {
  Json resources = Json::array();
  for (size_t i = 0; i < sources_.size(); ++i) {
    Json attributes =
        Json::array({TextAttribute("service.name", sources_[i].service)});
    if (!sources_[i].instance.empty()) {
      attributes.push_back(
          TextAttribute("service.instance.id", sources_[i].instance));
    }
    Json scope = {{"scope", {{"name", "tributary"}}}, {"spans", spans_[i]}};
    resources.push_back({{"resource", {{"attributes", std::move(attributes)}}},
                         {"scopeSpans", Json::array({std::move(scope)})}});
  }
  return Json{{"resourceSpans", std::move(resources)}}.dump(
      -1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

}  // namespace tributary
