// floe -d FILE: how one compressed file, or a part of it, becomes what it was.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/console.hpp"
#include "base/text.hpp"
#include "commands/commands.hpp"
#include "commands/for_each_file.hpp"
#include "commands/frame_parts.hpp"
#include "commands/published_streams.hpp"
#include "frames/devices.hpp"
#include "frames/frame_restorer.hpp"
#include "input/blocks.hpp"
#include "input/foreign_file.hpp"
#include "output/transfer.hpp"
#include "report/frame_facts.hpp"
#include "tensors/tensor_restorer.hpp"

namespace floe::cli {
namespace {

void print_decompressed(const Arguments& arguments, const InputFile& source, const OutputFile& output,
                        std::uint64_t in_bytes, std::string_view what) {
  if (!wants_summary(arguments, output)) return;
  print_summary(fmt::format("{} : {} -> {} ({})", printable(source.label()), bytes_text(in_bytes),
                            bytes_text(output.written_bytes()), what));
}

void decompress_tensors(const Arguments& arguments, const DecodeOptions& options, const std::string& file,
                        InputFile& source, std::span<const std::byte> begin, OutputFile& output) {
  if (arguments.kind != Kind::automatic || !arguments.table.schema_file.empty() ||
      arguments.table.padding_bytes != 0)
    throw Failure(ExitCode::usage, source.label(),
                  "holds tensors; --as, --schema and --padding are for tables");
  if (output.is_terminal() && !arguments.force)
    throw Failure(ExitCode::error, output.label(),
                  "tensors are not written to a terminal; use -o FILE, or --force to do it all the same");
  Progress progress(source.label(), source.size_bytes(), !arguments.quiet);
  TensorRestorer tensors(source.label(), source.size_bytes(), options,
                         [&output](std::span<const std::byte> bytes) { output.write(bytes); });
  std::uint64_t in_bytes = 0;
  for_each_block(source, begin, [&](std::span<const std::byte> bytes) {
    in_bytes += bytes.size();
    tensors.write(bytes);
    progress.show(in_bytes, output.written_bytes());
  });
  tensors.finish();
  complete(arguments, file, source, output);
  progress.wipe_out();
  print_decompressed(arguments, source, output, in_bytes, tensors.packed().description());
}

void decompress_all(const Arguments& arguments, DecodeOptions options, const std::string& file,
                    InputFile& source, OutputFile& output) {
  AcceleratorShare share;
  if (options.accelerator != nullptr) options.accelerator_share = &share;
  const std::vector<std::byte> begin = read_begin(source);
  if (begins_as_tensors(begin)) return decompress_tensors(arguments, options, file, source, begin, output);
  Progress progress(source.label(), source.size_bytes(), !arguments.quiet);
  bool is_checked = false;
  const auto check = [&](const FrameInfo& info) {
    if (std::exchange(is_checked, true)) return;
    check_expectations(arguments, source.label(), info);
    if (becomes_other(arguments, info))
      throw Failure(ExitCode::error, source.label(),
                    fmt::format("holds {}, of which --as makes something else only from a file on disk",
                                info.source == TableSource::csv ? "CSV text" : "binary records"));
    refuse_terminal_for(info, arguments, output);
  };
  FrameRestorer frame(source.label(), source.size_bytes(), options,
                      [&](const FrameInfo& info, std::span<const std::byte> bytes) {
                        check(info);
                        output.write(bytes);
                      });
  std::uint64_t in_bytes = 0;
  for_each_block(source, begin, [&](std::span<const std::byte> bytes) {
    in_bytes += bytes.size();
    frame.write(bytes);
    progress.show(in_bytes, output.written_bytes());
  });
  frame.finish();
  check(frame.info());
  complete(arguments, file, source, output);
  progress.wipe_out();
  print_decompressed(
      arguments, source, output, in_bytes,
      short_description(frame.info()) + (arguments.verbose ? share_text(share, "decoded") : ""));
}

void decompress_part(const Arguments& arguments, const DecodeOptions& options, const std::string& file,
                     const InputFile& source, OutputFile& output) {
  FileFrame frame(source, arguments.memory_limit_bytes);
  const std::string what = write_part(arguments, options, source, frame, output);
  complete(arguments, file, source, output);
  print_decompressed(arguments, source, output, source.file_bytes(), what);
}

void decompress_published_stream(const Arguments& arguments, const std::string& file, InputFile& source,
                                 OutputFile& output) {
  if (output.is_terminal() && !arguments.force)
    throw Failure(ExitCode::error, output.label(), "binary data are not written to a terminal");
  const std::vector<std::byte> stream = source.read_all(arguments.memory_limit_bytes);
  output.write(decompress_published(arguments, source.label(), stream));
  complete(arguments, file, source, output);
  print_decompressed(arguments, source, output, stream.size(),
                     arguments.container == Container::gfc ? "gfc" : arguments.codec);
}

/// What a file is says more than that its name is wrong, unless the name says what the file is.
void refuse_foreign_file(const Arguments& arguments, const std::string& file, const InputFile& source) {
  const bool is_published = file.ends_with(".fpc") || file.ends_with(".gfc");
  if (arguments.container != Container::floe || is_published || !source.size_bytes()) return;
  std::array<std::byte, foreign_probe_bytes> probe{};
  const auto begin = std::span(probe).first(std::min<std::uint64_t>(*source.size_bytes(), probe.size()));
  if (!source.read_at(0, begin)) return;
  if (!begins_as_tensors(begin)) return refuse_foreign(source.label(), begin);
  if (arguments.wants_part())
    throw Failure(ExitCode::usage, source.label(),
                  "holds tensors; --slice, --rows and --columns are for arrays and tables");
}

/// Whether a table is to become what it was not.
bool needs_conversion(const Arguments& arguments, const InputFile& source) {
  if (arguments.kind == Kind::automatic || !source.size_bytes()) return false;
  if (packed_tensors_in(source)) return false;
  return becomes_other(arguments, FileFrame(source, arguments.memory_limit_bytes).info());
}

}  // namespace

ExitCode run_decompress(const Arguments& arguments) {
  refuse_folders(arguments.files, "floe -d", ".floe");
  const Devices devices(arguments.device);
  DecodeOptions options = arguments.decode_options();
  devices.use_for(options);
  return for_each_file(arguments.files, [&](const std::string& file) {
    InputFile source = open_source(arguments, file);
    if (source.is_terminal() && !arguments.force)
      throw Failure(ExitCode::error, source.label(),
                    "compressed data are not read from a terminal; use --force to do it all the same");
    refuse_foreign_file(arguments, file, source);
    OutputFile output(destination_of(arguments, file), source);
    check_target(arguments, output);
    if (arguments.container != Container::floe)
      return decompress_published_stream(arguments, file, source, output);
    if (arguments.wants_part() || needs_conversion(arguments, source))
      return decompress_part(arguments, options, file, source, output);
    decompress_all(arguments, options, file, source, output);
  });
}

}  // namespace floe::cli
