// The texts of `floe series --help`.
#include "arguments/help_texts.hpp"

namespace floe::cli {
namespace {

constexpr const char* csv_help =
    "CSV text comes back byte by byte, with whatever stands in it. Types come from a header file (a line\n"
    "name,type,precision for each column; types time char short int unsigned float double bool and those\n"
    "of floe), else they are those that the cells seem to have.\n"
    "Binary records (-f bin) need a header file.\n";

}  // namespace

HelpText series_help() {
  return {
      "floe series: tables of time series, CSV text or binary records, with options that a thesis defined",
      "floe series COMMAND [OPTIONS] [FILE...]      (floe series COMMAND --help says more)\n"
      "       floe series -c|-d|-g [OPTIONS] [INPUT [OUTPUT]]\n\n"
      "It does what floe does, and writes and reads the same files; -f and -h mean something else.\n\n"
      "Commands:\n"
      "  compress                 Write FILE.floe for each FILE, a table\n"
      "  decompress               Write FILE for each FILE.floe, or only some columns or rows of it\n"
      "  inspect                  Say what compressed files hold, and how each column is encoded\n"
      "  plan                     Say how the columns of a table would be encoded, and why\n"
      "  generate                 Write a table of random series to try it with\n"
      "  calibrate                Measure how long encodings take on this machine",
      std::string(csv_help) + tree_help + size_help, "--help"};
}

HelpText series_help_of(Command command) {
  switch (command) {
    case Command::compress:
      return {"floe series compress: writes FILE.floe for each FILE and keeps FILE",
              "floe series compress [OPTIONS] [FILE...]",
              std::string(csv_help) + tree_help + size_help +
                  "\nExamples:\n"
                  "  floe series compress sensors.csv\n"
                  "  floe series compress -f bin -h record.inf -p 4 -o log.floe log.bin\n"
                  "  floe series compress --tree voltage=delta,entropy sensors.csv\n"
                  "  gunzip < trades.csv.gz | floe series compress > trades.floe\n",
              "--help"};
    case Command::decompress:
      return {"floe series decompress: writes FILE for each FILE.floe and keeps FILE.floe",
              "floe series decompress [OPTIONS] [FILE...]",
              std::string("The text or the records come back as they were. --columns and --rows give text, "
                          "with a row of names.\n") +
                  size_help +
                  "\nExamples:\n"
                  "  floe series decompress sensors.csv.floe\n"
                  "  floe series decompress --columns time,voltage --rows 5000:100 -o - sensors.csv.floe\n",
              "--help"};
    case Command::inspect:
      return {"floe series inspect: as floe inspect", "floe series inspect [OPTIONS] FILE...", "", "--help"};
    case Command::generate:
      return {
          "floe series generate: writes a table of random series, the same on every machine, and its header "
          "file",
          "floe series generate [OPTIONS] [ROWS]",
          "Without -o the files are sample_data/generated.csv and sample_data/generated.inf.\n", "--help"};
    case Command::calibrate:
      return {
          "floe series calibrate: measures how long every encoding takes on this machine, in some seconds",
          "floe series calibrate [OPTIONS]",
          "Printed beside the times that are built in, in picoseconds per word. With -o also as a file for "
          "--times: compress and plan\n"
          "then weigh time as on this machine. Without --times bytes never depend on the machine.\n"
          "\nExamples:\n"
          "  floe series calibrate -o times.csv\n"
          "  floe series compress --times times.csv --decode-speed 2 sensors.csv\n",
          "--help"};
    case Command::plan:
      return {"floe series plan: as floe plan, for tables", "floe series plan [OPTIONS] [FILE...]",
              std::string(csv_help) + tree_help + size_help +
                  "\nExamples:\n"
                  "  floe series plan sensors.csv\n"
                  "  floe series plan --picture sensors.html --segment-rows 65536 sensors.csv\n",
              "--help"};
    default:
      return {};
  }
}

}  // namespace floe::cli
