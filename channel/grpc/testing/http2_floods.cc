#include "channel/grpc/testing/http2_floods.h"

#include <utility>

namespace tributary::raw_http2 {
namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr size_t kChunk = 64 << 10;

std::string Repeated(const std::string& frame, size_t bytes) {
  std::string frames;
  while (frames.size() < bytes) frames += frame;
  return frames;
}

std::string Continuations(int piece, const std::string& fields) {
  const std::string first =
      piece == 0 ? Frame(kHeaders, 0, 1, CallFields()) : "";
  return first + Repeated(Frame(kContinuation, 0, 1, fields), kChunk);
}

// A connection with streams may hold more, for parts of messages.
std::string OpenStreams() {
  std::string frames;
  for (uint32_t stream = 1; stream < 10; stream += 2) {
    frames += Frame(kHeaders, kEndHeaders, stream, CallFields());
  }
  return frames;
}

std::string ContinuationsBesideStreams(int piece) {
  const std::string first =
      piece > 0 ? "" : OpenStreams() + Frame(kHeaders, 0, 11, CallFields());
  return first + Repeated(Frame(kContinuation, 0, 11, Field("a", "")), kChunk);
}

std::string BesideStreams(int piece, const std::string& frame) {
  return (piece > 0 ? "" : OpenStreams()) + Repeated(frame, kChunk);
}

// Returns a stream that is reset at once, of headers in `bytes`.
std::string Reset(int nth, const std::string& fields) {
  const auto stream = static_cast<uint32_t>(2 * nth + 1);
  return Frame(kHeaders, kEndHeaders, stream, fields) +
         Frame(kRstStream, 0, stream, std::string("\0\0\0\x08", 4));
}

constexpr int kResetsOfPiece = 100;
constexpr uint64_t kMostResets = 10'000;

std::string Resets(int piece) {
  std::string frames;
  for (int i = 0; i < kResetsOfPiece; ++i) {
    frames += Reset(piece * kResetsOfPiece + i, CallFields());
  }
  return frames;
}

// The first puts its headers into the table of both ends (RFC 7541, 2.3), and
// the others name their places there.
std::string SmallestResets(int piece) {
  std::string fields = "\x83\x86";
  if (piece == 0) {
    for (const auto& [name, value] :
         {std::pair(":path", "/tributary.v1.Sampler/StreamBatches"),
          std::pair(":authority", "x"),
          std::pair("content-type", "application/grpc"),
          std::pair("te", "trailers")}) {
      fields += "\x40" + Field(name, value).substr(1);
    }
    return Reset(0, fields);
  }
  fields += "\xc1\xc0\xbf\xbe";
  std::string frames;
  for (int i = 1; i <= 10 * kResetsOfPiece; ++i) {
    frames += Reset((piece - 1) * 10 * kResetsOfPiece + i, fields);
  }
  return frames;
}

}  // namespace

absl::Span<const Flood> AllFloods() {
  // Tests ask for them while their programs' globals are made.
  static const std::string ping = Frame(kPing, 0, 0, "12345678");
  static const std::string settings = Frame(kSettings, 0, 0, "");
  static const std::string window =
      Frame(kWindowUpdate, 0, 0, std::string("\0\0\0\1", 4));
  static const Flood kFloods[] = {
      {"Continuations", [](int i) { return Continuations(i, Field("a", "")); }},
      {"EmptyContinuations", [](int i) { return Continuations(i, ""); }},
      {"ContinuationsBesideStreams", ContinuationsBesideStreams},
      {"Resets", Resets, kMostResets * Reset(0, CallFields()).size()},
      {"SmallestResets", SmallestResets, 8 * kMiB},
      {"Pings", [](int) { return Repeated(ping, kChunk); }},
      {"PingsBesideStreams", [](int i) { return BesideStreams(i, ping); }},
      {"Settings", [](int) { return Repeated(settings, kChunk); }},
      {"SettingsBesideStreams",
       [](int i) { return BesideStreams(i, settings); }},
      {"WindowUpdates", [](int) { return Repeated(window, kChunk); }},
  };
  return kFloods;
}

bool SendUntilCut(Connection& connection, const Flood& flood) {
  uint64_t sent = 0;
  for (int i = 0; sent < 512 * kMiB; ++i) {
    const std::string piece =
        (i == 0 && flood.http2 ? Preface() : "") + flood.piece(i);
    if (!connection.Send(piece)) return true;
    sent += piece.size();
  }
  return false;
}

}  // namespace tributary::raw_http2
