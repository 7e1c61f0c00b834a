#include "input/foreign_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "base/failure.hpp"

namespace floe::cli {
namespace {

using namespace std::string_view_literals;

struct KnownFormat {
  std::string_view magic;
  std::string_view name;
  std::size_t offset = 0;
};

constexpr KnownFormat known_formats[] = {
    {"\x1f\x8b"sv, "a gzip file"},
    {"\x28\xb5\x2f\xfd"sv, "a Zstandard file"},
    {"\x04\x22\x4d\x18"sv, "an LZ4 file"},
    {"\xfd\x37zXZ\0"sv, "an xz file"},
    {"BZh"sv, "a bzip2 file"},
    {"PK\x03\x04"sv, "a ZIP file"},
    {"7z\xbc\xaf\x27\x1c"sv, "a 7-Zip file"},
    {"\x93NUMPY"sv, "an .npy file"},
    {"\x89HDF\r\n\x1a\n"sv, "an HDF5 file"},
    {"CDF\x01"sv, "a NetCDF file"},
    {"CDF\x02"sv, "a NetCDF file"},
    {"CDF\x05"sv, "a NetCDF file"},
    {"PAR1"sv, "a Parquet file"},
    {"ARROW1"sv, "an Arrow file"},
    {"\x7f\x45LF"sv, "a program or library"},
    {"%PDF"sv, "a PDF file"},
    {"\x89PNG"sv, "a PNG image"},
    {"\xff\xd8\xff"sv, "a JPEG image"},
    {"SIMPLE  ="sv, "a FITS file"},
    {"ustar"sv, "a tar archive", 257},
};

std::string_view probed(std::span<const std::byte> begin) {
  return {reinterpret_cast<const char*>(begin.data()), std::min(begin.size(), foreign_probe_bytes)};
}

}  // namespace

bool is_text(std::span<const std::byte> begin) {
  const std::string_view bytes = probed(begin);
  std::size_t others = 0;
  for (const char c : bytes) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f') return false;
    others += code >= 0x7f;
  }
  return !bytes.empty() && others * 4 <= bytes.size();
}

bool begins_as_frame(std::span<const std::byte> begin) {
  constexpr std::string_view magic = "FLOE";
  return probed(begin).substr(0, magic.size()) == magic.substr(0, begin.size());
}

bool begins_as_tensors(std::span<const std::byte> begin) {
  return begin.size() > header_length_bytes && begin[header_length_bytes] == std::byte{'{'} &&
         !is_text(begin.first(header_length_bytes)) && !begins_as_frame(begin);
}

std::string foreign_text(std::span<const std::byte> begin) {
  constexpr std::size_t shown_bytes = 8;
  const std::string_view bytes = probed(begin);
  if (bytes.empty()) return "is empty, so it is not a floe frame";
  if (begins_as_frame(begin)) return "";
  for (const KnownFormat& format : known_formats) {
    if (bytes.size() >= format.offset && bytes.substr(format.offset).starts_with(format.magic))
      return fmt::format("{}, not a floe frame", format.name);
  }
  if (begins_as_tensors(begin)) return "a safetensors file, not a floe frame";
  if (is_text(begin)) return "text, not a floe frame";
  std::string text = "not a floe frame: it begins with";
  for (const char c : bytes.substr(0, shown_bytes))
    text += fmt::format(" {:02x}", static_cast<unsigned char>(c));
  return text;
}

void refuse_foreign(const std::string& file, std::span<const std::byte> begin) {
  if (const std::string text = foreign_text(begin); !text.empty())
    throw Failure(ExitCode::corrupt, file, text);
}

}  // namespace floe::cli
