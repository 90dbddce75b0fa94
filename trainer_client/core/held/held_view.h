// Rows of node types that a trainer holds, as of one moment.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_HELD_HELD_VIEW_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_HELD_HELD_VIEW_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "common/hash/sha256.h"
#include "common/io/buffer.h"

namespace tributary {

// The columns of a held row, in bytes, as batches have them.
struct HeldForm {
  size_t x = 0;
  size_t x_scale = 0;  // of int8: 4
  size_t y = 0;

  size_t content() const { return x + x_scale + y; }
  // A record is x, its scale and y, zeros to a multiple of 8, int64 original
  // id, uint32 the hot list's CRC32C, uint32 CRC32C of x, scale and y.
  size_t id_offset() const { return AlignUp(content(), 8); }
  size_t record() const { return id_offset() + 16; }
  bool operator==(const HeldForm&) const = default;
};

// A view of a record.
class HeldRecord {
 public:
  HeldRecord(const uint8_t* at, const HeldForm& form) : at_(at), form_(&form) {}

  absl::Span<const uint8_t> content() const { return {at_, form_->content()}; }
  const uint8_t* x() const { return at_; }
  const uint8_t* x_scale() const { return at_ + form_->x; }
  const uint8_t* y() const { return at_ + form_->x + form_->x_scale; }
  int64_t id() const { return Load<int64_t>(0); }
  uint32_t list_crc() const { return Load<uint32_t>(8); }
  uint32_t content_crc() const { return Load<uint32_t>(12); }

 private:
  template <typename T>
  T Load(size_t offset) const {
    T value;
    std::memcpy(&value, at_ + form_->id_offset() + offset, sizeof(value));
    return value;
  }

  const uint8_t* at_;
  const HeldForm* form_;
};

// Records of some successive ranks. `memory` owns them.
struct HeldPiece {
  const uint8_t* records = nullptr;
  std::shared_ptr<const void> memory;
};

// The first rows of a node type in a hot list: those of ranks below num_rows.
struct HeldType {
  std::string name;  // of the node type
  HeldForm form;
  uint32_t num_rows = 0;
  uint32_t rows_per_piece = 0;
  std::vector<HeldPiece> pieces;

  // Requires rank < num_rows.
  HeldRecord Record(uint32_t rank) const {
    return {pieces[rank / rows_per_piece].records +
                size_t{rank % rows_per_piece} * form.record(),
            form};
  }
};

// Immutable; shared by the batches that are under way.
struct HeldView {
  Sha256Digest list{};          // digest of the hot list
  std::vector<HeldType> types;  // by node type of the graph

  bool empty() const {
    return std::all_of(types.begin(), types.end(),
                       [](const HeldType& t) { return t.num_rows == 0; });
  }
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_HELD_HELD_VIEW_H_
