#include "channel/tcp/first_bytes.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "channel/envelope.h"

namespace tributary {
namespace {

using Bytes = absl::Span<const uint8_t>;

constexpr uint8_t kHandshakeRecord = 22;
constexpr uint8_t kClientHello = 1;
constexpr uint32_t kAlpnExtension = 16;

// Reads big-endian integers and pieces from the front. `cut` says that there
// were too few bytes; then all that is read is 0 or empty.
class HelloReader {
 public:
  explicit HelloReader(Bytes bytes) : bytes_(bytes) {}

  bool cut() const { return cut_; }
  bool empty() const { return bytes_.empty(); }
  uint32_t Number(size_t bytes) {
    uint32_t value = 0;
    for (const uint8_t byte : Piece(bytes)) value = value << 8 | byte;
    return value;
  }
  Bytes Piece(size_t bytes) {
    if (bytes > bytes_.size()) cut_ = true;
    if (cut_) return {};
    const Bytes piece = bytes_.first(bytes);
    bytes_.remove_prefix(bytes);
    return piece;
  }
  // Returns a piece that its size in so many bytes precedes.
  Bytes Vector(size_t bytes_of_size) { return Piece(Number(bytes_of_size)); }

 private:
  Bytes bytes_;
  bool cut_ = false;
};

bool OffersOurs(Bytes alpn) {
  HelloReader reader(alpn);
  HelloReader names(reader.Vector(2));
  while (!names.empty() && !names.cut()) {
    const Bytes name = names.Vector(1);
    if (absl::string_view(reinterpret_cast<const char*>(name.data()),
                          name.size()) == kTcpAlpn) {
      return true;
    }
  }
  return false;
}

// RFC 8446, 4.1.2.
bool HelloOffersOurs(Bytes hello) {
  HelloReader reader(hello);
  reader.Piece(2 + 32);  // version, random
  reader.Vector(1);      // session
  reader.Vector(2);      // ciphers
  reader.Vector(1);      // compression
  HelloReader extensions(reader.Vector(2));
  while (!extensions.empty() && !extensions.cut()) {
    const uint32_t type = extensions.Number(2);
    const Bytes extension = extensions.Vector(2);
    if (type == kAlpnExtension) return OffersOurs(extension);
  }
  return false;
}

std::optional<bool> TlsBeginsStream(Bytes first) {
  HelloReader record(first);
  if (record.Number(1) != kHandshakeRecord && !record.cut()) return false;
  record.Number(2);  // version
  const uint32_t length = record.Number(2);
  const Bytes body = record.Piece(length);
  if (record.cut()) return std::nullopt;
  HelloReader message(body);
  if (message.Number(1) != kClientHello) return false;
  const Bytes hello = message.Vector(3);
  return !message.cut() && HelloOffersOurs(hello);
}

}  // namespace

std::optional<bool> BeginsTcpStream(Bytes first, bool tls) {
  if (tls) return TlsBeginsStream(first);
  for (size_t i = 0; i < std::min(first.size(), sizeof(kEnvelopeMagic)); ++i) {
    if (first[i] != static_cast<uint8_t>(kEnvelopeMagic >> (8 * i))) {
      return false;
    }
  }
  if (first.size() < sizeof(kEnvelopeMagic)) return std::nullopt;
  return true;
}

}  // namespace tributary
