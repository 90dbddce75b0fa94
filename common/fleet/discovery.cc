#include "common/fleet/discovery.h"

#include <algorithm>
#include <utility>

#include "common/io/file_mapping.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr absl::Duration kFilePeriod = absl::Milliseconds(200);
constexpr absl::Duration kShortestDnsPeriod = absl::Seconds(1);
constexpr size_t kMaxFileBytes = size_t{1} << 20;

absl::StatusOr<std::vector<Address>> ReadServerFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxFileBytes));
  return ParseServerFile(text, path);
}

}  // namespace

Discovery::Discovery(DiscoverySource source, std::shared_ptr<Strand> strand,
                     HostResolver* resolver)
    : source_(std::move(source)),
      strand_(std::move(strand)),
      resolver_(resolver) {}

void Discovery::Start(OnListing on_listing) {
  on_listing_ = std::move(on_listing);
  Read();
}

void Discovery::Stop() {
  on_listing_ = nullptr;
  strand_->CancelTimer(timer_);
}

void Discovery::ScheduleNextRead(absl::Duration period) {
  if (!on_listing_) return;
  timer_ = strand_->PostAfter(period, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->Read();
  });
}

void Discovery::Read() {
  if (!on_listing_) return;
  switch (source_.kind) {
    case DiscoverySource::Kind::kStatic:
      return ApplyReading(source_.addresses);
    case DiscoverySource::Kind::kFile:
      ScheduleNextRead(kFilePeriod);
      return ApplyReading(ReadServerFile(source_.path));
    case DiscoverySource::Kind::kDns:
      break;
  }
  resolver_->Resolve(source_.name, [weak = weak_from_this(), strand = strand_](
                                       absl::StatusOr<Resolution> found) {
    strand->Post([weak, found = std::move(found)]() mutable {
      if (auto self = weak.lock()) self->ApplyResolution(std::move(found));
    });
  });
}

void Discovery::ApplyResolution(absl::StatusOr<Resolution> found) {
  const absl::Duration ttl = found.ok() ? found->ttl : absl::ZeroDuration();
  ScheduleNextRead(std::clamp(ttl, kShortestDnsPeriod, kLongestDnsPeriod));
  if (!found.ok()) return ApplyReading(found.status());
  ApplyReading(std::move(found->addresses));
}

void Discovery::ApplyReading(absl::StatusOr<std::vector<Address>> reading) {
  if (!on_listing_) return;
  ServerListing listing;
  listing.problem = reading.status();
  if (reading.ok()) {
    listing.addresses = *std::move(reading);
  } else if (last_.has_value()) {
    listing.addresses = last_->addresses;
  }
  const bool changed = !last_.has_value() ||
                       listing.addresses != last_->addresses ||
                       listing.problem != last_->problem;
  last_ = std::move(listing);
  if (changed) on_listing_(*last_);
}

}  // namespace tributary
