#include "tests/sim/sim_disk.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {

void SimDisk::Read(RowPiece piece, Done done) {
  ++coverage_->disk_reads;
  const auto us = absl::ToInt64Microseconds(faults_->slowest);
  const auto delay = absl::Microseconds(
      static_cast<int64_t>(world_->Below(static_cast<uint64_t>(us) + 1)));
  const bool fails = world_->Chance(faults_->error);
  if (fails) ++coverage_->disk_errors;
  server_->PostAfter(delay, [piece = std::move(piece), done = std::move(done),
                             fails]() mutable {
    if (fails) {
      return done(
          absl::AbortedError(absl::StrCat("cannot read ", piece.file->path())));
    }
    done(piece.file->Read(piece.places, piece.order, piece.cancel));
  });
}

}  // namespace tributary
