#include "trainer_client/core/held/held_rows.h"

namespace tributary {

HeldRows::HeldRows(const Sha256Digest& list, std::vector<Type> types) {
  auto view = std::make_shared<HeldView>();
  view->list = list;
  for (Type& type : types) {
    view->types.push_back({.name = std::move(type.name),
                           .form = type.form,
                           .rows_per_piece = type.rows_per_piece});
  }
  view_ = std::move(view);
}

std::shared_ptr<const HeldView> HeldRows::view() const {
  MutexLock lock(mutex_);
  return view_;
}

bool HeldRows::AddPiece(int node_type, uint32_t first, HeldPiece piece,
                        uint32_t num_rows) {
  MutexLock lock(mutex_);
  if (view_->types[node_type].num_rows != first) return false;
  auto view = std::make_shared<HeldView>(*view_);
  HeldType& type = view->types[node_type];
  type.pieces.push_back(std::move(piece));
  type.num_rows += num_rows;
  view_ = std::move(view);
  return true;
}

void HeldRows::Drop(int node_type, uint32_t rank) {
  MutexLock lock(mutex_);
  if (rank >= view_->types[node_type].num_rows) return;
  auto view = std::make_shared<HeldView>(*view_);
  HeldType& type = view->types[node_type];
  type.pieces.resize(rank / type.rows_per_piece);
  type.num_rows =
      static_cast<uint32_t>(type.pieces.size()) * type.rows_per_piece;
  if (on_drop_) on_drop_(node_type, type.num_rows);
  view_ = std::move(view);
}

bool HeldRows::TryClaim() {
  MutexLock lock(mutex_);
  return !std::exchange(claimed_, true);
}

void HeldRows::Unclaim() {
  MutexLock lock(mutex_);
  claimed_ = false;
  on_drop_ = nullptr;
}

void HeldRows::SetOnDrop(OnDrop on_drop) {
  MutexLock lock(mutex_);
  on_drop_ = std::move(on_drop);
}

}  // namespace tributary
