// The only source that includes Arrow.
#include "cli/fetch/arrow_store.h"

#include <arrow/filesystem/localfs.h>
#include <arrow/filesystem/s3fs.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/key_value_metadata.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/fetch/try_again.h"
#include "common/text/status.h"

namespace tributary {
namespace {

namespace fs = arrow::fs;

constexpr char kNoBucket[] =
    ": there is no such bucket here; check its name, --endpoint and --region";
constexpr double kConnectSeconds = 10;
// A connection that moves less than a byte a second for so long is given up.
constexpr double kSilentSeconds = 20;

// Whether the last failed call of this thread may succeed when it is repeated,
// as the SDK says; and until when it repeats one by itself.
thread_local bool last_error_passes = false;
thread_local absl::Time repeat_until = absl::InfinitePast();

// Lets the SDK repeat nothing but the parts of an object that is being written,
// which a caller cannot repeat, and notes what kind of error it was.
class NotedRetries final : public fs::S3RetryStrategy {
 public:
  bool ShouldRetry(const AWSErrorDetail& error, int64_t) override {
    last_error_passes = error.should_retry;
    return error.should_retry && absl::Now() < repeat_until;
  }
  int64_t CalculateDelayBeforeNextRetry(const AWSErrorDetail&,
                                        int64_t attempted) override {
    return std::min<int64_t>(int64_t{100} << std::min<int64_t>(attempted, 10),
                             10000);
  }
};

std::string FromEnvironment(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return "";
}

bool ContainsAny(absl::string_view text,
                 std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* word) {
    return absl::StrContains(text, word);
  });
}

// Arrow's library of certificates has the paths of the system that it was built
// on, so the bundle is named.
std::string CertificateBundle() {
  std::string file = FromEnvironment({"SSL_CERT_FILE", "AWS_CA_BUNDLE"});
  if (!file.empty()) return file;
  constexpr char kDebian[] = "/etc/ssl/certs/ca-certificates.crt";
  return access(kDebian, R_OK) == 0 ? kDebian : "";
}

// Turns an error of Arrow, whose code is IOError for nearly all, into one of
// ObjectStore.
absl::Status FromArrow(const arrow::Status& status, const std::string& object) {
  if (status.ok()) return absl::OkStatus();
  const std::string text = absl::StrCat(object, ": ", status.message());
  if (ContainsAny(text, {"NO_SUCH_BUCKET", "NoSuchBucket"})) {
    return absl::FailedPreconditionError(absl::StrCat(object, kNoBucket));
  }
  if (ContainsAny(text, {"Path does not exist", "NO_SUCH_KEY", "NoSuchKey",
                         "RESOURCE_NOT_FOUND", "HTTP status 404"})) {
    return absl::NotFoundError(absl::StrCat(object, " does not exist"));
  }
  if (ContainsAny(
          text,
          {"ACCESS_DENIED", "INVALID_ACCESS_KEY", "InvalidAccessKeyId",
           "INVALID_CLIENT_TOKEN", "SIGNATURE_DOES_NOT_MATCH", "EXPIRED_TOKEN",
           "ExpiredToken", "MISSING_AUTHENTICATION", "UNRECOGNIZED_CLIENT",
           "HTTP status 401", "HTTP status 403"})) {
    return absl::PermissionDeniedError(absl::StrCat(
        text,
        "\nallowed: credentials that may use this bucket, in AWS_ACCESS_KEY_ID "
        "and AWS_SECRET_ACCESS_KEY, a profile or the pod's identity; "
        "--anonymous for a public bucket"));
  }
  // The SDK reports an error whose text is longer than the bytes that were
  // asked for as INTERNAL_FAILURE.
  if (last_error_passes ||
      ContainsAny(text, {"NETWORK_CONNECTION", "INTERNAL_FAILURE", "SLOW_DOWN",
                         "SERVICE_UNAVAILABLE", "THROTTLING", "HTTP status 5",
                         "HTTP status 408", "HTTP status 429"})) {
    return absl::UnavailableError(text);
  }
  return absl::FailedPreconditionError(text);
}

class ArrowObjectWriter final : public ObjectWriter {
 public:
  ArrowObjectWriter(std::shared_ptr<arrow::io::OutputStream> stream,
                    std::string name, absl::Duration again)
      : stream_(std::move(stream)), name_(std::move(name)), again_(again) {}
  ~ArrowObjectWriter() override {
    // Its destructor alone would finish the object.
    if (stream_ != nullptr) (void)stream_->Abort();
  }

  absl::Status Append(absl::Span<const uint8_t> bytes) override {
    repeat_until = absl::Now() + again_;
    return FromArrow(
        stream_->Write(bytes.data(), static_cast<int64_t>(bytes.size())),
        name_);
  }
  absl::Status Finish() override {
    repeat_until = absl::Now() + again_;
    RETURN_IF_ERROR(FromArrow(stream_->Close(), name_));
    stream_ = nullptr;
    return absl::OkStatus();
  }

 private:
  std::shared_ptr<arrow::io::OutputStream> stream_;
  const std::string name_;
  const absl::Duration again_;
};

// Starts the SDK; the destructor ends it, as it must be before the program
// ends.
class S3Library {
 public:
  static absl::StatusOr<std::unique_ptr<S3Library>> Start() {
    // Also for the client that finds a bucket's region.
    fs::FileSystemGlobalOptions certificates;
    certificates.tls_ca_file_path = CertificateBundle();
    RETURN_IF_ERROR(FromArrow(fs::Initialize(certificates), "certificates"));
    fs::S3GlobalOptions global = fs::S3GlobalOptions::Defaults();
    global.log_level = fs::S3LogLevel::Off;
    RETURN_IF_ERROR(FromArrow(fs::InitializeS3(global), "S3"));
    return std::make_unique<S3Library>();
  }
  S3Library() = default;
  ~S3Library() { (void)fs::FinalizeS3(); }
  S3Library(const S3Library&) = delete;
  S3Library& operator=(const S3Library&) = delete;
};

class ArrowStore final : public ObjectStore {
 public:
  ArrowStore(const ArrowStoreOptions& options,
             std::shared_ptr<fs::FileSystem> files,
             std::unique_ptr<S3Library> library)
      : options_(options),
        library_(std::move(library)),
        files_(std::move(files)) {}

  std::string NameOf(const std::string& path) const override {
    return absl::StrCat(options_.location.ToString(), "/", path);
  }

  absl::StatusOr<ObjectInfo> Stat(const std::string& path) override {
    Begin();
    auto file = files_->OpenInputFile(PathOf(path));
    if (!file.ok()) {
      return Missing(path, FromArrow(file.status(), NameOf(path)));
    }
    bucket_seen_ = true;
    const auto size = (*file)->GetSize();
    if (!size.ok()) return FromArrow(size.status(), NameOf(path));
    ObjectInfo info{static_cast<uint64_t>(*size), ""};
    if (const auto metadata = (*file)->ReadMetadata();
        metadata.ok() && *metadata != nullptr) {
      info.content_type = (*metadata)->Get("Content-Type").ValueOr("");
    }
    return info;
  }

  absl::Status Read(const std::string& path, uint64_t object_bytes,
                    uint64_t offset, absl::Span<uint8_t> to) override {
    Begin();
    // With its size, opening an object makes no request.
    fs::FileInfo info(PathOf(path), fs::FileType::File);
    info.set_size(static_cast<int64_t>(object_bytes));
    auto file = files_->OpenInputFile(info);
    if (!file.ok()) return FromArrow(file.status(), NameOf(path));
    const auto read =
        (*file)->ReadAt(static_cast<int64_t>(offset),
                        static_cast<int64_t>(to.size()), to.data());
    if (!read.ok()) return FromArrow(read.status(), NameOf(path));
    if (*read == static_cast<int64_t>(to.size())) return absl::OkStatus();
    return absl::UnavailableError(
        absl::StrCat(NameOf(path), ": ", *read, " bytes from ", offset,
                     " on where ", to.size(), " were asked for"));
  }

  absl::StatusOr<std::vector<ListedObject>> List(
      const std::string& folder) override {
    Begin();
    fs::FileSelector selector;
    selector.base_dir = PathOf(folder);
    selector.allow_not_found = !folder.empty();
    selector.recursive = true;
    const auto found = files_->GetFileInfo(selector);
    if (!found.ok()) {
      return FromArrow(found.status(), options_.location.ToString());
    }
    const size_t before = PathOf("").size() + 1;
    std::vector<ListedObject> objects;
    for (const fs::FileInfo& info : *found) {
      if (!info.IsFile()) continue;
      objects.push_back({info.path().substr(before),
                         static_cast<uint64_t>(info.size()),
                         info.mtime().time_since_epoch().count()});
    }
    std::sort(objects.begin(), objects.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    return objects;
  }

  absl::StatusOr<std::unique_ptr<ObjectWriter>> Create(
      const std::string& path, const std::string& content_type) override {
    Begin();
    auto stream = files_->OpenOutputStream(
        PathOf(path),
        arrow::KeyValueMetadata::Make({"Content-Type"}, {content_type}));
    if (!stream.ok()) return FromArrow(stream.status(), NameOf(path));
    return std::make_unique<ArrowObjectWriter>(*std::move(stream), NameOf(path),
                                               options_.try_for);
  }

 private:
  // Finds out once whether it is the bucket that is missing: the answer to a
  // question for an object does not tell. That for a local file does not tell
  // whether it is there.
  absl::Status Missing(const std::string& path, const absl::Status& status) {
    const std::string& bucket = options_.location.bucket;
    if (bucket.empty()) {
      const auto info = files_->GetFileInfo(PathOf(path));
      return info.ok() && info->type() == fs::FileType::NotFound
                 ? absl::NotFoundError(NameOf(path) + " does not exist")
                 : status;
    }
    if (!absl::IsNotFound(status) || bucket_seen_) return status;
    const auto info = files_->GetFileInfo(bucket);
    bucket_seen_ = !info.ok() || info->type() != fs::FileType::NotFound;
    if (bucket_seen_) return status;
    return absl::FailedPreconditionError(
        absl::StrCat("s3://", bucket, kNoBucket));
  }

  static void Begin() {
    last_error_passes = false;
    repeat_until = absl::InfinitePast();
  }
  // Returns Arrow's path: BUCKET/PREFIX/path, or the folder's.
  std::string PathOf(const std::string& path) const {
    const StoreLocation& at = options_.location;
    std::string full = at.bucket;
    if (at.is_s3() && !at.prefix.empty()) absl::StrAppend(&full, "/");
    absl::StrAppend(&full, at.prefix);
    if (!path.empty()) absl::StrAppend(&full, "/", path);
    return full;
  }

  const ArrowStoreOptions options_;
  const std::unique_ptr<S3Library> library_;  // null for folders
  const std::shared_ptr<fs::FileSystem> files_;
  std::atomic<bool> bucket_seen_{false};
};

absl::StatusOr<std::string> RegionOf(const ArrowStoreOptions& options,
                                     bool has_endpoint) {
  if (!options.region.empty()) return options.region;
  std::string region = FromEnvironment({"AWS_REGION", "AWS_DEFAULT_REGION"});
  if (!region.empty()) return region;
  // Stores other than Amazon's have no regions, but a signature names one.
  if (has_endpoint) return std::string("us-east-1");
  TryAgain again(options.try_for);
  const absl::Status found = again.Run(0, [&] {
    last_error_passes = false;
    auto resolved = fs::ResolveS3BucketRegion(options.location.bucket);
    if (resolved.ok()) region = *std::move(resolved);
    return FromArrow(resolved.status(), options.location.ToString());
  });
  if (found.ok()) return region;
  return absl::Status(
      found.code(),
      absl::StrCat(found.message(), "\nallowed: --region, --endpoint"));
}

absl::StatusOr<fs::S3Options> MakeS3Options(const ArrowStoreOptions& options) {
  fs::S3Options s3 = options.anonymous ? fs::S3Options::Anonymous()
                                       : fs::S3Options::Defaults();
  std::string endpoint = options.endpoint;
  if (endpoint.empty()) {
    endpoint = FromEnvironment({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  }
  if (!endpoint.empty()) {
    ASSIGN_OR_RETURN(const StoreEndpoint at, ParseStoreEndpoint(endpoint));
    s3.scheme = at.scheme;
    s3.endpoint_override = at.host_port;
  }
  s3.retry_strategy = std::make_shared<NotedRetries>();
  s3.connect_timeout = kConnectSeconds;
  s3.request_timeout = kSilentSeconds;
  s3.background_writes = false;  // they would have no bound of memory
  s3.tls_ca_file_path = CertificateBundle();
  ASSIGN_OR_RETURN(s3.region, RegionOf(options, !endpoint.empty()));
  return s3;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ObjectStore>> OpenArrowStore(
    const ArrowStoreOptions& options) {
  if (!options.location.is_s3()) {
    return std::make_unique<ArrowStore>(
        options, std::make_shared<fs::LocalFileSystem>(), nullptr);
  }
  ASSIGN_OR_RETURN(auto library, S3Library::Start());
  ASSIGN_OR_RETURN(const fs::S3Options s3, MakeS3Options(options));
  auto files = fs::S3FileSystem::Make(s3);
  if (!files.ok()) {
    return FromArrow(files.status(), options.location.ToString());
  }
  return std::make_unique<ArrowStore>(options, *std::move(files),
                                      std::move(library));
}

}  // namespace tributary
