#include "output/transfer.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include <cerrno>

#include "base/failure.hpp"
#include "input/packed_files.hpp"

namespace floe::cli {
namespace {

bool has_explicit_target(const Arguments& a) { return a.to_stdout || !a.output.empty(); }

void delete_source(const std::string& file, const InputFile& source) {
  struct stat now {};
  const struct stat& then = source.attributes();
  if (::stat(file.c_str(), &now) != 0) throw system_failure(file, errno, "cannot delete");
  if (now.st_dev != then.st_dev || now.st_ino != then.st_ino)
    throw Failure(ExitCode::error, file, "another file has taken this name; not deleted");
  if (::unlink(file.c_str()) != 0) throw system_failure(file, errno, "cannot delete");
}

}  // namespace

const char* suffix_of(Container container) noexcept {
  return container == Container::floe ? ".floe" : container == Container::gfc ? ".gfc" : ".fpc";
}

InputFile open_source(const Arguments& arguments, const std::string& file) {
  const bool allow_special = arguments.force || has_explicit_target(arguments);
  return arguments.command == Command::compress ? open_content(arguments, file, allow_special)
                                                : InputFile::open(file, allow_special);
}

Destination destination_of(const Arguments& arguments, const std::string& file) {
  if (arguments.to_stdout || (file == "-" && arguments.output.empty())) return {"-", true, arguments.force};
  if (!arguments.output.empty()) return {arguments.output, true, arguments.force};
  if (arguments.command == Command::recover) return {file + ".recovered", false, arguments.force};
  const std::string suffix = suffix_of(arguments.container);
  if (arguments.command == Command::compress) return {file + suffix, false, arguments.force};
  const std::size_t slash = file.rfind('/');
  const std::size_t name_bytes = slash == std::string::npos ? file.size() : file.size() - slash - 1;
  if (name_bytes > suffix.size() && file.ends_with(suffix))
    return {file.substr(0, file.size() - suffix.size()), false, arguments.force};
  const char* other = file.ends_with(".fpc") || file.ends_with(".gfc")
                          ? ", or --container to read a publication's stream"
                          : "";
  throw Failure(ExitCode::error, file,
                fmt::format("unknown suffix, expected {}; use -o FILE or -c{}", suffix, other));
}

void check_target(const Arguments& arguments, const OutputFile& output) {
  if (output.is_regular()) return;
  if (arguments.verify)
    throw Failure(ExitCode::usage, output.label(), "--verify needs a file that can be read back");
  if (arguments.remove_source)
    throw Failure(ExitCode::usage, output.label(), "--rm needs a result that is kept in a file");
}

void complete(const Arguments& arguments, const std::string& file, const InputFile& source,
              OutputFile& output) {
  output.commit(source, arguments.synchronize);
  if (arguments.remove_source) delete_source(file, source);
}

bool wants_summary(const Arguments& arguments, const OutputFile& output) noexcept {
  return !arguments.quiet && (arguments.verbose || !output.is_standard_output());
}

}  // namespace floe::cli
