// floe -t FILE: whether a compressed file decodes, with every check there is.
#include <fmt/format.h>

#include "commands.hpp"
#include "console.hpp"
#include "engine.hpp"
#include "for_each_file.hpp"
#include "frame_facts.hpp"
#include "streaming.hpp"
#include "text.hpp"

namespace floe::cli {
namespace {

FrameInfo decode_all(const Arguments& arguments, Engines& engines, InputFile& source) {
  Progress progress(source.label(), source.size_bytes(), !arguments.quiet);
  std::uint64_t in_bytes = 0;
  std::uint64_t out_bytes = 0;
  ThrowingSink sink([&out_bytes](std::span<const std::byte> bytes) { out_bytes += bytes.size(); });
  const auto created = engines.for_decompression().decompressor(sink.sink(), arguments.decode_options());
  if (!created) throw library_failure(source.label(), created.status());
  StreamDecompressor& decompressor = **created;
  for_each_block(source, {}, [&](std::span<const std::byte> bytes) {
    in_bytes += bytes.size();
    sink.check(decompressor.write(bytes), source.label());
    progress.show(in_bytes, out_bytes);
  });
  sink.check(decompressor.finish(), source.label());
  progress.wipe_out();
  engines.tell_if_replaced(source.label(), decompressor);
  return *decompressor.info();
}

Json result_as_json(const std::string& file, const Failure* failure) {
  Json result;
  result["file"] = file;
  result["ok"] = failure == nullptr;
  result["exit_code"] = failure == nullptr ? 0 : static_cast<int>(failure->code());
  result["error"] = failure == nullptr ? Json(nullptr) : Json(failure->cause());
  return result;
}

}  // namespace

ExitCode run_test(const Arguments& arguments) {
  Engines engines(arguments);
  Json results = Json::array();
  const ExitCode code = for_each_file(arguments.files, [&](const std::string& file) {
    try {
      InputFile source = InputFile::open(file, true);
      if (source.is_terminal())
        throw Failure(ExitCode::error, source.label(), "compressed data are not read from a terminal");
      const FrameInfo info = decode_all(arguments, engines, source);
      results.push_back(result_as_json(file, nullptr));
      if (!arguments.quiet && !arguments.json) {
        print_summary(fmt::format("{} : ok ({}, {}{})", printable(source.label()), short_description(info),
                                  bytes_text(info.array_bytes()),
                                  info.has_checksums ? "" : ", stored without checksums"));
      }
    } catch (const Failure& failure) {
      results.push_back(result_as_json(file, &failure));
      throw;
    }
  });
  if (arguments.json) print_json(results);
  return code;
}

}  // namespace floe::cli
