// floe FILE: how one source becomes one compressed file.
#include <fmt/core.h>

#include <vector>

#include "base/console.hpp"
#include "base/text.hpp"
#include "commands/commands.hpp"
#include "commands/for_each_file.hpp"
#include "commands/published_streams.hpp"
#include "commands/verification.hpp"
#include "frames/devices.hpp"
#include "frames/frame_writer.hpp"
#include "input/blocks.hpp"
#include "input/packed_files.hpp"
#include "output/transfer.hpp"
#include "report/frame_facts.hpp"
#include "tensors/packed_tensors.hpp"
#include "tensors/tensor_writer.hpp"

namespace floe::cli {
namespace {

void refuse_terminal(const Arguments& arguments, const OutputFile& output) {
  if (output.is_terminal() && !arguments.force) {
    throw Failure(
        ExitCode::error, output.label(),
        "compressed data are not written to a terminal; use -o FILE, or --force to do it all the same");
  }
}

void print_compressed(const Arguments& arguments, const InputFile& source, const OutputFile& output,
                      std::uint64_t in_bytes, const std::string& what) {
  if (!wants_summary(arguments, output)) return;
  const std::string sizes = fmt::format("{} -> {}", bytes_text(in_bytes), bytes_text(output.written_bytes()));
  print_summary(in_bytes == 0 ? fmt::format("{} : {} ({})", printable(source.label()), sizes, what)
                              : fmt::format("{} : {:.1f} % ({}, ratio {:.2f}, {})", printable(source.label()),
                                            100 * ratio_of(output.written_bytes(), in_bytes), sizes,
                                            ratio_of(in_bytes, output.written_bytes()), what));
}

/// The header in front says how long the frames are, so it is written last.
void refuse_pipe(const OutputFile& output) {
  if (!output.is_regular())
    throw Failure(ExitCode::usage, output.label(),
                  "a compressed safetensors file begins with the lengths of what follows, and needs a file "
                  "to write them to at the end; use -o FILE, or --as bytes");
}

void compress_tensors(const Arguments& arguments, const Devices& devices, const std::string& file,
                      InputFile& source, std::span<const std::byte> begin) {
  refuse_table_options(arguments, source.label());
  OutputFile output(destination_of(arguments, file), source);
  refuse_pipe(output);
  Progress progress(source.label(), source.size_bytes(), !arguments.quiet);
  Options options = arguments.compress_options();
  devices.use_for(options);
  AcceleratorShare share;
  if (options.accelerator != nullptr) options.accelerator_share = &share;
  TensorWriter tensors(arguments, options, source.label(), source.size_bytes(),
                       [&output](std::span<const std::byte> bytes) { output.write(bytes); });
  Verification verification(arguments.verify);
  std::uint64_t in_bytes = 0;
  for_each_block(source, begin, [&](std::span<const std::byte> bytes) {
    verification.add_source_bytes(bytes);
    tensors.write(bytes);
    in_bytes += bytes.size();
    progress.show(in_bytes, output.written_bytes());
  });
  tensors.finish();
  output.finish();
  const std::string header = tensors.header();
  output.replace_begin(std::as_bytes(std::span(header)));
  verification.check_tensors(output, arguments.decode_options());
  complete(arguments, file, source, output);
  progress.wipe_out();
  print_compressed(
      arguments, source, output, in_bytes,
      tensors_description(tensors.tensor_count()) + (arguments.verbose ? share_text(share, "encoded") : ""));
}

void compress_to_frame(const Arguments& arguments, const Devices& devices, const std::string& file,
                       InputFile& source) {
  const std::vector<std::byte> begin = read_begin(source);
  if (is_tensors(arguments, file, begin)) return compress_tensors(arguments, devices, file, source, begin);
  const SourceContent content = recognize_content(arguments, source, begin);
  OutputFile output(destination_of(arguments, file), source);
  refuse_terminal(arguments, output);
  check_target(arguments, output);
  Progress progress(source.label(), source.size_bytes(), !arguments.quiet);
  const auto note = [&progress](const std::string& text) {
    progress.wipe_out();
    print_note(text);
  };
  Options options = arguments.compress_options();
  devices.use_for(options);
  AcceleratorShare share;
  if (options.accelerator != nullptr) options.accelerator_share = &share;
  FrameWriter frame(
      arguments, options, {source.label(), content, begin},
      [&output](std::span<const std::byte> bytes) { output.write(bytes); },
      arguments.quiet ? std::function<void(const std::string&)>() : note);
  Verification verification(arguments.verify);
  for_each_block(source, begin, [&](std::span<const std::byte> bytes) {
    verification.add_source_bytes(bytes);
    frame.write(bytes);
    progress.show(frame.source_bytes(), output.written_bytes());
  });
  frame.finish();
  output.finish();
  verification.check(output, arguments.decode_options());
  complete(arguments, file, source, output);
  progress.wipe_out();
  print_compressed(arguments, source, output, frame.source_bytes(),
                   short_description(frame.info()) + (arguments.verbose ? share_text(share, "encoded") : ""));
}

void compress_to_published_stream(const Arguments& arguments, const std::string& file, InputFile& source) {
  OutputFile output(destination_of(arguments, file), source);
  refuse_terminal(arguments, output);
  check_target(arguments, output);
  const std::vector<std::byte> in = source.read_all(arguments.memory_limit_bytes);
  const std::vector<std::byte> stream = compress_published(arguments, source.label(), in);
  output.write(stream);
  output.finish();
  if (arguments.verify) verify_published(arguments, output, in);
  complete(arguments, file, source, output);
  print_compressed(arguments, source, output, in.size(),
                   arguments.container == Container::gfc ? "gfc" : arguments.codec);
}

/// What is in a packed file comes back, not how it was packed.
void refuse_to_delete(const Arguments& arguments, const std::string& file) {
  if (arguments.remove_source)
    throw Failure(ExitCode::usage, file, "--rm would lose how it was packed; --as bytes keeps all of it");
}

void compress_members(const Arguments& arguments, const Devices& devices, const std::string& file) {
  refuse_to_delete(arguments, file);
  if (arguments.to_stdout || !arguments.output.empty())
    throw Failure(ExitCode::usage, file,
                  "each of its arrays becomes a file, so that -o and -c make no sense");
  for_each_member(file, [&](InputFile& member, const std::string& name) {
    compress_to_frame(arguments, devices, name, member);
  });
}

}  // namespace

ExitCode run_compress(const Arguments& arguments) {
  refuse_folders(arguments.files, "floe");
  const Devices devices(arguments.device);
  return for_each_file(arguments.files, [&](const std::string& file) {
    if (is_packed_arrays(arguments, file)) return compress_members(arguments, devices, file);
    InputFile source = open_source(arguments, file);
    if (source.is_packed()) {
      refuse_to_delete(arguments, file);
      compress_to_frame(arguments, devices, name_of_text(file), source);
    } else if (arguments.container == Container::floe) {
      compress_to_frame(arguments, devices, file, source);
    } else {
      compress_to_published_stream(arguments, file, source);
    }
  });
}

}  // namespace floe::cli
