#include "trainer_client/torch/train/round_news.h"

#include <array>

#include "common/text/status.h"
#include "trainer_client/torch/ddp/process_group.h"

namespace tributary {

absl::StatusOr<RoundNews> TellRanks(const RoundNews& own, ProcessGroup& group) {
  std::array<double, 5> said{
      static_cast<double>(own.not_finite), static_cast<double>(own.gives_up),
      static_cast<double>(own.stops), static_cast<double>(own.draining),
      static_cast<double>(own.due)};
  RETURN_IF_ERROR(group.Sum(absl::MakeSpan(said)));
  return RoundNews{.not_finite = said[0] > 0,
                   .gives_up = said[1] > 0,
                   .stops = said[2] > 0,
                   .draining = said[3] > 0,
                   .due = said[4] > 0};
}

}  // namespace tributary
