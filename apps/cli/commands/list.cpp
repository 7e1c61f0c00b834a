// floe -l FILE: a line for each compressed file.
#include <fmt/core.h>

#include "base/text.hpp"
#include "commands/commands.hpp"
#include "commands/for_each_file.hpp"
#include "frames/file_frame.hpp"
#include "report/frame_facts.hpp"

namespace floe::cli {
namespace {

void print_row(std::string_view stored, std::string_view original, std::string_view ratio,
               std::string_view content, std::string_view file) {
  fmt::print("{:>10}  {:>10}  {:>8}  {:<36}  {}\n", stored, original, ratio, content, file);
}

}  // namespace

ExitCode run_list(const Arguments& arguments) {
  refuse_folders(arguments.files, "floe -l", ".floe");
  Json all = Json::array();
  bool headline_wanted = !arguments.json;
  const ExitCode code = for_each_file(arguments.files, [&](const std::string& file) {
    const InputFile source = InputFile::open(file, false);
    const FileFrame frame(source, arguments.memory_limit_bytes);
    const FrameInfo& info = frame.info();
    if (arguments.json) return all.push(facts_as_json(file, info));
    if (std::exchange(headline_wanted, false)) print_row("Stored", "Original", "Ratio", "Content", "File");
    const auto original = original_bytes(info);
    print_row(bytes_text(info.frame_bytes), original ? bytes_text(*original) : "-",
              original ? fmt::format("{:.3f}", ratio_of(*original, info.frame_bytes)) : "-",
              short_description(info), printable(source.label()));
  });
  if (arguments.json) print_json(all);
  return code;
}

}  // namespace floe::cli
