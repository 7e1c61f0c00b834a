// Writes the golden files that do not exist yet, and their rows in the manifests: make_golden tests/golden.
// Existing files are never written again.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/golden/array_cases.hpp"
#include "tests/golden/table_cases.hpp"

namespace {

namespace fs = std::filesystem;
using floe::test::GoldenCase;

bool write_missing(const fs::path& root, const std::vector<GoldenCase>& cases) {
  for (const GoldenCase& golden : cases) {
    const fs::path folder = root / golden.folder(), path = folder / golden.file();
    if (fs::exists(path)) continue;
    fs::create_directories(path.parent_path());
    const fs::path manifest_path = folder / "manifest.csv";
    const bool is_new = !fs::exists(manifest_path);
    const std::vector<std::byte> frame = golden.compress(golden.content()),
                                 content = floe::test::restored(frame).value();
    std::ofstream file(path, std::ios::binary), manifest(manifest_path, std::ios::app);
    file.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(frame.size()));
    if (is_new) manifest << floe::test::manifest_columns << '\n';
    manifest << floe::test::manifest_row(golden, content, frame);
    std::cout << path.string() << ": " << content.size() << " to " << frame.size() << " bytes\n";
    if (!file || !manifest) {
      std::cerr << "cannot write " << path.string() << "\n";
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_golden FOLDER\n";
    return 2;
  }
  return write_missing(argv[1], floe::test::golden::array_cases()) &&
                 write_missing(argv[1], floe::test::golden::table_cases())
             ? 0
             : 1;
}
