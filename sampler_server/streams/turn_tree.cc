#include "sampler_server/streams/turn_tree.h"

#include <algorithm>
#include <iterator>

namespace tributary {

size_t TurnTree::CountNodes(const Node& node) {
  size_t count = node.children.size();
  for (const auto& [name, child] : node.children) count += CountNodes(*child);
  return count;
}

TurnTree::Child TurnTree::FindOrAdd(Node& parent, const std::string& name) {
  const auto found = parent.children.find(name);
  if (found != parent.children.end()) return found;
  if (parent.children.size() >= kMaxRemembered) ForgetIdle(parent);
  const auto added =
      parent.children.emplace(name, std::make_unique<Node>()).first;
  added->second->start = parent.now;
  ++num_nodes_;
  return added;
}

// Returns the next child. Requires that the child is idle.
TurnTree::Child TurnTree::Forget(Node& parent, Child child) {
  num_nodes_ -= 1 + CountNodes(*child->second);
  return parent.children.erase(child);
}

// Forgets the idle children whose accounts are not ahead of that of a new one;
// if there is none, the idle one that is the least ahead.
void TurnTree::ForgetIdle(Node& parent) {
  auto least = parent.children.end();
  bool forgot = false;
  for (auto it = parent.children.begin(); it != parent.children.end();) {
    const Node& node = *it->second;
    if (node.idle() && node.start <= parent.now) {
      it = Forget(parent, it);
      forgot = true;
      continue;
    }
    if (node.idle() &&
        (least == parent.children.end() || node.start < least->second->start)) {
      least = it;
    }
    ++it;
  }
  if (!forgot && least != parent.children.end()) Forget(parent, least);
}

void TurnTree::ForgetAllIdle(Node& parent) {
  for (auto it = parent.children.begin(); it != parent.children.end();) {
    it = it->second->idle() ? Forget(parent, it) : std::next(it);
  }
}

// Forgets what is idle below the second level. Each time it does there are
// twice as many nodes as it left, so that a node costs constant time.
void TurnTree::ForgetDeepIdle() {
  for (const auto& [name, first] : root_.children) {
    for (const auto& [second_name, second] : first->children) {
      ForgetAllIdle(*second);
      for (const auto& [third_name, third] : second->children) {
        ForgetAllIdle(*third);
      }
    }
  }
  forget_at_ = std::max(kMaxNodes, 2 * num_nodes_);
}

bool TurnTree::MayRun(size_t level, const Node& node) const {
  if (level + 1 == kLevels) return !node.steps.empty();
  return !node.ready.empty() && (level != 1 || node.running < most_running_);
}

// Puts the nodes of a path into their places among their siblings, where they
// have moved.
void TurnTree::PlaceAll(const std::array<Child, kLevels>& children) {
  for (size_t level = kLevels; level-- > 0;) {
    Node& node = *children[level]->second;
    Node& parent = level == 0 ? root_ : *children[level - 1]->second;
    const bool may_run = MayRun(level, node);
    if (node.listed && may_run && node.ready_at.first == node.start) continue;
    if (node.listed) parent.ready.erase(node.ready_at);
    node.listed = may_run;
    if (!may_run) continue;
    node.ready_at = {node.start, ++order_};
    parent.ready.emplace(node.ready_at, children[level]);
  }
}

void TurnTree::Push(const Path& path, double weight, Step step, bool first) {
  if (num_nodes_ >= forget_at_) ForgetDeepIdle();
  std::array<Child, kLevels> children;
  Node* parent = &root_;
  ++root_.waiting;
  for (size_t level = 0; level < kLevels; ++level) {
    children[level] = FindOrAdd(*parent, path[level]);
    Node& node = *children[level]->second;
    if (parent == &root_) node.weight = weight;
    if (node.waiting++ == 0) node.start = std::max(node.start, parent->now);
    parent = &node;
  }
  if (first) {
    parent->steps.push_front(std::move(step));
  } else {
    parent->steps.push_back(std::move(step));
  }
  PlaceAll(children);
}

TurnTree::Turn TurnTree::Pop() {
  Turn turn;
  std::array<Child, kLevels> children;
  Node* parent = &root_;
  --root_.waiting;
  for (size_t level = 0; level < kLevels; ++level) {
    children[level] = parent->ready.begin()->second;
    Node& node = *children[level]->second;
    turn.path[level] = children[level]->first;
    parent->now = std::max(parent->now, node.start);
    ++node.running;
    --node.waiting;
    parent = &node;
  }
  turn.guess = parent->guess;
  turn.step = std::move(parent->steps.front());
  parent->steps.pop_front();
  for (const Child child : children) {
    child->second->start += turn.guess / child->second->weight;
  }
  PlaceAll(children);
  return turn;
}

void TurnTree::Settle(const Path& path, double guess, double cost) {
  std::array<Child, kLevels> children;
  Node* parent = &root_;
  for (size_t level = 0; level < kLevels; ++level) {
    // It is there: no node is forgotten while a step of it runs.
    children[level] = parent->children.find(path[level]);
    parent = children[level]->second.get();
    parent->start += (cost - guess) / parent->weight;
    --parent->running;
  }
  double& mean = parent->guess;
  mean = mean == 0 ? cost : mean + (cost - mean) / 8;
  PlaceAll(children);
}

}  // namespace tributary
