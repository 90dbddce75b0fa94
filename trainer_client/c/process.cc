// The functions that are the whole process's: version, errors, texts, log.
#include <cstdlib>
#include <mutex>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/observe/log_sink.h"
#include "common/text/version.h"
#include "trainer_client/c/call_guard.h"
#include "trainer_client/c/process_log.h"
#include "trainer_client/c/tributary.h"

namespace tributary {
namespace {

static_assert(TRIBUTARY_LOG_DEBUG == static_cast<int>(LogLevel::kDebug));
static_assert(TRIBUTARY_LOG_INFO == static_cast<int>(LogLevel::kInfo));
static_assert(TRIBUTARY_LOG_WARNING == static_cast<int>(LogLevel::kWarning));
static_assert(TRIBUTARY_LOG_ERROR == static_cast<int>(LogLevel::kError));
static_assert(TRIBUTARY_LOG_OFF == static_cast<int>(LogLevel::kOff));

absl::Status SetProcessLog(int32_t level, tributary_log_callback callback,
                           void* context) {
  if (level < TRIBUTARY_LOG_DEBUG || level > TRIBUTARY_LOG_OFF) {
    return absl::InvalidArgumentError(
        absl::StrCat("level is ", level, "; allowed: TRIBUTARY_LOG_DEBUG (",
                     TRIBUTARY_LOG_DEBUG, ") to TRIBUTARY_LOG_OFF (",
                     TRIBUTARY_LOG_OFF, ")"));
  }
  LogSink sink;
  if (callback != nullptr) {
    sink = [callback, context](LogLevel line_level, std::string_view text) {
      callback(context, static_cast<int32_t>(line_level),
               std::string(text).c_str());
    };
  }
  QuietProcessLog();  // so that it does not replace this level later
  SetLogSink(std::move(sink));
  SetLogLevel(static_cast<LogLevel>(level));
  return absl::OkStatus();
}

}  // namespace

void QuietProcessLog() {
  static std::once_flag once;
  std::call_once(once, [] { SetLogLevel(LogLevel::kWarning); });
}

}  // namespace tributary

extern "C" {

uint32_t tributary_abi_version(void) { return TRIBUTARY_ABI_VERSION; }

const char* tributary_version(void) { return tributary::kVersion; }

const char* tributary_last_error(void) { return tributary::LastErrorText(); }

void tributary_text_free(char* text) { std::free(text); }

tributary_status tributary_set_log(int32_t level,
                                   tributary_log_callback callback,
                                   void* context) {
  return tributary::GuardCall(
      [&] { return tributary::SetProcessLog(level, callback, context); });
}

}  // extern "C"
