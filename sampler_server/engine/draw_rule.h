// How the nodes of one hop and edge type draw: what they all have in common.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_RULE_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_RULE_H_

#include <cstdint>

#include "common/session/philox.h"
#include "sampler_server/engine/hop.h"

namespace tributary {

// HopQuery says what each field means.
struct DrawRule {
  PhiloxKey key{};
  int32_t fanout = 0;
  bool replace = false;
  Draw draw = Draw::kUniform;
  TimeColumn time = TimeColumn::kNone;
  bool strict = false;
  bool latest = false;
  bool want_positions = false;

  // A query by this rule, for nodes that are still to be named.
  HopQuery Query() const {
    HopQuery query;
    query.key = key;
    query.fanout = fanout;
    query.replace = replace;
    query.draw = draw;
    query.time = time;
    query.strict = strict;
    query.latest = latest;
    query.want_positions = want_positions;
    return query;
  }
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_RULE_H_
