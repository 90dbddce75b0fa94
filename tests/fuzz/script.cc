#include "tests/fuzz/script.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "google/protobuf/message.h"

namespace tributary {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr uint64_t kEdges[] = {
    10,         12,         16,         63,
    64,         65,         100,        255,
    256,        1000,       1024,       4095,
    4096,       65535,      65536,      1ull << 20,
    1048577,    4ull << 20, 0x7fffffff, 1ull << 31,
    0xffffffff, 1ull << 32, 1ull << 53, 0x7fffffffffffffff,
    1ull << 63, ~0ull};
static_assert(std::size(kEdges) == 'z' - 'a' + 1);

// Longer than the lists of valid headers, and cheap to run.
constexpr uint64_t kMaxRange = 70000;
constexpr uint64_t kMaxPatternBytes = size_t{5} << 20;

bool IsCapital(char c) { return c >= 'A' && c <= 'Z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Returns null when the letter names no field.
const FieldDescriptor* FieldOf(const Message& header, char letter) {
  const int index = letter - 'A';
  const auto* type = header.GetDescriptor();
  return IsCapital(letter) && index < type->field_count() ? type->field(index)
                                                          : nullptr;
}

void SetNumber(Message& header, const FieldDescriptor* field, uint64_t value) {
  const auto* to = header.GetReflection();
  const bool list = field->is_repeated();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT64:
      return list ? to->AddUInt64(&header, field, value)
                  : to->SetUInt64(&header, field, value);
    case FieldDescriptor::CPPTYPE_UINT32:
      return list ? to->AddUInt32(&header, field, value)
                  : to->SetUInt32(&header, field, value);
    case FieldDescriptor::CPPTYPE_INT64:
      return list ? to->AddInt64(&header, field, static_cast<int64_t>(value))
                  : to->SetInt64(&header, field, static_cast<int64_t>(value));
    case FieldDescriptor::CPPTYPE_INT32:
      return list ? to->AddInt32(&header, field, value)
                  : to->SetInt32(&header, field, value);
    case FieldDescriptor::CPPTYPE_ENUM:
      return list ? to->AddEnumValue(&header, field, static_cast<int>(value))
                  : to->SetEnumValue(&header, field, static_cast<int>(value));
    case FieldDescriptor::CPPTYPE_BOOL:
      return to->SetBool(&header, field, value % 2 != 0);
    default:
      return;
  }
}

// Writes the part of `text` that lies within `bytes`.
void Overwrite(std::string& bytes, uint64_t at, std::string_view text) {
  if (at >= bytes.size()) return;
  const size_t n = std::min<size_t>(text.size(), bytes.size() - at);
  bytes.replace(at, n, text.substr(0, n));
}

}  // namespace

char Script::Take() {
  if (done()) return '\0';
  const char c = Peek();
  left_.remove_prefix(1);
  return c;
}

uint64_t Script::Decimal() {
  uint64_t value = 0;
  while (IsDigit(Peek()))
    value = value * 10 + static_cast<uint64_t>(Take() - '0');
  return value;
}

uint64_t Script::Number() {
  const char c = Take();
  if (IsDigit(c)) return static_cast<uint64_t>(c - '0');
  if (c >= 'a' && c <= 'z') return kEdges[c - 'a'];
  if (c == '#') return Decimal();
  return static_cast<uint8_t>(c);
}

std::string Script::Text() {
  std::string text;
  while (!done()) {
    const char c = Take();
    if (c == '\'') break;
    text.push_back(c);
  }
  return text;
}

std::string Script::Pattern() {
  std::string bytes(std::min(Number(), kMaxPatternBytes), '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i / 8);
  return bytes;
}

void Script::ChangePayload(std::string& payload) {
  while (true) {
    switch (Peek()) {
      case '=':
        Take();
        payload = Pattern();
        break;
      case '"':
        Take();
        payload = Text();
        break;
      case '@': {
        Take();
        const uint64_t at = Number(), value = Number();
        Overwrite(payload, at,
                  {reinterpret_cast<const char*>(&value), sizeof(value)});
        break;
      }
      case '&': {
        Take();
        const uint64_t at = Number();
        Overwrite(payload, at, Text());
        break;
      }
      case '%':
        Take();
        payload.resize(std::min<uint64_t>(payload.size(), Number()));
        break;
      default:
        return;
    }
  }
}

void Script::ChangeField(Message& header) {
  const FieldDescriptor* field = FieldOf(header, Take());
  if (field == nullptr) return;
  const auto* to = header.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return to->SetString(&header, field, Text());
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return Change(field->is_repeated() ? *to->AddMessage(&header, field)
                                         : *to->MutableMessage(&header, field));
    default:
      return SetNumber(header, field, Number());
  }
}

void Script::AddRange(Message& header) {
  const FieldDescriptor* field = FieldOf(header, Take());
  const uint64_t n = std::min(Number(), kMaxRange);
  if (field == nullptr || !field->is_repeated()) return;
  for (uint64_t i = 0; i < n; ++i) SetNumber(header, field, i);
}

void Script::Change(Message& header) {
  while (true) {
    if (IsCapital(Peek())) {
      ChangeField(header);
    } else if (Peek() == '*') {
      Take();
      AddRange(header);
    } else if (Peek() == '-') {
      Take();
      const FieldDescriptor* field = FieldOf(header, Take());
      if (field != nullptr) header.GetReflection()->ClearField(&header, field);
    } else {
      return;
    }
  }
}

OutgoingMessage MakeMessage(MessageKind kind, uint64_t call_id,
                            std::string header, std::string payload) {
  OutgoingMessage message;
  message.kind = kind;
  message.call_id = call_id;
  message.header = std::move(header);
  auto owner = std::make_shared<const std::string>(std::move(payload));
  message.payload = {reinterpret_cast<const uint8_t*>(owner->data()),
                     owner->size()};
  message.payload_owner = std::move(owner);
  return message;
}

}  // namespace tributary
