#include "trainer_client/core/session_text/session_flags.h"

#include <CLI/CLI.hpp>
#include <string>

#include "absl/algorithm/container.h"
#include "trainer_client/core/session_text/session_table.h"

namespace tributary {

void DeclareSessionFlags(CLI::App& app, SessionText& text,
                         const std::vector<absl::string_view>& except) {
  for (const SessionOption& option : SessionTable()) {
    const std::string& name = option.words.name;
    if (absl::c_linear_search(except, name)) continue;
    if (option.form == OptionForm::kFlag) {
      app.add_flag_callback(
          FlagOf(name), [&text, name] { text.Set(name, "true"); },
          option.words.help);
      continue;
    }
    app.add_option_function<std::string>(
           FlagOf(name),
           [&text, name](const std::string& value) { text.Set(name, value); },
           option.words.help)
        ->type_name(option.words.metavar)
        ->default_str(text.Default(name));
  }
}

}  // namespace tributary
