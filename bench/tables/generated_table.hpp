// What becomes of the generated table GEN1, as CSV text and as columns in memory? Prints ratios, speeds and
// what planning adds. And how fast are tables of one or two columns?
#pragma once

namespace floe::bench {

void generated_table();
void generated_columns();
void few_columns();

}  // namespace floe::bench
