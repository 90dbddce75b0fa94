// The stored columns of which a session's batches hold rows.
#ifndef TRIBUTARY_COMMON_SESSION_COLLECTED_COLUMNS_H_
#define TRIBUTARY_COMMON_SESSION_COLLECTED_COLUMNS_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tributary {

namespace v1 {
class SessionSpec;
}

// A column that batches can hold. The values are those of the specification.
enum class CollectedColumn : uint8_t {
  kX = 1,         // features of nodes
  kY = 2,         // labels of nodes
  kEdgeAttr = 3,  // attributes of edges
  kTime = 4,      // times of nodes
  kWeight = 5,    // weights of edges, as stored
  kSeedTime = 6,  // the time that bounds each input's tree
};

// The names that users write, for --collect and messages.
inline constexpr std::string_view kCollectedColumnNames =
    "x, y, edge_attr, time, weight, seed_time; or none";

// A set of columns. x, y and edge_attr come where a type of the batch has them;
// the others are an error where no type has them.
class CollectedColumns {
 public:
  // The default: x, y and edge_attr.
  constexpr CollectedColumns()
      : CollectedColumns({CollectedColumn::kX, CollectedColumn::kY,
                          CollectedColumn::kEdgeAttr}) {}
  constexpr CollectedColumns(std::initializer_list<CollectedColumn> columns) {
    for (const CollectedColumn column : columns) Add(column);
  }
  static constexpr CollectedColumns None() {
    return CollectedColumns(std::initializer_list<CollectedColumn>{});
  }

  constexpr void Add(CollectedColumn column) { bits_ |= Bit(column); }
  constexpr bool has(CollectedColumn column) const {
    return (bits_ & Bit(column)) != 0;
  }
  constexpr bool empty() const { return bits_ == 0; }
  friend bool operator==(const CollectedColumns&,
                         const CollectedColumns&) = default;

 private:
  static constexpr uint32_t Bit(CollectedColumn column) {
    return 1u << static_cast<uint32_t>(column);
  }

  uint32_t bits_ = 0;
};

// Read and write "x,y,edge_attr", in any order, or "none". INVALID_ARGUMENT for
// a name that is none, or is there twice, with what is allowed.
absl::StatusOr<CollectedColumns> CollectedColumnsFromText(
    std::string_view text);
std::string CollectedColumnsText(const CollectedColumns& columns);

// Sets the specification's collect_features and columns: each set of columns
// has one form.
void SetCollectedColumns(const CollectedColumns& columns,
                         v1::SessionSpec* spec);
// Returns the columns of a specification; INVALID_ARGUMENT for another form
// than SetCollectedColumns() makes.
absl::StatusOr<CollectedColumns> CollectedColumnsOf(
    const v1::SessionSpec& spec);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_COLLECTED_COLUMNS_H_
