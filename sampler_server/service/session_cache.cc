#include "sampler_server/service/session_cache.h"

#include <utility>

#include "common/proto/session.pb.h"
#include "common/text/status.h"
#include "sampler_server/kinds/registry.h"

namespace tributary {

absl::StatusOr<Session> PlanSession(const GraphCatalog& graphs,
                                    const std::string& spec_bytes) {
  v1::SessionSpec spec;
  if (!spec.ParseFromString(spec_bytes)) {
    return absl::InvalidArgumentError("the specification cannot be parsed");
  }
  Session session;
  ASSIGN_OR_RETURN(session.graph, graphs.WithContent(spec.content_digest()));
  ASSIGN_OR_RETURN(SamplingPlan plan,
                   MakePlan(session.graph->schema(), spec_bytes));
  session.plan = std::make_shared<const SamplingPlan>(std::move(plan));
  return session;
}

}  // namespace tributary
