// Decides whose step is next, where what is shared has several levels.
#ifndef TRIBUTARY_SAMPLER_SERVER_STREAMS_TURN_TREE_H_
#define TRIBUTARY_SAMPLER_SERVER_STREAMS_TURN_TREE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "common/runtime/work_slice.h"

namespace tributary {

// Steps that wait, at the leaves of a tree. At each node the children share the
// cost of steps by weight, by start-time fair queueing (Goyal, Vin, Cheng:
// SIGCOMM 1996; Bennett, Zhang: "Hierarchical packet fair queueing algorithms",
// SIGCOMM 1996): each has an account that grows by cost / weight, and the one
// with the smallest account is next. So whoever has one child more at some
// level takes nothing from others beside its parent. The cost of a step is
// known when it ends; until then the mean of its leaf's latest steps is
// charged.
//
// What has no steps saves nothing up: when it comes back its account is at
// least that of its sibling served last. An account that is ahead is kept
// meanwhile, of the latest kMaxRemembered children of a node, and of the third
// level and below only while there are few nodes: what is forgotten there is
// between the children of one node of the second. So idle nodes are at most
// about kMaxNodes, some 0.4 KB each.
//
// Of a node of the second level no more than a number of steps run at once, so
// that it cannot take all threads.
//
// A pure data structure, not thread-safe.
class TurnTree {
 public:
  static constexpr size_t kLevels = 4;
  static constexpr size_t kMaxRemembered = 64;
  static constexpr size_t kMaxNodes = 8192;
  using Step = absl::AnyInvocable<void(WorkSlice&)>;
  // At most `most_running` steps of a node of the second level run at once; at
  // least 1.
  explicit TurnTree(size_t most_running = std::numeric_limits<size_t>::max())
      : most_running_(most_running) {}

  // The names of the nodes from the root's child to the leaf.
  using Path = std::array<std::string, kLevels>;

  // `weight` is that of the first node of the path. With `first` the step comes
  // before the others of its leaf.
  void Push(const Path& path, double weight, Step step, bool first = false);

  struct Turn {
    Path path;
    double guess = 0;  // of the step's cost, charged already
    Step step;
  };
  // Requires ready(). Call Settle when the step has ended.
  Turn Pop();
  // Charges `cost` in place of the guess.
  void Settle(const Path& path, double guess, double cost);

  // Returns whether a step may run now.
  bool ready() const { return !root_.ready.empty(); }

  size_t size() const { return root_.waiting; }
  // Returns how many nodes are kept.
  size_t num_nodes() const { return num_nodes_; }

 private:
  struct Node {
    double weight = 1;
    double start = 0;    // virtual time of its next turn among its siblings
    double now = 0;      // virtual time of the latest turn of its children
    double guess = 0;    // mean cost of the latest steps of a leaf
    size_t waiting = 0;  // steps below it
    size_t running = 0;  // steps below it that are not settled
    bool idle() const { return waiting + running == 0; }
    bool listed = false;                   // in the parent's `ready`
    std::pair<double, uint64_t> ready_at;  // its key there
    std::map<std::string, std::unique_ptr<Node>> children;
    // The children with steps that may run, next turn first; of equal ones
    // that which has waited longest.
    std::map<std::pair<double, uint64_t>,
             std::map<std::string, std::unique_ptr<Node>>::iterator>
        ready;
    std::list<Step> steps;  // of a leaf; an empty deque would take 0.6 KB
  };
  using Child = std::map<std::string, std::unique_ptr<Node>>::iterator;

  static size_t CountNodes(const Node& node);
  Child FindOrAdd(Node& parent, const std::string& name);
  Child Forget(Node& parent, Child child);
  void ForgetIdle(Node& parent);
  void ForgetAllIdle(Node& parent);
  void ForgetDeepIdle();
  bool MayRun(size_t level, const Node& node) const;
  void PlaceAll(const std::array<Child, kLevels>& children);

  const size_t most_running_;
  Node root_;
  uint64_t order_ = 0;
  size_t num_nodes_ = 0;
  size_t forget_at_ = kMaxNodes;  // ForgetDeepIdle at so many nodes
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_STREAMS_TURN_TREE_H_
