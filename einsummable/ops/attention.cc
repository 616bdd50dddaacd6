// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention. With g query heads a KV head, query head a attends to KV head a /
// g:
//   score[a, i, j] = scale * sum over d of q[a, i, d] * k[a / g, j, d] + mask[a, i, j]
//   y[a, i, e] = sum over j of exp(score[a, i, j] - lse[a, i]) * v[a / g, j, e]
//   lse[a, i] = log of the sum over j of exp(score[a, i, j])
// over the keys j that `ends` and `causal` let row i see. A key of score -inf has weight zero and
// is left out as those are, whatever v holds there; a row without keys gives y = 0, lse = -inf.

#include <cmath>
#include <limits>
#include <numeric>

#include "einsummable/base/checked.h"
#include "einsummable/base/text.h"
#include "einsummable/ops/operator.h"
#include "einsummable/ops/visible_keys.h"

namespace einsummable {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// How a signature names the rows of q and the keys; "1" is a whole axis without an index.
struct AxisNames {
  std::string rows, keys;
};

class Attention final : public Operator {
 public:
  explicit Attention(const OperatorCall& call)
      : Operator("attention", call, infer(call)), visible_(visible_keys(call)) {
    const int64_t heads_kv = inputs()[1].extent(-3), d = inputs()[0].extent(-1);
    group_ = heads_kv == 0 ? 1 : inputs()[0].extent(-3) / heads_kv;
    scale_ = call.attributes.has("scale")
                 ? call.attributes.real("scale")
                 : 1 / std::sqrt(static_cast<double>(std::max(d, int64_t{1})));
  }

  // Batch axes and KV heads may be cut anywhere, query heads follow, and packed sequences are cut
  // between sequences. `query` cuts rows anywhere, each block reading the keys it sees; `key` cuts
  // the keys anywhere and merges by log-sum-exp.
  std::vector<Signature> signatures() const override { return {usual(), query(), key()}; }

  PartialType partial(size_t output) const override {
    if (output == 1) return partial_of(outputs()[1], Merge::log_sum_exp);
    PartialType partial = partial_of(outputs()[0], Merge::weighted_mean);
    Component lse = {"lse", partial.components[0].dtype, partial.components[0].axes};
    lse.axes.pop_back();
    partial.components.push_back(std::move(lse));
    return partial;
  }

  double flops(const FunctionSpec& cell) const override {
    const Box& q = cell.inputs[0];
    const Box& v = cell.inputs[2];
    double heads = 1;
    for (size_t i = 0; i + 2 < q.size(); ++i) heads *= static_cast<double>(q[i].length());
    const auto width = static_cast<double>(q.back().length() + v.back().length());
    return 2 * heads * width * visible_.pairs(q[q.size() - 2], v[v.size() - 2]);
  }

  // Heads of all batches, rows, width.
  KernelShape kernel_shape(const FunctionSpec& cell) const override {
    const Shape out = shape_of(cell.outputs[0]);
    int64_t heads = 1;
    for (size_t i = 0; i + 2 < out.size(); ++i) heads = checked_multiply(heads, out[i]);
    return {name(), {heads, out[out.size() - 2], out.back()}};
  }

  void reference(const FunctionSpec& cell, std::span<const Array64> in,
                 std::span<Array64> out) const override {
    Box rows = cell.outputs[0];
    const Interval columns = rows.back();
    rows.pop_back();
    std::vector<double> value(static_cast<size_t>(columns.length()));
    for_each_position(rows, [&](std::span<const int64_t> row) {
      const double lse = attend(row, cell, in, value);
      std::vector<int64_t> at(row.begin(), row.end());
      out[1].at(at) = lse;
      if (out.size() > 2) out[2].at(at) = lse;
      at.push_back(columns.lo);
      for (double element : value) {
        out[0].at(at) = element;
        ++at.back();
      }
    });
  }

 private:
  static VisibleKeys visible_keys(const OperatorCall& call) {
    VisibleKeys visible{.causal = call.attributes.boolean("causal"),
                        .rows = call.inputs[0].extent(-2),
                        .keys = call.inputs[1].extent(-2)};
    if (call.attributes.has("ends")) visible.ends = call.attributes.integers("ends");
    return visible;
  }

  static std::vector<TensorType> infer(const OperatorCall& call);
  static void check_ends(const OperatorCall& call);
  static void check_mask(const OperatorCall& call);

  Signature parse(const AxisNames& names) const;
  Signature usual() const;
  Signature query() const;
  Signature key() const;

  double attend(std::span<const int64_t> row, const FunctionSpec& cell, std::span<const Array64> in,
                std::vector<double>& value) const;

  VisibleKeys visible_;
  int64_t group_ = 1;
  double scale_ = 1;
};

std::vector<TensorType> Attention::infer(const OperatorCall& call) {
  const TensorType &q = call.inputs[0], &k = call.inputs[1], &v = call.inputs[2];
  require(q.rank() >= 3 && k.rank() == q.rank() && v.rank() == q.rank(),
          "q, k and v need equally many axes, three or more: [..., heads, s, d]");
  for (int64_t axis = 0; axis < q.rank() - 3; ++axis) {
    require(q.extent(axis) == k.extent(axis) && q.extent(axis) == v.extent(axis),
            "the axes before heads must agree in q, k and v");
  }
  const int64_t heads_q = q.extent(-3), heads_kv = k.extent(-3);
  require(heads_kv == v.extent(-3), "k and v must have equally many heads");
  require(heads_q > 0 || heads_kv == 0,
          "q must have heads, as k and v have " + std::to_string(heads_kv));
  require(heads_kv == 0 ? heads_q == 0 : heads_q % heads_kv == 0,
          "the heads of k and v (" + std::to_string(heads_kv) + ") must divide the heads of q (" +
              std::to_string(heads_q) + ")");
  require(q.extent(-1) == k.extent(-1), "the last extent of q (" + std::to_string(q.extent(-1)) +
                                            ") must equal that of k (" +
                                            std::to_string(k.extent(-1)) + ")");
  require(k.extent(-2) == v.extent(-2),
          "the next to last extent of k (" + std::to_string(k.extent(-2)) +
              ") must equal that of v (" + std::to_string(v.extent(-2)) + ")");
  if (call.attributes.has("scale")) {
    require(std::isfinite(call.attributes.real("scale")), "scale must be finite");
  }
  check_ends(call);
  check_mask(call);
  Shape y = q.shape();
  y.back() = v.extent(-1);
  std::vector<TensorType> outputs = {tensor_type(q.dtype, y)};
  if (call.attributes.boolean("return_lse")) {
    y.pop_back();
    outputs.push_back(tensor_type(accumulation(q.dtype), y));
  }
  return outputs;
}

void Attention::check_ends(const OperatorCall& call) {
  if (!call.attributes.has("ends")) return;
  const std::vector<int64_t>& ends = call.attributes.integers("ends");
  const int64_t rows = call.inputs[0].extent(-2), keys = call.inputs[1].extent(-2);
  require(rows == keys, "with ends, q and k must be equally long; they have " +
                            std::to_string(rows) + " and " + std::to_string(keys) + " rows");
  const bool rising = std::ranges::adjacent_find(ends, std::greater_equal<>()) == ends.end();
  const bool complete = ends.empty() ? rows == 0 : ends.front() > 0 && ends.back() == rows;
  require(rising && complete,
          "ends must be positive and strictly rising, the last the length of q and k (" +
              std::to_string(rows) + "); they are " + text(std::span(ends)));
}

void Attention::check_mask(const OperatorCall& call) {
  if (call.inputs.size() < 4) return;
  const DType dtype = call.inputs[3].dtype;
  const std::string& name = call.name(3);
  require(is_float(dtype), name +
                               " must be a float, as it is added to the scores; of a mask that " +
                               "says what is seen give where(" + name +
                               (dtype == DType::boolean ? "" : " != 0") + ", 0.0, -inf)");
  const Shape mask = call.inputs[3].shape();
  Shape scores = call.inputs[0].shape();
  scores.back() = call.inputs[1].extent(-2);
  bool fits = mask.size() <= scores.size();
  for (size_t i = 0; fits && i < mask.size(); ++i) {
    const int64_t extent = scores[scores.size() - mask.size() + i];
    fits = mask[i] == 1 || mask[i] == extent;
  }
  require(fits, "the shape of " + name + " must broadcast to the scores, " +
                    text(std::span<const int64_t>(scores)));
}

Signature Attention::parse(const AxisNames& names) const {
  const auto rank = static_cast<size_t>(inputs()[0].rank());
  std::vector<std::string> batch;
  for (size_t i = 0; i + 3 < rank; ++i) batch.push_back("batch" + std::to_string(i));
  const auto operand = [&](std::initializer_list<std::string> axes) {
    std::vector<std::string> all = batch;
    all.insert(all.end(), axes);
    return all;
  };
  const std::string heads = std::to_string(group_) + "h";
  std::vector<std::string> left = {join(operand({heads, names.rows, "d*"}), " "),
                                   join(operand({"h", names.keys, "d*"}), " "),
                                   join(operand({"h", names.keys, "e*"}), " ")};
  if (inputs().size() > 3) {
    std::vector<std::string> mask = operand({heads, names.rows, names.keys});
    mask.erase(mask.begin(), mask.end() - inputs()[3].rank());
    for (size_t i = 0; i < mask.size(); ++i) {
      if (inputs()[3].extent(static_cast<int64_t>(i)) == 1) mask[i] = "1";
    }
    left.push_back(join(mask, " "));
  }
  std::vector<std::string> right = {join(operand({heads, names.rows, "e*"}), " "),
                                    join(operand({heads, names.rows}), " ")};
  right.resize(outputs().size());
  std::vector<Shape> in, out;
  for (const TensorType& type : inputs()) in.push_back(type.shape());
  for (const TensorType& type : outputs()) out.push_back(type.shape());
  return parse_notation(join(left, ", ") + " -> " + join(right, ", "), in, out);
}

Signature Attention::usual() const {
  if (visible_.ends.empty()) return parse({"s*", "t*"});
  Signature signature = parse({"s", "s"});
  Index& s = signature.indices[static_cast<size_t>(find_index(signature, "s"))];
  s.cut = Index::Cut::at_ends;
  s.ends = visible_.ends;
  s.work = {Work::Kind::segments, visible_.ends};
  return signature;
}

Signature Attention::query() const {
  Signature signature = parse({"q", "1"});
  signature.name = "query";
  const int32_t q = find_index(signature, "q");
  Work& work = signature.indices[static_cast<size_t>(q)].work;
  if (visible_.causal) {
    work = {Work::Kind::causal, visible_.ends, visible_.offset()};
  } else if (!visible_.ends.empty()) {
    work = {Work::Kind::segments, visible_.ends};
  } else {
    return signature;  // every row reads all keys
  }
  AxisMap keys = {.terms = {{q}}, .extent = visible_.keys, .floor_at = visible_.starts()};
  if (visible_.causal) {
    keys.shift = visible_.offset();
  } else {
    keys.ceiling_at = visible_.ends;
  }
  for (size_t i = 1; i < signature.inputs.size(); ++i) {
    std::vector<AxisMap>& axes = signature.inputs[i].axes;
    if (i < 3) {
      axes[axes.size() - 2] = keys;
    } else if (!axes.empty() && axes.back().extent == visible_.keys) {
      axes.back() = keys;
    }
  }
  return signature;
}

Signature Attention::key() const {
  Signature signature = parse({"s*", "k"});
  signature.name = "key";
  Work& work = signature.indices[static_cast<size_t>(find_index(signature, "k"))].work;
  if (visible_.causal) {
    work = {Work::Kind::causal_keys, visible_.ends, visible_.offset()};
  } else if (!visible_.ends.empty()) {
    work = {Work::Kind::segments, visible_.ends};
  }
  return signature;
}

// Fills `value` with y of one row [..., head, i] over the keys of the cell; gives its lse.
double Attention::attend(std::span<const int64_t> row, const FunctionSpec& cell,
                         std::span<const Array64> in, std::vector<double>& value) const {
  const size_t rank = row.size() + 1;
  std::vector<int64_t> q(row.begin(), row.end()), k = q, mask = q;
  k[rank - 3] /= group_;
  for (std::vector<int64_t>* position : {&q, &k, &mask}) position->push_back(0);
  if (in.size() > 3) mask.erase(mask.begin(), mask.end() - in[3].rank());
  for (size_t i = 0; i < mask.size(); ++i) {
    if (in.size() > 3 && inputs()[3].extent(static_cast<int64_t>(i)) == 1) mask[i] = 0;
  }
  const bool key_masks = in.size() > 3 && in[3].rank() > 0 && inputs()[3].extent(-1) != 1;
  const Interval keys = intersect(visible_.of_row(row.back()), cell.inputs[1][rank - 2]);
  const Interval depth = cell.inputs[0].back(), columns = cell.inputs[2].back();

  std::vector<double> scores;
  double most = -kInfinity;
  for (int64_t j = keys.lo; j < keys.hi; ++j) {
    k[rank - 2] = j;
    double dot = 0;
    for (q.back() = depth.lo; q.back() < depth.hi; ++q.back()) {
      k.back() = q.back();
      dot += in[0].at(q) * in[1].at(k);
    }
    if (key_masks) mask.back() = j;
    scores.push_back(scale_ * dot + (in.size() > 3 ? in[3].at(mask) : 0));
    most = std::max(most, scores.back());
  }

  std::ranges::fill(value, 0);
  double total = 0;
  for (int64_t j = keys.lo; j < keys.hi; ++j) {
    const double score = scores[static_cast<size_t>(j - keys.lo)];
    if (score == -kInfinity) continue;
    const double weight = std::exp(score - most);
    total += weight;
    k[rank - 2] = j;
    for (k.back() = columns.lo; k.back() < columns.hi; ++k.back()) {
      value[static_cast<size_t>(k.back() - columns.lo)] += weight * in[2].at(k);
    }
  }
  if (total == 0) return -kInfinity;
  for (double& element : value) element /= total;
  return most + std::log(total);
}

// Positions of the ends of up to four sequences that fill `length` rows.
std::vector<int64_t> random_ends(Random& random, int64_t length) {
  std::vector<int64_t> ends;
  for (int64_t end = 0; end < length;) {
    const int64_t left = length - end;
    end += ends.size() == 3 ? left : 1 + random_below(random, left);
    ends.push_back(end);
  }
  return ends;
}

Sample sample(Random& random) {
  const Shape batch = random_shape(random, random_below(random, 3));
  const int64_t heads_kv = random_extent(random), group = 1 + random_below(random, 4);
  const int64_t d = random_extent(random), columns = random_extent(random);
  const int64_t keys = random_extent(random);
  const bool packed = random() % 2;
  const int64_t rows = packed || random() % 2 ? keys : random_extent(random);
  const auto shape = [&](std::initializer_list<int64_t> last) {
    Shape all = batch;
    all.insert(all.end(), last);
    return all;
  };
  Sample sample;
  std::vector<TensorType>& inputs = sample.call.inputs;
  inputs = {tensor_type(DType::f32, shape({group * heads_kv, rows, d})),
            tensor_type(DType::f32, shape({heads_kv, keys, d})),
            tensor_type(DType::f32, shape({heads_kv, keys, columns}))};
  if (random() % 2) {
    Shape mask = shape({group * heads_kv, rows, keys});
    mask.erase(mask.begin(), mask.begin() + random_below(random, std::ssize(mask) + 1));
    for (int64_t& extent : mask) {
      if (random() % 3 == 0) extent = 1;
    }
    inputs.push_back(tensor_type(DType::f32, mask));
  }
  Attributes& attributes = sample.call.attributes;
  if (packed) attributes.set("ends", random_ends(random, keys));
  attributes.set("causal", random() % 2 == 0);
  if (random() % 2) attributes.set("scale", 0.25);
  attributes.set("return_lse", random() % 2 == 0);
  return sample;
}

}  // namespace

OperatorInfo attention_operator() {
  return {
      .name = "attention",
      .doc =
          "Scaled dot-product attention: softmax(scale q k^T + mask) v, with fewer heads in k "
          "and v than in q if these divide them, over packed sequences that end at `ends`, "
          "causal aligned at the end; a mask is of floats, -inf where nothing is seen; lse is the "
          "log of the sum of the exponentials.",
      .inputs = {{"q", Promotion::floating},
                 {"k", Promotion::floating},
                 {"v", Promotion::floating},
                 {"mask", Promotion::floats, InputInfo::Arity::optional}},
      .attributes = {{"ends", AttributeKind::integers},
                     {"causal", AttributeKind::boolean, false},
                     {"scale", AttributeKind::real},
                     {"return_lse", AttributeKind::boolean, false}},
      .outputs = {"y", "lse"},
      .make = [](const OperatorCall& call) -> std::unique_ptr<const Operator> {
        return std::make_unique<Attention>(call);
      },
      .sample = sample,
  };
}

}  // namespace einsummable
