#include "trainer_client/core/kinds/link_client_kind.h"

#include <utility>
#include <variant>

#include "common/proto/session.pb.h"
#include "common/session/kinds/link_spec.h"
#include "common/text/status.h"
#include "partition/schema/spec_graph.h"
#include "trainer_client/core/kinds/link_on_graph.h"
#include "trainer_client/core/kinds/link_request.h"
#include "trainer_client/core/kinds/neighbor_hops.h"
#include "trainer_client/core/kinds/option_error.h"

namespace tributary {
namespace {

const LinkOptions& Of(const SessionOptions& options) {
  return std::get<LinkOptions>(options.kind);
}

class Kind final : public ClientKind {
 public:
  absl::Status CheckOptions(const SessionOptions& options) const override {
    const LinkOptions& link = Of(options);
    RETURN_IF_ERROR(CheckLinkRequest(options, link));
    return CheckHopOptions(link.neighbors, HasTimes(link));
  }
  absl::Status CheckNames(const SessionOptions& options) const override {
    RETURN_IF_ERROR(CheckHopNames(Of(options).neighbors));
    for (const EdgeTypeLinks& list : Of(options).lists) {
      RETURN_IF_ERROR(CheckUtf8("link.edge_type", list.edge_type));
      RETURN_IF_ERROR(CheckUtf8("link.split", list.input_split));
    }
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<InputSource>> InputSources(
      const SessionOptions& options, const GraphSchema& schema) const override {
    const SpecGraph graph = SpecGraphOf(schema);
    std::vector<InputSource> sources;
    for (const EdgeTypeLinks& list : Of(options).lists) {
      InputSource& source = sources.emplace_back();
      ASSIGN_OR_RETURN(source.edge_type,
                       ResolveInputEdgeType(graph, list.edge_type));
      source.split = list.input_split;
    }
    return sources;
  }
  absl::StatusOr<SessionInputs> MakeInputs(
      const SessionOptions& options, const GraphSchema& schema,
      std::vector<std::vector<int64_t>> splits) const override {
    LinkOptions link = Of(options);
    for (size_t i = 0; i < link.lists.size(); ++i) {
      if (link.lists[i].input_split.empty()) continue;
      RETURN_IF_ERROR(SetLinksOfSplit(splits[i], &link.lists[i]));
    }
    ASSIGN_OR_RETURN(JoinedLinks joined, JoinLinks(SpecGraphOf(schema), link));
    SessionInputs inputs;
    inputs.links = std::move(joined.links);
    inputs.link_inputs = std::move(joined.inputs);
    inputs.times = std::move(joined.times);
    return inputs;
  }
  absl::StatusOr<std::string> BuildSpec(const SessionOptions& options,
                                        const SpecGraph& graph,
                                        SpecOptions spec) const override {
    const LinkOptions& link = Of(options);
    FillHopOptions(link.neighbors, HasTimes(link), &spec);
    return BuildLinkSpec(graph, spec, NegativesOf(link), link.exclude,
                         link.enclosing);
  }
  absl::Status CheckOnGraph(const GraphSchema& schema,
                            const v1::SessionSpec& spec,
                            const SessionInputs& inputs) const override {
    RETURN_IF_ERROR(CheckHopsOnGraph(schema, spec));
    return CheckLinkEnds(schema, spec, *inputs.links);
  }
  void AddSampledTypes(const v1::SessionSpec& spec,
                       SampledTypes* types) const override {
    types->AddEnds(spec.inputs().edge_type());
    for (const auto& list : spec.inputs().link_lists()) {
      types->AddEnds(list.edge_type());
    }
    AddHopTypes(spec, types);
  }
  uint64_t BatchBytesBound(const GraphSchema& schema,
                           const v1::SessionSpec& spec) const override {
    BatchBoundInputs bound = HopBoundInputs(schema, spec);
    FillLinkBound(schema, spec, &bound);
    return tributary::BatchBytesBound(bound);
  }
};

}  // namespace

const ClientKind& LinkClientKind() {
  static const Kind kind;
  return kind;
}

}  // namespace tributary
