// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "einsummable/base/error.h"

namespace einsummable {

// Text that does not parse; `what()` starts with "line L, column C: ".
class SyntaxError : public Error {
 public:
  SyntaxError(int line, int column, const std::string& what)
      : Error("line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what),
        line_(line),
        column_(column) {}

  int line() const { return line_; }
  int column() const { return column_; }

 private:
  int line_, column_;
};

}  // namespace einsummable
