// floe series calibrate: how long every encoding takes on this machine, beside the times that are built in.
#include <fmt/core.h>

#include "commands/commands.hpp"
#include "output/new_file.hpp"
#include "research/encoding_times.hpp"

namespace floe::cli {
namespace {

/// The times of this machine, which it prints.
std::vector<research::EncodingTime> measure() {
  const std::vector<research::EncodingTime> built_in = research::built_in_encoding_times();
  std::vector<research::EncodingTime> here = research::measure_encoding_times();
  fmt::print("picoseconds per word\n{:<14} {:>16} {:>8} {:>16} {:>8}\n", "encoding", "encode: built in",
             "here", "decode: built in", "here");
  for (std::size_t i = 0; i < here.size(); ++i)
    fmt::print("{:<14} {:>16} {:>8} {:>16} {:>8}\n", here[i].encoding, built_in[i].encode_picoseconds,
               here[i].encode_picoseconds, built_in[i].decode_picoseconds, here[i].decode_picoseconds);
  return here;
}

}  // namespace

ExitCode run_calibrate(const Arguments& arguments) {
  if (arguments.output.empty()) {
    measure();
  } else if (arguments.output == "-") {
    fmt::print("{}", research::encoding_times_text(research::measure_encoding_times()));
  } else {
    write_new_file(arguments.output, arguments.force, [](OutputFile& output) {
      const std::string text = research::encoding_times_text(measure());
      output.write(std::as_bytes(std::span(text)));
    });
  }
  return ExitCode::ok;
}

}  // namespace floe::cli
