#include "partition/pipeline/inputs/text/gzip_input.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/io/file_mapping.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kBuffer = size_t{256} << 10;
constexpr int kGzipOnly = 16 + MAX_WBITS;
constexpr uint8_t kMagic[] = {0x1f, 0x8b};

}  // namespace

struct GzipInput::State {
  explicit State(int descriptor) : fd(descriptor), buffer(kBuffer) {}
  ~State() {
    if (gzip) inflateEnd(&stream);
    close(fd);
  }

  // Reads until at least `wanted` bytes are available, or the file ends.
  absl::Status LookAhead(size_t wanted);
  absl::Status Begin();
  absl::StatusOr<size_t> Copy(absl::Span<char> out);
  absl::StatusOr<size_t> Unpack(absl::Span<char> out);
  absl::Status BeginMember();

  size_t ahead() const { return end - begin; }
  bool AtMagic() const {
    return ahead() >= 2 &&
           std::equal(kMagic, kMagic + 2, buffer.begin() + begin);
  }

  const int fd;
  std::vector<uint8_t> buffer;
  size_t begin = 0, end = 0;  // range of bytes read and not yet used
  int64_t bytes_read = 0;     // of the file
  bool begun = false;
  bool gzip = false;
  bool in_member = false;
  z_stream stream{};
};

absl::Status GzipInput::State::LookAhead(size_t wanted) {
  if (ahead() >= wanted) return absl::OkStatus();
  std::memmove(buffer.data(), buffer.data() + begin, ahead());
  end -= std::exchange(begin, 0);
  while (end < wanted) {
    const ssize_t n = read(fd, buffer.data() + end, buffer.size() - end);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return absl::ErrnoToStatus(errno, "cannot be read");
    if (n == 0) break;
    end += static_cast<size_t>(n);
    bytes_read += n;
  }
  return absl::OkStatus();
}

absl::Status GzipInput::State::Begin() {
  begun = true;
  RETURN_IF_ERROR(LookAhead(2));
  if (!AtMagic()) return absl::OkStatus();
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) {
    return absl::ResourceExhaustedError("out of memory");
  }
  gzip = in_member = true;
  return absl::OkStatus();
}

absl::StatusOr<size_t> GzipInput::State::Copy(absl::Span<char> out) {
  RETURN_IF_ERROR(LookAhead(1));
  const size_t n = std::min(ahead(), out.size());
  std::memcpy(out.data(), buffer.data() + begin, n);
  begin += n;
  return n;
}

// Called after a member: begins another one, or finds the end of the file.
absl::Status GzipInput::State::BeginMember() {
  RETURN_IF_ERROR(LookAhead(2));
  if (ahead() == 0) return absl::OkStatus();
  if (!AtMagic()) {
    return absl::DataLossError("something that is no gzip follows its end");
  }
  inflateReset(&stream);
  in_member = true;
  return absl::OkStatus();
}

absl::StatusOr<size_t> GzipInput::State::Unpack(absl::Span<char> out) {
  const size_t room = std::min<size_t>(out.size(), UINT32_MAX);
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(room);
  while (stream.avail_out == room) {  // until there is output
    if (!in_member) RETURN_IF_ERROR(BeginMember());
    if (!in_member) return 0;
    RETURN_IF_ERROR(LookAhead(1));
    if (ahead() == 0) return absl::DataLossError("cut off");
    stream.next_in = buffer.data() + begin;
    stream.avail_in = static_cast<uInt>(ahead());
    const int code = inflate(&stream, Z_NO_FLUSH);
    begin = end - stream.avail_in;
    if (code == Z_MEM_ERROR) {
      return absl::ResourceExhaustedError("out of memory");
    }
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
      return absl::DataLossError(absl::StrCat(
          "damaged: ", stream.msg == nullptr ? "no gzip" : stream.msg));
    }
    if (code == Z_STREAM_END) in_member = false;
  }
  return room - stream.avail_out;
}

absl::StatusOr<GzipInput> GzipInput::Open(const std::string& path) {
  ASSIGN_OR_RETURN(const int fd, OpenRegularFile(path));
  return GzipInput(std::make_unique<State>(fd));
}

GzipInput::GzipInput(std::unique_ptr<State> state) : state_(std::move(state)) {}
GzipInput::GzipInput(GzipInput&&) noexcept = default;
GzipInput::~GzipInput() = default;

absl::StatusOr<size_t> GzipInput::Read(absl::Span<char> out) {
  if (!state_->begun) RETURN_IF_ERROR(state_->Begin());
  return state_->gzip ? state_->Unpack(out) : state_->Copy(out);
}

int64_t GzipInput::file_bytes() const {
  return state_->bytes_read - static_cast<int64_t>(state_->ahead());
}

}  // namespace tributary
