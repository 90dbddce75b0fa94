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

// Puts a child with steps into its place among its siblings.
void TurnTree::SetReady(Node& parent, Child child) {
  Node& node = *child->second;
  node.ready_at = {node.start, ++order_};
  parent.ready.emplace(node.ready_at, child);
}

void TurnTree::Push(const Path& path, double weight, Step step, bool first) {
  if (num_nodes_ >= forget_at_) ForgetDeepIdle();
  Node* parent = &root_;
  ++root_.waiting;
  for (const std::string& name : path) {
    const Child child = FindOrAdd(*parent, name);
    Node& node = *child->second;
    if (parent == &root_) node.weight = weight;
    if (node.waiting++ == 0) {
      node.start = std::max(node.start, parent->now);
      SetReady(*parent, child);
    }
    parent = &node;
  }
  if (first) {
    parent->steps.push_front(std::move(step));
  } else {
    parent->steps.push_back(std::move(step));
  }
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
  parent = &root_;
  for (const Child child : children) {
    Charge(*parent, child, turn.guess);
    parent = child->second.get();
  }
  return turn;
}

void TurnTree::Charge(Node& parent, Child child, double cost) {
  Node& node = *child->second;
  parent.ready.erase(node.ready_at);
  node.start += cost / node.weight;
  if (node.waiting > 0) SetReady(parent, child);
}

void TurnTree::Settle(const Path& path, double guess, double cost) {
  Node* parent = &root_;
  for (const std::string& name : path) {
    // It is there: no node is forgotten while a step of it runs.
    const Child child = parent->children.find(name);
    Charge(*parent, child, cost - guess);
    parent = child->second.get();
    --parent->running;
  }
  double& mean = parent->guess;
  mean = mean == 0 ? cost : mean + (cost - mean) / 8;
}

}  // namespace tributary
