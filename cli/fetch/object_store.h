// The interface of a store of objects: what tributary-fetch needs of it.
#ifndef TRIBUTARY_CLI_FETCH_OBJECT_STORE_H_
#define TRIBUTARY_CLI_FETCH_OBJECT_STORE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// An object's length, and its content type, where the store keeps one.
struct ObjectInfo {
  uint64_t bytes = 0;
  std::string content_type;
};

struct ListedObject {
  std::string path;
  uint64_t bytes = 0;
  int64_t changed_ns = 0;  // since 1970
};

// An object that is being written. It appears when Finish succeeds; the
// destructor of an unfinished one leaves none. Not thread-safe.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  virtual absl::Status Append(absl::Span<const uint8_t> bytes) = 0;
  virtual absl::Status Finish() = 0;
};

// The objects below one prefix; paths are relative to it. Calls block for a
// bounded time and are not repeated by the store, except while an object is
// written. Thread-safe.
//
// Errors: NOT_FOUND; PERMISSION_DENIED; UNAVAILABLE if the same call may
// succeed later; anything else is permanent. All name the object, and what can
// be done where that is known.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;
  // Returns the URL of an object, for messages.
  virtual std::string NameOf(const std::string& path) const = 0;
  virtual absl::StatusOr<ObjectInfo> Stat(const std::string& path) = 0;
  // Fills `to` with the bytes from `offset` on of an object of `object_bytes`
  // bytes. The bytes are unspecified if the object is shorter.
  virtual absl::Status Read(const std::string& path, uint64_t object_bytes,
                            uint64_t offset, absl::Span<uint8_t> to) = 0;
  // Returns the objects below `folder`, ascending by path; none if there is no
  // such folder. "": all.
  virtual absl::StatusOr<std::vector<ListedObject>> List(
      const std::string& folder) = 0;
  // Creates or replaces an object.
  virtual absl::StatusOr<std::unique_ptr<ObjectWriter>> Create(
      const std::string& path, const std::string& content_type) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FETCH_OBJECT_STORE_H_
