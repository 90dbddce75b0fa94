#include "cli/launch/preflight.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/dispatch/graph_location.h"
#include "cli/dispatch/shell_command.h"
#include "cli/dispatch/shell_word.h"
#include "cli/fetch/transfer_plan.h"
#include "common/fleet/address.h"
#include "common/hash/sha256.h"
#include "common/io/file_mapping.h"
#include "common/io/unique_fd.h"
#include "common/text/status.h"
#include "partition/format/graph_bytes.h"
#include "partition/format/graph_json.h"
#include "partition/schema/partition_choice.h"

namespace tributary {
namespace {

constexpr size_t kMaxServerFile = size_t{16} << 20;
constexpr size_t kFilesNamed = 3;

std::string Mebibytes(uint64_t bytes) {
  return absl::StrCat((bytes + (1 << 20) - 1) >> 20, " MiB");
}

// Checks one host; keeps what it finds.
class HostCheck {
 public:
  HostCheck(const PreflightQuestion& question,
            const absl::StatusOr<MemoryLimit>& memory)
      : question_(question), memory_(memory) {}

  std::vector<std::string> Run() {
    struct stat found {};
    if (stat(question_.workspace.c_str(), &found) != 0 ||
        !S_ISDIR(found.st_mode)) {
      // Whatever else is wrong is so because of it.
      return {absl::StrCat("there is no folder ", question_.workspace,
                           " (--workspace)")};
    }
    CheckGraph();
    CheckServerFile();
    for (const std::string& file : question_.readable) {
      if (access(InWorkspace(file).c_str(), R_OK) == 0) continue;
      Found("cannot read ", InWorkspace(file), ": ", std::strerror(errno));
    }
    for (const std::string& address : question_.listen) CheckPort(address);
    CheckProgram();
    if (problems_.size() > kMaxProblems) problems_.resize(kMaxProblems);
    return std::move(problems_);
  }

 private:
  template <typename... Texts>
  void Found(const Texts&... texts) {
    problems_.push_back(absl::StrCat(texts...));
  }
  std::string InWorkspace(const std::string& path) const {
    return PathFrom(question_.workspace, path);
  }

  void CheckGraph() {
    const std::string folder = InWorkspace(question_.graph);
    const auto schema = ReadGraphJson(folder);
    if (!schema.ok()) {
      return Found("the graph: ", schema.status().message());
    }
    if (ToHex(schema->layout_digest) != question_.layout_digest) {
      return Found(folder,
                   " is another graph, or another partitioning of it, than "
                   "that of the machine that launches");
    }
    const auto plan =
        PlanGraph(*schema, "", PartitionChoice(question_.partitions));
    if (!plan.ok()) return Found("the graph: ", plan.status().message());
    CheckFiles(folder, plan->AllFiles());
    CheckMemory(GraphBytesOf(*schema, PartitionsOf(*schema)));
  }

  std::vector<uint32_t> PartitionsOf(const GraphSchema& schema) const {
    std::vector<uint32_t> partitions = question_.partitions;
    for (uint32_t p = 0;
         question_.partitions.empty() && p < schema.num_partitions; ++p) {
      partitions.push_back(p);
    }
    return partitions;
  }

  void CheckFiles(const std::string& folder,
                  const std::vector<PlannedFile>& files) {
    std::vector<std::string> named;
    size_t wrong = 0;
    for (const PlannedFile& file : files) {
      struct stat found {};
      const std::string path = absl::StrCat(folder, "/", file.path);
      const bool there = stat(path.c_str(), &found) == 0;
      if (there && static_cast<uint64_t>(found.st_size) == file.bytes) continue;
      if (++wrong > kFilesNamed) continue;
      named.push_back(there ? absl::StrCat(file.path, " has ", found.st_size,
                                           " bytes, not ", file.bytes)
                            : absl::StrCat("no ", file.path));
    }
    if (wrong == 0) return;
    Found("lacks ", wrong, " of the ", files.size(), " files of partitions ",
          question_.partitions.empty()
              ? "all"
              : absl::StrJoin(question_.partitions, ","),
          " in ", folder, ": ", absl::StrJoin(named, ", "),
          wrong > kFilesNamed ? ", ..." : "",
          "; `tributary copy-files` sends them");
  }

  // Features are read from their files where they do not fit.
  void CheckMemory(const GraphBytes& bytes) {
    if (!memory_.ok()) return Found("memory: ", memory_.status().message());
    const uint64_t needed = bytes.rest + question_.batch_bytes;
    if (needed <= memory_->free) return;
    Found("too little memory: ", memory_->source, " has ",
          Mebibytes(memory_->free), " free of ", Mebibytes(memory_->total),
          ", servers need ", Mebibytes(needed), " (edges and ids ",
          Mebibytes(bytes.rest), ", batches ", Mebibytes(question_.batch_bytes),
          ", --memory-budget)");
  }

  void CheckServerFile() {
    if (question_.server_file.empty()) return;
    const std::string path = InWorkspace(question_.server_file);
    const auto text = ReadFile(path, kMaxServerFile);
    if (!text.ok()) return Found("--ip-config: ", text.status().message());
    if (ToHex(Sha256Of(*text)) == question_.server_file_digest) return;
    Found(path, " differs from that of the machine that launches");
  }

  void CheckPort(const std::string& text) {
    const auto address = ParseAddress(text);
    if (!address.ok()) return Found(address.status().message());
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE;
    addrinfo* found = nullptr;
    const int error =
        getaddrinfo(address->host.c_str(), absl::StrCat(address->port).c_str(),
                    &hints, &found);
    if (error != 0) return Found(text, ": ", gai_strerror(error));
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found,
                                                               freeaddrinfo);
    const UniqueFd fd(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int yes = 1;
    setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (bind(fd.get(), found->ai_addr, found->ai_addrlen) == 0 &&
        listen(fd.get(), 1) == 0) {
      return;
    }
    Found(errno == EADDRINUSE      ? "the port is taken: "
          : errno == EADDRNOTAVAIL ? "this host does not have the address "
                                   : "cannot listen at ",
          text,
          errno == EADDRINUSE || errno == EADDRNOTAVAIL
              ? ""
              : absl::StrCat(": ", std::strerror(errno)));
  }

  void CheckProgram() {
    if (question_.program.empty()) return;
    const auto done = RunShellCommand(
        absl::StrCat("cd ", ShellWord(question_.workspace), " && command -v ",
                     ShellWord(question_.program)));
    if (!done.ok()) return Found(done.status().message());
    if (done->ok()) return;
    Found("has no program ", question_.program, " (COMMAND); PATH is ",
          getenv("PATH") ? getenv("PATH") : "not set");
  }

  const PreflightQuestion& question_;
  const absl::StatusOr<MemoryLimit>& memory_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> CheckHost(const PreflightQuestion& question,
                                   const absl::StatusOr<MemoryLimit>& memory) {
  return HostCheck(question, memory).Run();
}

}  // namespace tributary
