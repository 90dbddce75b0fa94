// Decides which connections of the HTTP server stay when there are many.
#ifndef TRIBUTARY_CHANNEL_HTTP_HTTP_PLACES_H_
#define TRIBUTARY_CHANNEL_HTTP_HTTP_PLACES_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <utility>

#include "common/runtime/shared_budget.h"

namespace tributary {

// A limit of connections, shared by hosts as in SharedBudget: one host has at
// most half, and whoever comes later finds something. A newcomer always gets a
// place: where its host has its part already, in place of a connection of its
// host; where all places are taken, and none by its host, in place of one of
// the host with most. That is the oldest that has not yet sent a whole request,
// or else the oldest. Not thread-safe.
class HttpPlaces {
 public:
  enum class Lack { kHostShare, kAll };
  // Called before a connection of `host` is closed to make room.
  using OnClose = std::function<void(Lack lack, const std::string& host)>;

  HttpPlaces(size_t limit, OnClose on_close)
      : on_close_(std::move(on_close)),
        budget_(
            SharedBudget::Create("connections", std::max(limit, size_t{1}))) {}

  // The place of one connection, free again on destruction. HttpPlaces
  // outlives it.
  class Place {
   public:
    Place(HttpPlaces* places, std::string host, std::function<void()> close)
        : places_(places), host_(std::move(host)), close_(std::move(close)) {}
    ~Place() { places_->open_.remove(this); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    // Says that the connection has sent a whole request.
    void SetAsked() { asked_ = true; }

   private:
    friend class HttpPlaces;
    HttpPlaces* const places_;
    const std::string host_;
    const std::function<void()> close_;
    bool asked_ = false;
    BudgetShare::Hold hold_;
  };

  // Returns the place of a new connection. `close` runs at most once, when the
  // place is given to another; it must not destroy a Place.
  std::unique_ptr<Place> Take(const std::string& host,
                              std::function<void()> close);

  size_t used() const { return budget_->used(); }
  size_t used_by(const std::string& host) const {
    return budget_->used_by(host);
  }

 private:
  std::string HostWithMost() const;
  Place* ToClose(const std::string& host) const;
  void MakeRoom(Place& newcomer);

  const OnClose on_close_;
  const std::shared_ptr<SharedBudget> budget_;
  std::list<Place*> open_;  // the oldest first
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_HTTP_HTTP_PLACES_H_
