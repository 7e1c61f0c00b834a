// floe recover FILE: what is intact of a damaged file, and what is lost.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/console.hpp"
#include "base/text.hpp"
#include "commands/commands.hpp"
#include "commands/for_each_file.hpp"
#include "frames/frame_restorer.hpp"
#include "frames/throwing_sink.hpp"
#include "input/byte_order.hpp"
#include "input/npy_header.hpp"
#include "output/transfer.hpp"
#include "report/frame_facts.hpp"
#include "report/loss_facts.hpp"
#include "tensors/packed_tensors.hpp"

namespace floe::cli {
namespace {

constexpr std::size_t max_printed_ranges = 20;
/// Headers are hardly longer.
constexpr std::uint64_t similar_bytes = std::uint64_t{1} << 20;

std::vector<std::byte> similar_header(const std::string& file) {
  if (file.empty()) return {};
  return InputFile::open(file, false).read_up_to(similar_bytes);
}

/// Elements that the header of an .npy file promises; 0 if the prefix is none.
std::uint64_t promised_elements(const FrameInfo& info) {
  if (info.content != Content::array || !begins_as_npy(info.prefix)) return 0;
  const NpyHeader header = parse_npy_header(info.prefix);
  if (!header.problem.empty() || header.dtype != info.dtype) return 0;
  return std::accumulate(header.shape.begin(), header.shape.end(), std::uint64_t{1}, std::multiplies<>());
}

/// Where the end is lost, an .npy file gets as many elements as its header promises, if those are more by no
/// more than a gap may have.
std::uint64_t elements_to_append(const RecoveryMap& map, const FrameInfo& info, std::uint64_t max_bytes) {
  const std::uint64_t promised = promised_elements(info);
  if (map.is_length_known || promised <= info.element_count) return 0;
  const std::uint64_t missing = promised - info.element_count;
  return missing > max_bytes / size_of(info.dtype) ? 0 : missing;
}

void append_zeros(OutputFile& output, std::uint64_t bytes) {
  const std::vector<std::byte> zeros(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, 1 << 20)));
  for (; bytes > 0; bytes -= std::min<std::uint64_t>(bytes, zeros.size()))
    output.write(
        std::span(zeros).first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, zeros.size()))));
}

void print_loss(const InputFile& source, const Recovery& recovery, const RecoveryMap& map) {
  const FrameInfo& info = recovery.info();
  const std::string label = printable(source.label());
  const char* const noun = info.content == Content::array ? "element" : "row";
  print_summary(fmt::format("{} : {} of {}{} recovered ({}{})", label, map.recovered,
                            map.is_length_known ? "" : "at least ", plural(info.element_count, noun),
                            short_description(info), header_source_text(recovery.header_source())));
  const auto print = [&](const char* what, const std::vector<LostRange>& ranges) {
    for (std::size_t i = 0; i < std::min(ranges.size(), max_printed_ranges); ++i)
      print_summary(fmt::format("{} : {} {}", label, what, range_text(info, ranges[i])));
    if (ranges.size() > max_printed_ranges)
      print_summary(fmt::format("{} : {} {} more ranges (--json names all)", label, what,
                                ranges.size() - max_printed_ranges));
  };
  print("lost:", map.lost);
  print("not proven:", map.unproven);
  if (!map.is_length_known)
    print_summary(
        fmt::format("{} : lost: what followed {} {}, if there was more", label, noun, info.element_count));
}

bool recover_file(const Arguments& arguments, const std::string& file, Json& all) {
  InputFile source = InputFile::open(file, false);
  if (holds_tensors(source))
    throw Failure(ExitCode::usage, source.label(),
                  "holds tensors, each a frame of its own, and recover saves a single frame; the package "
                  "floe.safetensors reads those that are intact");
  const std::vector<std::byte> similar = similar_header(arguments.similar_file);
  RecoveryOptions options;
  options.similar_frame = similar;
  if (arguments.table.separator != 0) options.separator = arguments.table.separator;
  options.fill_lost = !arguments.leave_out;
  options.memory_limit_bytes = arguments.memory_limit_bytes;
  const ReadAt read_at = [&source](std::uint64_t offset, std::span<std::byte> bytes) -> Status {
    try {
      if (source.read_at(offset, bytes)) return {};
    } catch (const Failure&) {  // as good as lost
    }
    return {ErrorCode::io_error, offset, "the file cannot be read"};
  };
  auto recovery = Recovery::open(read_at, source.file_bytes(), options);
  if (!recovery) throw library_failure(source.label(), recovery.status(), source.file_bytes());
  const FrameInfo& info = recovery->info();
  OutputFile output(destination_of(arguments, file), source);
  if (output.is_terminal() && !arguments.force && info.source != TableSource::csv)
    throw Failure(ExitCode::error, output.label(), "binary data are not written to a terminal");
  if (info.content == Content::array) output.write(info.prefix);
  ByteOrderFilter byte_order(reversed_word_bytes(info));
  ThrowingSink sink([&](std::span<const std::byte> bytes) {
    if (const auto words = byte_order.reverse(bytes); !words.empty()) output.write(words);
  });
  auto map = recovery->restore(sink.sink(), arguments.decode_options());
  sink.check(map.status(), source.label(), source.file_bytes());
  if (options.fill_lost) {
    const std::uint64_t missing = elements_to_append(*map, info, options.max_filled_bytes);
    append_zeros(output, missing * size_of(info.dtype));
    if (missing > 0)
      map->lost.push_back({Loss::elements,
                           info.element_count,
                           missing,
                           0,
                           {ErrorCode::truncated_frame, source.file_bytes(), "the file ends"}});
  }
  complete(arguments, file, source, output);
  if (arguments.json)
    all.push(loss_as_json(file, *recovery, *map));
  else if (!arguments.quiet)
    print_loss(source, *recovery, *map);
  return map->is_complete();
}

}  // namespace

ExitCode run_recover(const Arguments& arguments) {
  refuse_folders(arguments.files, "floe recover", ".floe");
  Json all = Json::array();
  bool is_complete = true;
  const ExitCode code = for_each_file(arguments.files, [&](const std::string& file) {
    is_complete = recover_file(arguments, file, all) && is_complete;
  });
  if (arguments.json) print_json(all);
  return is_complete ? code : std::max(code, ExitCode::corrupt);
}

}  // namespace floe::cli
