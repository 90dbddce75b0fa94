#include "sampler_server/service/visible_graphs.h"

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

using Found = absl::StatusOr<std::shared_ptr<HeldGraph>>;

// A caller that knows the digest of a graph may learn that it is served.
Found Readable(const ServiceCore& core, const Caller& caller,
               const std::string& job, const std::string& digest,
               Found (GraphView::*with)(const std::string&) const) {
  Found found = (core.graphs.View().*with)(digest);
  if (found.ok()) {
    RETURN_IF_ERROR(CheckMayRead(core, caller, job, **found));
    return found;
  }
  return (VisibleGraphs(core, caller, job).*with)(digest);
}

}  // namespace

GraphView VisibleGraphs(const ServiceCore& core, const Caller& caller,
                        const std::string& job) {
  return core.graphs.View(
      [&](const HeldGraph& graph) {
        return core.access.MayRead(caller.identity, job, graph.schema().name,
                                   graph.schema().content_digest);
      },
      absl::StrCat(" (graphs that the server's policy hides from ",
                   caller.identity.ToString(), " are not listed)"));
}

absl::Status CheckMayRead(const ServiceCore& core, const Caller& caller,
                          const std::string& job, const HeldGraph& graph) {
  absl::Status allowed = core.access.Check(
      caller.identity, job, graph.schema().name, graph.schema().content_digest);
  if (!allowed.ok())
    core.refusals->Note(CallerRefusals::kPolicy, caller, allowed);
  return allowed;
}

Found ReadableContent(const ServiceCore& core, const Caller& caller,
                      const std::string& job, const std::string& digest) {
  return Readable(core, caller, job, digest, &GraphView::WithContent);
}

Found ReadableLayout(const ServiceCore& core, const Caller& caller,
                     const std::string& job, const std::string& digest) {
  return Readable(core, caller, job, digest, &GraphView::WithLayout);
}

}  // namespace tributary
