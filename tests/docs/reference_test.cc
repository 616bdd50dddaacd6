// SPDX-License-Identifier: Apache-2.0
// docs/operators.md and docs/functions.md are what the registry gives.
#include "tests/docs/page.h"
#include "tests/docs/reference_pages.h"

namespace einsummable {
namespace {

TEST(Reference, OperatorsAreThoseOfTheRegistry) {
  EXPECT_TRUE(page_is("docs/operators.md", operators_page()));
}

TEST(Reference, FunctionsAreThoseOfTheRegistry) {
  EXPECT_TRUE(page_is("docs/functions.md", functions_page()));
}

}  // namespace
}  // namespace einsummable
