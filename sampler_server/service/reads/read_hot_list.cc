#include <algorithm>
#include <cstring>

#include "common/text/terminal_text.h"
#include "sampler_server/service/reads/graph_reads.h"
#include "sampler_server/service/reads/reply_of.h"

namespace tributary {
namespace {

constexpr size_t kPieceBytes = 4096;
// Of a piece that is in no cache (see WorkSlice).
constexpr uint64_t kCopyPiece = 1000;

absl::StatusOr<const HotList*> FindList(const HotLists& lists,
                                        const std::string& digest) {
  for (const auto& list : lists) {
    if (digest.size() == list->digest().size() &&
        std::memcmp(digest.data(), list->digest().data(), digest.size()) == 0) {
      return list.get();
    }
  }
  return absl::NotFoundError(
      "this server has no hot list of this digest (any more)");
}

absl::StatusOr<absl::Span<const uint8_t>> FindFile(const HotList& list,
                                                   const std::string& name) {
  for (const HotList::File& file : list.files()) {
    if (file.name == name) return file.bytes;
  }
  return absl::NotFoundError(absl::StrCat(
      "hot list '", list.name(), "' has no file '", TerminalLine(name), "'"));
}

}  // namespace

absl::StatusOr<ItemRead> BeginReadHotList(const HotLists& lists,
                                          const v1::ReadHotListRequest& request,
                                          absl::Span<const uint8_t>,
                                          const LeafLimits& limits,
                                          BudgetShare& budget) {
  ASSIGN_OR_RETURN(const HotList* list, FindList(lists, request.list_digest()));
  ASSIGN_OR_RETURN(const auto file, FindFile(*list, request.file()));
  if (request.offset() > file.size() ||
      request.num_bytes() > file.size() - request.offset()) {
    return absl::OutOfRangeError(absl::StrCat(
        request.num_bytes(), " bytes from ", request.offset(), " on of file '",
        request.file(), "', which has ", file.size()));
  }
  ASSIGN_OR_RETURN(LeafReply reply,
                   ReplyOf(request.num_bytes(), 1, limits, budget));
  const auto from = file.subspan(request.offset(), request.num_bytes());
  uint8_t* const out = reply.payload.data();
  return ItemRead(
      std::move(reply), (from.size() + kPieceBytes - 1) / kPieceBytes,
      kCopyPiece, [from, out](size_t first, size_t last, WorkSlice&) {
        const size_t begin = first * kPieceBytes;
        const size_t end = std::min(last * kPieceBytes, from.size());
        std::memcpy(out + begin, from.data() + begin, end - begin);
        return absl::StatusOr<size_t>(last - first);
      });
}

}  // namespace tributary
