// A temporary folder with a short path, for unix sockets: their paths are
// limited to 107 bytes, and a test's own folder may exceed that.
#ifndef TRIBUTARY_CHANNEL_TESTING_SHORT_FOLDER_H_
#define TRIBUTARY_CHANNEL_TESTING_SHORT_FOLDER_H_

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace tributary {

// Creates the folder and removes it with its contents when destroyed.
class ShortFolder {
 public:
  ShortFolder() {
    char path[] = "/tmp/tributary.XXXXXX";
    if (mkdtemp(path) != nullptr) path_ = path;
  }
  ~ShortFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ShortFolder(const ShortFolder&) = delete;
  ShortFolder& operator=(const ShortFolder&) = delete;

  std::string File(const std::string& name) const {
    return absl::StrCat(path_, "/", name);
  }

 private:
  std::string path_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TESTING_SHORT_FOLDER_H_
