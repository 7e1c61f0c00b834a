// floe -t FILE: whether a compressed file decodes, with every check there is.
#include <fmt/core.h>

#include "base/console.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "commands/commands.hpp"
#include "commands/for_each_file.hpp"
#include "frames/devices.hpp"
#include "frames/frame_restorer.hpp"
#include "input/blocks.hpp"
#include "report/frame_facts.hpp"
#include "tensors/tensor_restorer.hpp"

namespace floe::cli {
namespace {

struct Tested {
  std::string what;
  bool has_checksums = true;
  std::uint64_t bytes = 0;  ///< Of what it was.
};

/// Hands all of a source to `restorer`, which adds to the bytes of `tested`.
template <class Restorer>
void decode(const Arguments& arguments, InputFile& source, std::span<const std::byte> begin,
            Restorer& restorer, const Tested& tested) {
  Progress progress(source.label(), source.size_bytes(), !arguments.quiet);
  std::uint64_t in_bytes = 0;
  for_each_block(source, begin, [&](std::span<const std::byte> bytes) {
    in_bytes += bytes.size();
    restorer.write(bytes);
    progress.show(in_bytes, tested.bytes);
  });
  restorer.finish();
}

Tested decode_all(const Arguments& arguments, const DecodeOptions& options, InputFile& source) {
  const std::vector<std::byte> begin = read_begin(source);
  Tested tested;
  if (begins_as_tensors(begin)) {
    TensorRestorer tensors(source.label(), source.size_bytes(), options,
                           [&tested](std::span<const std::byte> bytes) { tested.bytes += bytes.size(); });
    decode(arguments, source, begin, tensors, tested);
    return {tensors.packed().description(), tensors.has_checksums(), tested.bytes};
  }
  FrameRestorer frame(
      source.label(), source.size_bytes(), options,
      [&tested](const FrameInfo&, std::span<const std::byte> bytes) { tested.bytes += bytes.size(); });
  decode(arguments, source, begin, frame, tested);
  return {short_description(frame.info()), frame.info().has_checksums, tested.bytes};
}

Json result_as_json(const std::string& file, const Failure* failure) {
  return Json::object({{"file", file},
                       {"ok", failure == nullptr},
                       {"exit_code", failure == nullptr ? 0u : static_cast<unsigned>(failure->code())},
                       {"error", failure == nullptr ? Json() : Json(failure->cause())}});
}

}  // namespace

ExitCode run_test(const Arguments& arguments) {
  refuse_folders(arguments.files, "floe -t", ".floe");
  const Devices devices(arguments.device);
  DecodeOptions options = arguments.decode_options();
  devices.use_for(options);
  Json results = Json::array();
  const ExitCode code = for_each_file(arguments.files, [&](const std::string& file) {
    try {
      InputFile source = InputFile::open(file, true);
      if (source.is_terminal())
        throw Failure(ExitCode::error, source.label(), "compressed data are not read from a terminal");
      const Tested tested = decode_all(arguments, options, source);
      results.push(result_as_json(file, nullptr));
      if (!arguments.quiet && !arguments.json) {
        print_summary(fmt::format("{} : ok ({}, {}{})", printable(source.label()), tested.what,
                                  bytes_text(tested.bytes),
                                  tested.has_checksums ? "" : ", stored without checksums"));
      }
    } catch (const Failure& failure) {
      results.push(result_as_json(file, &failure));
      throw;
    }
  });
  if (arguments.json) print_json(results);
  return code;
}

}  // namespace floe::cli
