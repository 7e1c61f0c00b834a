#include "engine.hpp"

#include <fmt/format.h>

#include "console.hpp"
#include "failure.hpp"
#include "text.hpp"

namespace floe::cli {

Engines::Engines(const Arguments& arguments)
    : wants_notes_(arguments.device.kind == DeviceChoice::Kind::cuda && !arguments.quiet),
      cpu_(cpu_engine()) {
  if (arguments.device.kind == DeviceChoice::Kind::cpu) return;
  auto devices = cuda_engine(arguments.device.indices);
  if (devices) {
    devices_ = std::move(*devices);
  } else if (arguments.device.kind == DeviceChoice::Kind::cuda) {
    throw Failure(ExitCode::error, fmt::format("--device {}", device_text(arguments.device)),
                  devices.status().detail);
  }
}

Engine& Engines::for_compression(const std::string& file, DType dtype, const Options& options) {
  if (!devices_) return *cpu_;
  if (devices_->supports(dtype, options)) return *devices_;
  if (const auto codec = choose_codec(dtype, options)) tell(file, codec->name);
  return *cpu_;
}

void Engines::tell_if_replaced(const std::string& file, const StreamDecompressor& decompressor) const {
  if (!decompressor.is_native()) tell(file, decompressor.info()->codec.name);
}

void Engines::tell(const std::string& file, std::string_view codec) const {
  if (wants_notes_)
    print_note(
        fmt::format("{}: the CPU does the work, as GPUs do not have the codec {}", printable(file), codec));
}

}  // namespace floe::cli
