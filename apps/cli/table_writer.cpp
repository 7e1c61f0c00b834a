#include "table_writer.hpp"

#include "series_commands.hpp"

namespace floe::cli {

TableWriter::TableWriter(const SeriesArguments& arguments, std::string file, Take take,
                         const std::function<void(tables::TableOptions&)>& change,
                         tables::StreamEncoder* streams)
    : file_(std::move(file)), sink_(std::move(take)) {
  tables::TableOptions options = table_options(arguments, file_);
  options.on_unfit_tree = [this, &arguments](const tables::UnfitTree& unfit) {
    unfit_tree_ = unfit_tree_text(arguments, unfit);
  };
  if (change) change(options);
  Result<tables::TableCompressor> compressor =
      tables::TableCompressor::create(sink_.sink(), std::move(options), streams);
  if (!compressor) throw library_failure(file_, compressor.status());
  compressor_ = std::move(*compressor);
}

void TableWriter::check(const Status& status) {
  if (!status.ok() && !unfit_tree_.empty()) throw Failure(ExitCode::error, file_, unfit_tree_);
  sink_.check(status, file_);
}

void write_new_file(const std::string& file, bool overwrite, const std::function<void(OutputFile&)>& write) {
  const InputFile nothing = InputFile::open("/dev/null", true);
  OutputFile output({file, true, overwrite}, nothing);
  write(output);
  output.finish();
  output.commit(nothing, false);
}

}  // namespace floe::cli
