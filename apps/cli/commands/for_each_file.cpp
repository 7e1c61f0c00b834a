#include "commands/for_each_file.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <new>

#include "base/console.hpp"

namespace floe::cli {
namespace {

/// A name as a shell wants it.
std::string quoted(const std::string& name) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-,=:@%";
  std::string text;
  if (name.find_first_not_of(plain) == std::string::npos) {
    text = name;
  } else {
    for (const char c : name) text += c == '\'' ? "'\\''" : std::string(1, c);
    text = "'" + text + "'";
  }
  return text.starts_with('-') ? "./" + text : text;
}

}  // namespace

void refuse_folders(std::span<const std::string> files, const std::string& command,
                    const std::string& suffix) {
  for (const std::string& file : files) {
    struct stat attributes {};
    if (file == "-" || ::stat(file.c_str(), &attributes) != 0 || !S_ISDIR(attributes.st_mode)) continue;
    throw Failure(
        ExitCode::error, file,
        fmt::format("is a directory; all files in it: find {} -type f{} -exec {} {{}} +", quoted(file),
                    suffix.empty() ? " ! -name '*.floe'" : fmt::format(" -name '*{}'", suffix), command));
  }
}

ExitCode for_each_file(std::span<const std::string> files,
                       const std::function<void(const std::string& file)>& work) {
  ExitCode worst = ExitCode::ok;
  const auto report = [&worst](const Failure& failure) {
    print_error(failure.what());
    worst = std::max(worst, failure.code());
  };
  for (const std::string& file : files) {
    try {
      work(file);
    } catch (const Failure& failure) {
      report(failure);
    } catch (const std::bad_alloc&) {
      report(Failure(ExitCode::error, file, "not enough memory"));
    }
  }
  return worst;
}

}  // namespace floe::cli
