#include "channel/http/http_places.h"

#include <algorithm>
#include <utility>

namespace tributary {

std::unique_ptr<HttpPlaces::Place> HttpPlaces::Take(
    const std::string& host, std::function<void()> close) {
  auto place = std::make_unique<Place>(this, host, std::move(close));
  auto hold = budget_->Open(host)->TryTake(1);
  if (hold.ok()) {
    place->hold_ = *std::move(hold);
  } else {
    MakeRoom(*place);
  }
  open_.push_back(place.get());
  return place;
}

void HttpPlaces::MakeRoom(Place& newcomer) {
  const bool of_own_host = used_by(newcomer.host_) > 0;
  Place* const closed = ToClose(of_own_host ? newcomer.host_ : HostWithMost());
  on_close_(used() < budget_->limit() ? Lack::kHostShare : Lack::kAll,
            closed->host_);
  open_.remove(closed);
  closed->close_();
  if (of_own_host) {
    newcomer.hold_ = std::move(closed->hold_);
  } else {
    closed->hold_.Release();
    newcomer.hold_ = budget_->Open(newcomer.host_)->TryTake(1).value();
  }
}

std::string HttpPlaces::HostWithMost() const {
  const auto most =
      std::max_element(open_.begin(), open_.end(), [this](auto* a, auto* b) {
        return used_by(a->host_) < used_by(b->host_);
      });
  return (*most)->host_;
}

HttpPlaces::Place* HttpPlaces::ToClose(const std::string& host) const {
  Place* oldest = nullptr;
  for (Place* place : open_) {
    if (place->host_ != host) continue;
    if (!place->asked_) return place;
    if (oldest == nullptr) oldest = place;
  }
  return oldest;
}

}  // namespace tributary
