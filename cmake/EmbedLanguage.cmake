# cmake -DPAGE=docs/exprog.md -DOUTPUT=language.cc -P EmbedLanguage.cmake: writes the part of the page
# that describes the language, from its first heading to that of naive programs, into a C++ source.
file(READ ${PAGE} text)
string(FIND "${text}" "## State and actions" begin)
string(FIND "${text}" "## Naive programs" end)
if(begin EQUAL -1 OR end LESS begin)
  message(FATAL_ERROR "${PAGE} lacks the headings between which it describes the language")
endif()
math(EXPR length "${end} - ${begin}")
string(SUBSTRING "${text}" ${begin} ${length} text)
file(WRITE ${OUTPUT} "// SPDX-License-Identifier: Apache-2.0
#include \"einsummable/exchange/language.h\"

namespace einsummable::exchange {

std::string_view language_page() {
  return R\"page(${text})page\";
}

}  // namespace einsummable::exchange
")
