#include "cli/dispatch/dispatch.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cli/dispatch/shell_command.h"
#include "cli/fetch/transfer_plan.h"
#include "common/io/file_mapping.h"
#include "common/io/file_writer.h"
#include "common/io/path_error.h"
#include "common/io/unfinished_folder.h"
#include "common/process/describe_exit.h"
#include "common/runtime/mutex.h"
#include "common/text/named_list.h"
#include "common/text/status.h"
#include "partition/format/graph_json.h"
#include "partition/format/hot_lists.h"
#include "partition/format/hot_text.h"
#include "partition/format/paths.h"

namespace tributary {
namespace {

using Values = std::map<std::string, std::string>;

// Runs the commands of one host.
class HostDispatch {
 public:
  HostDispatch(const DispatchOptions& options, const GraphSchema& schema,
               const std::string& scratch, Dispatched& result)
      : options_(options),
        schema_(schema),
        scratch_(scratch),
        result_(result) {}

  absl::Status Run() {
    ASSIGN_OR_RETURN(TransferPlan plan,
                     PlanGraph(schema_, "", result_.host.partitions));
    RETURN_IF_ERROR(
        AddPartsOf(options_.graph, schema_, result_.host.partitions, plan));
    ASSIGN_OR_RETURN(hot_digest_, HotDigestOf(options_.graph));
    ASSIGN_OR_RETURN(list_digests_, HotListDigestsOf(options_.graph));
    result_.files = plan.num_files();
    result_.bytes = plan.bytes();
    for (const CommandTemplate& command : options_.beside) {
      RETURN_IF_ERROR(RunFilled("copy", command.Fill(CommonValues())));
    }
    result_.already = Verify().ok() && options_.verify.has_value();
    if (result_.already) return absl::OkStatus();
    std::vector<std::string> paths;
    for (const PlannedFile& file : plan.AllFiles()) paths.push_back(file.path);
    RETURN_IF_ERROR(Copy("files", paths));
    std::vector<std::string> manifests = {kGraphJson};
    for (const PlannedPart& part : plan.parts) {
      manifests.push_back(part.manifest.path);
    }
    RETURN_IF_ERROR(Copy("json", manifests));
    return Verify();
  }

 private:
  Values CommonValues() const {
    return {{"host", result_.host.name},
            {"to", options_.to},
            {"partitions", result_.host.PartitionsText()},
            {"digest", ToHex(schema_.layout_digest)},
            {"hot", hot_digest_},
            {"lists", list_digests_}};
  }

  absl::Status RunFilled(const char* what, const std::string& command) const {
    ASSIGN_OR_RETURN(const ShellResult done, RunShellCommand(command));
    if (done.ok()) return absl::OkStatus();
    // The end of the output says why, in one line.
    std::string why = done.output.substr(
        done.output.size() - std::min<size_t>(done.output.size(), 300));
    absl::StripAsciiWhitespace(&why);
    absl::StrReplaceAll({{"\n", " | "}}, &why);
    return absl::UnavailableError(absl::StrCat(what, " ",
                                               DescribeExit(done.wait_status),
                                               why.empty() ? "" : ": ", why));
  }

  absl::Status Verify() const {
    if (!options_.verify.has_value()) return absl::OkStatus();
    return RunFilled("verify", options_.verify->Fill(CommonValues()));
  }

  absl::Status Copy(const std::string& name,
                    const std::vector<std::string>& paths) const {
    Values values = CommonValues();
    values["graph"] = options_.graph;
    if (options_.copy.Has("list")) {
      values["list"] = absl::StrCat(scratch_, "/", name, ".txt");
      RETURN_IF_ERROR(WriteList(values["list"], paths));
    }
    if (options_.copy.Has("folder")) {
      values["folder"] = absl::StrCat(scratch_, "/", name);
      RETURN_IF_ERROR(LinkFiles(values["folder"], paths));
    }
    return RunFilled("copy", options_.copy.Fill(values));
  }

  static absl::Status WriteList(const std::string& path,
                                const std::vector<std::string>& lines) {
    ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(path));
    std::string text;
    for (const std::string& line : lines) absl::StrAppend(&text, line, "\n");
    RETURN_IF_ERROR(file.Append(text));
    return file.Close();
  }

  absl::Status LinkFiles(const std::string& folder,
                         const std::vector<std::string>& paths) const {
    std::error_code error;
    for (const std::string& path : paths) {
      const std::string target = absl::StrCat(folder, "/", path);
      std::filesystem::create_directories(
          std::filesystem::path(target).parent_path(), error);
      const std::string source = absl::StrCat(options_.graph, "/", path);
      if (link(source.c_str(), target.c_str()) != 0) {
        return PathError(target, "make a hard link at");
      }
    }
    return absl::OkStatus();
  }

  const DispatchOptions& options_;
  const GraphSchema& schema_;
  const std::string& scratch_;
  Dispatched& result_;
  std::string hot_digest_, list_digests_;
};

// Hosts in turn, by a bounded number of threads.
class Dispatcher {
 public:
  Dispatcher(const DispatchOptions& options,
             const std::vector<DispatchHost>& hosts, const GraphSchema& schema,
             const UnfinishedFolder& scratch,
             absl::FunctionRef<void(const Dispatched&)> report)
      : options_(options),
        hosts_(hosts),
        schema_(schema),
        scratch_(scratch),
        report_(report) {}

  absl::Status Run() {
    const size_t count = std::min<size_t>(options_.jobs, hosts_.size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < count; ++i) {
      threads.emplace_back([this] { Work(); });
    }
    for (std::thread& thread : threads) thread.join();
    MutexLock lock(mutex_);
    if (failed_.empty()) return absl::OkStatus();
    return absl::UnavailableError(absl::StrCat(
        failed_.size(), " of ", hosts_.size(), " hosts: ", NamedList(failed_),
        "; the same command goes on where it stopped"));
  }

 private:
  void Work() {
    for (size_t i = next_++; i < hosts_.size(); i = next_++) {
      Dispatched result{.host = hosts_[i]};
      result.status = RunHost(i, result);
      MutexLock lock(mutex_);
      if (!result.status.ok()) failed_.push_back(result.host.name);
      report_(result);
    }
  }

  absl::Status RunHost(size_t index, Dispatched& result) {
    ASSIGN_OR_RETURN(const std::string unused,
                     scratch_.PathFor(absl::StrCat(index, "/list")));
    const std::string folder = absl::StrCat(scratch_.path(), "/", index);
    const absl::Status status =
        HostDispatch(options_, schema_, folder, result).Run();
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    return status;
  }

  const DispatchOptions& options_;
  const std::vector<DispatchHost>& hosts_;
  const GraphSchema& schema_;
  const UnfinishedFolder& scratch_;
  std::atomic<size_t> next_{0};
  Mutex mutex_;
  absl::FunctionRef<void(const Dispatched&)> report_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> failed_ ABSL_GUARDED_BY(mutex_);
};

// Checks, before anything is sent, that this machine has all files, whole.
absl::Status CheckFiles(const std::string& graph, const GraphSchema& schema) {
  ASSIGN_OR_RETURN(TransferPlan plan, PlanGraph(schema, "", {}));
  RETURN_IF_ERROR(AddPartsOf(graph, schema, {}, plan));
  for (const PlannedFile& file : plan.AllFiles()) {
    const std::string path = absl::StrCat(graph, "/", file.path);
    size_t size = 0;
    ASSIGN_OR_RETURN(const int fd, OpenRegularFile(path, &size));
    close(fd);
    if (size == file.bytes) continue;
    return absl::DataLossError(absl::StrCat(path, " has ", size,
                                            " bytes where ", plan.ListOf(file),
                                            " says ", file.bytes));
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<std::string> CopyPlaces() {
  return {"host",       "to",     "graph", "list", "folder",
          "partitions", "digest", "hot",   "lists"};
}

std::vector<std::string> VerifyPlaces() {
  return {"host", "to", "partitions", "digest", "hot", "lists"};
}

absl::Status Dispatch(const DispatchOptions& options,
                      const std::vector<DispatchHost>& hosts,
                      absl::FunctionRef<void(const Dispatched&)> report) {
  ASSIGN_OR_RETURN(const GraphSchema schema, ReadGraphJson(options.graph));
  RETURN_IF_ERROR(CheckFiles(options.graph, schema));
  // Hard links need the file system of the graph; lists can be anywhere.
  const std::string beside =
      options.copy.Has("folder")
          ? absl::StrCat(options.graph, ".dispatch-")
          : absl::StrCat(std::filesystem::temp_directory_path().string(),
                         "/tributary-dispatch-");
  ASSIGN_OR_RETURN(const UnfinishedFolder scratch,
                   UnfinishedFolder::Create(beside, 0700));
  return Dispatcher(options, hosts, schema, scratch, report).Run();
}

}  // namespace tributary
