# cmake -DFILES=a.toml,b.toml -DOUTPUT=shipped.cc -P EmbedMachines.cmake: writes the texts of machine
# files into a C++ source.
string(REPLACE "," ";" FILES "${FILES}")
set(entries "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WLE)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"toml(${text})toml\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// SPDX-License-Identifier: Apache-2.0
#include \"einsummable/topology/shipped.h\"

namespace einsummable {
namespace {

constexpr ShippedMachine kMachines[] = {
${entries}};

}  // namespace

std::span<const ShippedMachine> shipped_machines() { return kMachines; }

}  // namespace einsummable
")
