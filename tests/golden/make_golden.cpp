// Writes the golden files that do not exist yet: make_golden tests/golden/v1. Existing files are never
// written again.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "tests/golden/cases.hpp"
#include "tests/golden/sha256.hpp"

namespace {

using floe::test::GoldenCase;

/// One row of the manifest; see golden_test.cpp.
std::string row_of(const GoldenCase& golden, std::span<const std::byte> content,
                   std::span<const std::byte> frame) {
  std::ostringstream row;
  row << golden.name << ".floe," << name_of(golden.dtype) << ',' << floe::test::shape_text(golden.extent)
      << ',' << golden.codec << ',' << golden.options.segment_bytes << ','
      << (golden.options.checksum ? "yes" : "no") << ',' << golden.options.dimensionality << ','
      << golden.prefix.size() << ',' << content.size() << ',' << floe::test::Sha256::hex(content) << ','
      << frame.size() << ',' << floe::test::Sha256::hex(frame) << '\n';
  return row.str();
}

std::vector<std::byte> compress(const GoldenCase& golden, std::span<const std::byte> content) {
  floe::Options options = golden.options;
  options.codec = golden.codec;
  options.prefix = std::as_bytes(std::span(golden.prefix));
  return floe::compress(content, golden.dtype, golden.extent, options).value();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_golden FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const std::filesystem::path manifest_path = folder / "manifest.csv";
  const bool is_new = !std::filesystem::exists(manifest_path);
  std::ofstream manifest(manifest_path, std::ios::app);
  if (is_new) {
    manifest << "file,dtype,shape,codec,segment_bytes,checksums,dimensionality,prefix_bytes,content_bytes,"
                "content_sha256,frame_bytes,frame_"
                "sha256\n";
  }
  for (const GoldenCase& golden : floe::test::golden::cases) {
    const std::filesystem::path path = folder / (std::string(golden.name) + ".floe");
    if (std::filesystem::exists(path)) continue;
    const std::vector<std::byte> content = floe::test::content_of(golden);
    const std::vector<std::byte> frame = compress(golden, content);
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(frame.size()));
    manifest << row_of(golden, content, frame);
    std::cout << path.string() << ": " << content.size() << " to " << frame.size() << " bytes\n";
    if (!file || !manifest) {
      std::cerr << "cannot write " << path.string() << "\n";
      return 1;
    }
  }
  return 0;
}
