// floe -l FILE: a line for each compressed file.
#include <fmt/core.h>

#include "base/text.hpp"
#include "commands/commands.hpp"
#include "commands/for_each_file.hpp"
#include "frames/file_frame.hpp"
#include "report/frame_facts.hpp"
#include "tensors/packed_facts.hpp"

namespace floe::cli {
namespace {

void print_row(std::string_view stored, std::string_view original, std::string_view ratio,
               std::string_view content, std::string_view file) {
  fmt::print("{:>10}  {:>10}  {:>8}  {:<36}  {}\n", stored, original, ratio, content, file);
}

void print_headline() { print_row("Stored", "Original", "Ratio", "Content", "File"); }

}  // namespace

ExitCode run_list(const Arguments& arguments) {
  refuse_folders(arguments.files, "floe -l", ".floe");
  Json all = Json::array();
  bool headline_wanted = !arguments.json;
  const ExitCode code = for_each_file(arguments.files, [&](const std::string& file) {
    const InputFile source = InputFile::open(file, false);
    if (const auto packed = packed_tensors_in(source)) {
      if (arguments.json) return all.push(tensors_as_json(file, *packed));
      if (std::exchange(headline_wanted, false)) print_headline();
      return print_row(bytes_text(packed->stored_bytes()), bytes_text(packed->original_bytes()),
                       fmt::format("{:.3f}", ratio_of(packed->original_bytes(), packed->stored_bytes())),
                       packed->description(), printable(source.label()));
    }
    const FileFrame frame(source, arguments.memory_limit_bytes);
    const FrameInfo& info = frame.info();
    if (arguments.json) return all.push(facts_as_json(file, info));
    if (std::exchange(headline_wanted, false)) print_headline();
    const auto original = original_bytes(info);
    print_row(bytes_text(info.frame_bytes), original ? bytes_text(*original) : "-",
              original ? fmt::format("{:.3f}", ratio_of(*original, info.frame_bytes)) : "-",
              short_description(info), printable(source.label()));
  });
  if (arguments.json) print_json(all);
  return code;
}

}  // namespace floe::cli
