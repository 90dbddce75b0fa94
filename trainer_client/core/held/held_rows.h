// The rows of a hot list that a trainer holds: they grow while it runs.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_HELD_HELD_ROWS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_HELD_HELD_ROWS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "common/hash/sha256.h"
#include "common/runtime/mutex.h"
#include "trainer_client/core/held/held_view.h"

namespace tributary {

// Whoever fetches rows adds pieces; loaders name what is held in their credits
// and fill it into batches. Thread-safe.
class HeldRows {
 public:
  struct Type {
    std::string name;  // of the node type
    HeldForm form;     // no bytes: the type's rows are not held
    uint32_t rows_per_piece = 1;
    uint32_t most_rows = 0;  // that are to be held
    bool operator==(const Type&) const = default;
  };
  // `types`: by node type of the graph.
  HeldRows(const Sha256Digest& list, std::vector<Type> types);

  // What is held now; never null.
  std::shared_ptr<const HeldView> view() const;

  // Adds the piece of a type that begins at rank `first`, of rows_per_piece
  // rows or, the last one, of fewer. Returns false, without effect, unless
  // `first` rows are held: others were dropped meanwhile.
  bool AddPiece(int node_type, uint32_t first, HeldPiece piece,
                uint32_t num_rows);
  // Lets one caller at a time add pieces: returns whether it is this one, until
  // it calls Unclaim.
  bool TryClaim();
  void Unclaim();
  // Drops the piece of a row that was found to be damaged, and those that
  // follow it; calls the observer. No effect if it is not held any more.
  void Drop(int node_type, uint32_t rank);
  // Is called by Drop, on its thread, with the type and the rows that it has
  // left. It must only post.
  using OnDrop = absl::AnyInvocable<void(int node_type, uint32_t num_rows)>;
  void SetOnDrop(OnDrop on_drop);

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const HeldView> view_ ABSL_GUARDED_BY(mutex_);
  OnDrop on_drop_ ABSL_GUARDED_BY(mutex_);
  bool claimed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_HELD_HELD_ROWS_H_
