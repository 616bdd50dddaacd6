// SPDX-License-Identifier: Apache-2.0
#include "einsummable/graph/index_classes.h"

#include <gtest/gtest.h>

namespace einsummable {
namespace {

// A graph with each operator's usual signature.
struct Fixture {
  Graph g;
  std::vector<std::shared_ptr<const Signature>> signatures;

  IndexClasses classes() {
    signatures.clear();
    for (const GraphOp& op : g.ops()) {
      signatures.push_back(std::make_shared<const Signature>(op.op->signatures().front()));
    }
    return IndexClasses(g, signatures);
  }
  OpId op(std::string_view name) const { return g.find_op(name); }
  size_t index(std::string_view op, std::string_view name) const {
    const int32_t at = find_index(*signatures[g.find_op(op).index()], name);
    EXPECT_GE(at, 0) << op << " has no index " << name;
    return static_cast<size_t>(at);
  }
  bool together(IndexClasses& classes, std::string_view a, std::string_view i, std::string_view b,
                std::string_view j) const {
    return classes.together(op(a), index(a, i), op(b), index(b, j));
  }
};

TEST(IndexClasses, JoinIndicesThatMeetOnAnEdge) {
  Fixture f;
  const TensorId x = f.g.input(DType::f32, {4, 6}), w = f.g.input(DType::f32, {6, 8});
  const TensorId y = f.g.apply("matmul", {x, w}, {}, "first")[0];
  f.g.apply("matmul", {y, f.g.input(DType::f32, {8, 2})}, {}, "second");
  IndexClasses classes = f.classes();
  EXPECT_TRUE(f.together(classes, "first", "i", "second", "i"));
  EXPECT_TRUE(f.together(classes, "first", "k", "second", "j"));
  EXPECT_FALSE(f.together(classes, "first", "k", "second", "i"));
  EXPECT_FALSE(f.together(classes, "first", "j", "second", "j"));
}

// 12 columns, 6 query heads of 2, 3 KV heads: one class through a reshape and grouped heads.
TEST(IndexClasses, JoinColumnsHeadsAndGroupedHeads) {
  Fixture f;
  const TensorId x = f.g.input(DType::f32, {4, 8}), w = f.g.input(DType::f32, {8, 12});
  const TensorId flat = f.g.apply("matmul", {x, w}, {}, "project")[0];
  const TensorId rows = f.g.apply("reshape", {flat}, {{"shape", Shape{4, 6, 2}}}, "split")[0];
  const TensorId q = f.g.apply("transpose", {rows}, {{"axes", Shape{1, 0, 2}}}, "heads")[0];
  const TensorId kv = f.g.input(DType::f32, {3, 4, 2});
  f.g.apply("attention", {q, kv, kv}, {}, "attention");
  IndexClasses classes = f.classes();
  const Signature& attention = *f.signatures[f.op("attention").index()];
  const auto heads = static_cast<size_t>(attention.inputs[1].axes[0].terms[0].index);
  const size_t k = f.index("project", "k");
  EXPECT_TRUE(classes.together(f.op("project"), k, f.op("attention"), heads));

  using Offers = std::vector<Cuts>;
  EXPECT_EQ(classes.offers(f.op("attention"), heads, 2), (Offers{{0, 1, 3}}));
  // Near-equal columns; KV heads cut at 1 of 3; the 6 query heads give {0, 6, 12} again.
  EXPECT_EQ(classes.offers(f.op("project"), k, 2), (Offers{{0, 6, 12}, {0, 4, 12}}));
  EXPECT_EQ(classes.offers(f.op("project"), k, 3), (Offers{{0, 4, 8, 12}}));
  EXPECT_EQ(classes.offers(f.op("attention"), heads, 4), Offers{});
}

TEST(IndexClasses, SlicesAndExtentsOfOneJoinNothing) {
  Fixture f;
  const TensorId x = f.g.input(DType::f32, {8, 1});
  const TensorId a = f.g.apply("exp", {x}, {}, "a")[0];
  const TensorId part =
      f.g.apply("slice", {a}, {{"starts", Shape{2, 0}}, {"stops", Shape{8, 1}}}, "part")[0];
  f.g.apply("exp", {part}, {}, "b");
  IndexClasses classes = f.classes();
  const size_t first = f.index("a", "i0");
  EXPECT_FALSE(classes.together(f.op("a"), first, f.op("b"), f.index("b", "i0")));
}

TEST(IndexClasses, OfEqualLayersShareATypeAndOffers) {
  Fixture f;
  TensorId x = f.g.input(DType::f32, {8, 8});
  for (const char* name : {"one", "two", "three"}) {
    x = f.g.apply("matmul", {x, f.g.parameter(DType::f32, {8, 8})}, {}, name)[0];
  }
  IndexClasses classes = f.classes();
  EXPECT_EQ(classes.type(f.op("one"), 0), classes.type(f.op("three"), 0));
  EXPECT_EQ(classes.offers(f.op("one"), 0, 4), classes.offers(f.op("three"), 0, 4));
}

// Cuts that suit one index are not offered to another that they leave out of balance.
TEST(IndexClasses, OfferNoCutsOutOfBalance) {
  Fixture f;
  const TensorId x = f.g.input(DType::f32, {1, 100, 4});
  const TensorId q = f.g.apply("exp", {x}, {}, "before")[0];
  f.g.apply("attention", {q, q, q}, {{"ends", Shape{3, 100}}}, "attention");
  IndexClasses classes = f.classes();
  EXPECT_TRUE(classes.offers(f.op("attention"), f.index("attention", "s"), 2).empty());
  EXPECT_EQ(classes.offers(f.op("before"), f.index("before", "i1"), 2),
            (std::vector<Cuts>{{0, 50, 100}}));
}

}  // namespace
}  // namespace einsummable
