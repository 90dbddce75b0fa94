#include "trainer_client/core/cache/hot_list_reader.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/proto/graph_reads.pb.h"
#include "trainer_client/core/reads/read_request.h"

namespace tributary {
namespace {

constexpr absl::Duration kReadTimeout = absl::Seconds(60);

std::vector<Sha256Digest> DigestsIn(absl::Span<const uint8_t> bytes) {
  std::vector<Sha256Digest> digests(bytes.size() / sizeof(Sha256Digest));
  if (!bytes.empty()) std::memcpy(digests.data(), bytes.data(), bytes.size());
  return digests;
}

absl::Status CheckSha256(const std::string& what,
                         absl::Span<const uint8_t> bytes,
                         const Sha256Digest& digest) {
  if (Sha256Of(bytes) == digest) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      what, " of the hot list has another SHA-256 than ", ToHex(digest)));
}

}  // namespace

GraphRead HotListReader::ReadOf(const File& file) const {
  auto request = ReadRequestOf<v1::ReadHotListRequest>(options_.schema);
  request.set_list_digest(options_.digest.data(), options_.digest.size());
  request.set_file(file.name);
  request.set_offset(file.offset);
  request.set_num_bytes(file.bytes);
  GraphRead read;
  read.kind = MessageKind::kReadHotListRequest;
  read.header = request.SerializeAsString();
  read.reply_bytes = file.bytes;
  read.turn = tries_.turn();
  return read;
}

void HotListReader::Read(std::vector<File> files,
                         std::function<absl::Status(Replies&)> check,
                         std::function<void(absl::Status)> end) {
  std::vector<GraphRead> reads;
  for (const File& file : files) reads.push_back(ReadOf(file));
  options_.client->Read(
      std::move(reads), options_.strand->Now() + kReadTimeout,
      [self = shared_from_this(), files = std::move(files),
       check = std::move(check),
       end = std::move(end)](absl::StatusOr<Replies> replies) {
        if (self->stopped_) return;
        const absl::Status status =
            replies.ok() ? check(*replies) : replies.status();
        if (status.ok()) {
          self->tries_.Succeeded();
          return end(status);
        }
        const std::optional<absl::Duration> pause = self->tries_.Failed(status);
        if (!pause.has_value()) return end(status);
        self->options_.strand->PostAfter(
            *pause, [weak = std::weak_ptr(self), files, check, end] {
              const auto reader = weak.lock();
              if (reader == nullptr || reader->stopped_) return;
              reader->Read(files, check, end);
            });
      });
}

void HotListReader::ReadJson(Then<HotListJson> then) {
  if (options_.json_bytes > kMaxHotListJsonBytes) {
    return options_.strand->Post([then = std::move(then),
                                  bytes = options_.json_bytes]() mutable {
      then(absl::DataLossError(absl::StrCat(
          "list.json has ", bytes, " bytes; allowed: ", kMaxHotListJsonBytes)));
    });
  }
  auto done = std::make_shared<Then<HotListJson>>(std::move(then));
  auto text = std::make_shared<std::string>();
  Read(
      {{"list.json", 0, options_.json_bytes}},
      [digest = options_.digest, text](Replies& replies) {
        const auto bytes = replies[0].span();
        text->assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return CheckSha256("list.json", bytes, digest);
      },
      [done, text](const absl::Status& status) {
        if (!status.ok()) return (*done)(status);
        (*done)(HotListJson::FromJson(*text));
      });
}

void HotListReader::ReadDigests(const HotListType& type,
                                std::function<void(absl::Status)> end) {
  const uint64_t bytes = type.num_blocks() * sizeof(Sha256Digest);
  Read(
      {{"order.blocks/" + type.name, 0, bytes},
       {"crc.blocks/" + type.name, 0, bytes}},
      [this, type](Replies& replies) {
        absl::Status status = CheckSha256("order.blocks of " + type.name,
                                          replies[0].span(), type.order_blocks);
        status.Update(CheckSha256("crc.blocks of " + type.name,
                                  replies[1].span(), type.crc_blocks));
        if (!status.ok()) return status;
        digests_[type.name] = {DigestsIn(replies[0].span()),
                               DigestsIn(replies[1].span())};
        return status;
      },
      std::move(end));
}

void HotListReader::ReadBlock(const HotListType& type, uint64_t number,
                              Then<Block> then) {
  auto done = std::make_shared<Then<Block>>(std::move(then));
  if (digests_.find(type.name) == digests_.end()) {
    return ReadDigests(type,
                       [this, type, number, done](const absl::Status& status) {
                         if (!status.ok()) return (*done)(status);
                         ReadBlock(type, number, std::move(*done));
                       });
  }
  const uint64_t first = number * kHotListBlockRows;
  const uint64_t rows = std::min<uint64_t>(
      kHotListBlockRows, static_cast<uint64_t>(type.rows) - first);
  auto block = std::make_shared<Block>();
  block->number = number;
  const Digests& digests = digests_.at(type.name);
  Read(
      {{"order/" + type.name, first * sizeof(int64_t), rows * sizeof(int64_t)},
       {"crc/" + type.name, first * sizeof(uint32_t), rows * sizeof(uint32_t)}},
      [block, name = type.name, order = digests.order[number],
       crc = digests.crc[number]](Replies& replies) {
        absl::Status status = CheckSha256("a block of order of " + name,
                                          replies[0].span(), order);
        status.Update(
            CheckSha256("a block of crc of " + name, replies[1].span(), crc));
        block->order = std::move(replies[0]);
        block->crc = std::move(replies[1]);
        return status;
      },
      [done, block](const absl::Status& status) {
        if (!status.ok()) return (*done)(status);
        (*done)(std::move(*block));
      });
}

}  // namespace tributary
