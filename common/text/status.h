// Macros that propagate absl::Status and absl::StatusOr errors.
#ifndef TRIBUTARY_COMMON_TEXT_STATUS_H_
#define TRIBUTARY_COMMON_TEXT_STATUS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define TRIBUTARY_CONCAT_INNER(a, b) a##b
#define TRIBUTARY_CONCAT(a, b) TRIBUTARY_CONCAT_INNER(a, b)

// Evaluates `expr`, an absl::Status; if it is an error, returns it from the
// enclosing function.
#define RETURN_IF_ERROR(expr)                            \
  do {                                                   \
    absl::Status tributary_status = (expr);              \
    if (!tributary_status.ok()) return tributary_status; \
  } while (false)

// NOLINTBEGIN(bugprone-macro-parentheses): names and declarations take none
// ASSIGN_OR_RETURN(auto x, F()) assigns the value of F(), an absl::StatusOr, to
// x; if F() returns an error, returns it from the enclosing function.
#define ASSIGN_OR_RETURN(lhs, expr) \
  ASSIGN_OR_RETURN_INNER(TRIBUTARY_CONCAT(tributary_or_, __LINE__), lhs, expr)
#define ASSIGN_OR_RETURN_INNER(tmp, lhs, expr) \
  auto tmp = (expr);                           \
  if (!tmp.ok()) return tmp.status();          \
  lhs = *std::move(tmp)
// NOLINTEND(bugprone-macro-parentheses)

#endif  // TRIBUTARY_COMMON_TEXT_STATUS_H_
