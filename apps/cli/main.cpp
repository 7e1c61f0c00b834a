// The program floe: reads the command line and runs one command.
#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "arguments/arguments.hpp"
#include "base/console.hpp"
#include "commands/commands.hpp"

namespace floe::cli {
namespace {

/// A standard stream that the caller closed would give its number to the next file that is opened, and
/// messages would end up in it. The stand-ins are opened the wrong way round, so that the use of such a
/// stream is still an error.
void occupy_closed_streams() {
  for (const int descriptor : {0, 1, 2}) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    if (::open("/dev/null", descriptor == 1 ? O_RDONLY : O_WRONLY) != descriptor) continue;
  }
}

ExitCode run(const Arguments& arguments) {
  switch (arguments.command) {
    case Command::compress:
      return run_compress(arguments);
    case Command::decompress:
      return run_decompress(arguments);
    case Command::test:
      return run_test(arguments);
    case Command::list:
      return run_list(arguments);
    case Command::inspect:
      return run_inspect(arguments);
    case Command::plan:
      return run_plan(arguments);
    case Command::codecs:
      return run_codecs(arguments);
    case Command::bench:
      return run_bench(arguments);
    case Command::recover:
      return run_recover(arguments);
    case Command::doctor:
      return run_doctor(arguments);
    case Command::hdf5:
      return run_hdf5(arguments);
    case Command::generate:
      return run_generate(arguments);
    case Command::calibrate:
      return run_calibrate(arguments);
  }
  return ExitCode::usage;
}

ExitCode run_command_line(int count, char** words) {
  try {
    return run(parse_arguments(std::vector<std::string>(words + (count > 0 ? 1 : 0), words + count)));
  } catch (const TextWanted& wanted) {
    fmt::print("{}", wanted.what());
    return ExitCode::ok;
  } catch (const UsageError& error) {
    print_error(fmt::format("{} (see floe --help)", error.what()));
    return ExitCode::usage;
  }
}

}  // namespace
}  // namespace floe::cli

int main(int count, char** words) {
  using floe::cli::ExitCode;
  floe::cli::occupy_closed_streams();
  ::signal(SIGXFSZ, SIG_IGN);  // a file that exceeds `ulimit -f` is then an error with a message, and its
                               // temporary file goes
  ExitCode code = ExitCode::error;
  try {
    code = floe::cli::run_command_line(count, words);
    if (std::fflush(stdout) != 0) throw floe::cli::system_failure("(standard output)", errno);
  } catch (const std::exception& error) {
    floe::cli::print_error(error.what());
    code = std::max(code, ExitCode::error);
  }
  return static_cast<int>(code);
}
