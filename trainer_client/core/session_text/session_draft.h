// A session's options as their texts say, before it is known that they go
// together.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_TEXT_SESSION_DRAFT_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_TEXT_SESSION_DRAFT_H_

#include <string>
#include <vector>

#include "trainer_client/core/kinds/session_options.h"

namespace tributary {

// The files with the columns of the links of one edge type; empty: none.
struct LinkFiles {
  std::string links;
  std::string times;
  std::string negatives;
};

// Files that ReadListFiles() reads into the options of the same names; empty:
// none.
struct ListFiles {
  std::string input_nodes;
  std::string input_weight;
  std::string input_time;
  std::vector<LinkFiles> links;  // one for each list of links
};

// The options of all kinds. Those of other kinds than `kind` have no meaning.
struct SessionDraft {
  std::string kind = "node";
  CommonLoaderOptions common;
  NeighborOptions neighbors;  // of nodes, and of the ends of links
  LinkOptions link;           // all but its neighbours
  WalkOptions walk;
  PprOptions ppr;
  LayerwiseOptions layerwise;
  std::string edge_type;  // of ppr and layerwise
  // Texts for each list of links, or for the input nodes.
  std::string input_time;
  std::string neg_destination;
  ListFiles files;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_TEXT_SESSION_DRAFT_H_
