#include "output/new_file.hpp"

namespace floe::cli {

void write_new_file(const std::string& file, bool overwrite, const std::function<void(OutputFile&)>& write) {
  const InputFile nothing = InputFile::open("/dev/null", true);
  OutputFile output({file, true, overwrite}, nothing);
  write(output);
  output.finish();
  output.commit(nothing, false);
}

}  // namespace floe::cli
