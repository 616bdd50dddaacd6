// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "einsummable/ops/attributes.h"
#include "einsummable/spec/join_agg_spec.h"
#include "einsummable/tensor/array64.h"
#include "einsummable/tensor/partial_type.h"
#include "einsummable/tensor/tensor_type.h"

namespace einsummable {

// What an operator is applied to: types, attributes, and the names the user gave the inputs, for
// messages. The registry has checked the number of inputs and the kinds of the attributes, and
// filled in defaults and missing names; dtypes are promoted already.
struct OperatorCall {
  std::vector<TensorType> inputs;
  Attributes attributes;
  std::vector<std::string> names = {};  // one an input

  // The user's name of input i, or the operator's own word for it.
  const std::string& name(size_t i) const { return names[i]; }
};

// A block in some array: element x lies at offset + sum of x[i] * strides[i].
struct StridedLayout {
  int64_t offset = 0;
  Shape shape;
  std::vector<int64_t> strides;

  bool operator==(const StridedLayout&) const = default;
};

// By what a machine states how near kernels come to its peak: a kind of kernel and a shape. Of a
// product of two operands that is "matmul" and {m, k, n}, of attention {heads, rows, width}.
struct KernelShape {
  std::string_view kind;
  Shape extents;
};

// An abstract operator (Definition 3.3) applied to inputs of known types. It knows its types, the
// ways it can be cut, how partial results merge, and its result in float64; it knows nothing of
// devices, plans or executors. Immutable.
class Operator {
 public:
  virtual ~Operator() = default;

  const std::string& name() const { return name_; }
  const Attributes& attributes() const { return attributes_; }
  const std::vector<TensorType>& inputs() const { return inputs_; }
  const std::vector<TensorType>& outputs() const { return outputs_; }

  // The ways to cut it, in order of preference: the usual one; then any that is only for when the
  // ones before it cannot give p (attention's `query` and `key`). Each is complete in itself.
  virtual std::vector<Signature> signatures() const = 0;

  // How the partial results of an output merge where a missing index is cut. Default: a sum.
  virtual PartialType partial(size_t output) const {
    return partial_of(outputs()[output], Merge::sum);
  }

  // Whether each output element is a function of the input elements at its own, broadcast,
  // position: runs of such operators become one kernel.
  virtual bool elementwise() const { return false; }

  // The output block of a cell as a view of its only input block, if it is one: what makes layout
  // operators cost nothing. `input` is where the input block lies.
  virtual std::optional<StridedLayout> view(const FunctionSpec& /*cell*/,
                                            const StridedLayout& /*input*/) const {
    return std::nullopt;
  }

  // Floating point operations of one cell: from its blocks, never from extents of indices.
  virtual double flops(const FunctionSpec& cell) const = 0;

  // Default: the operator's name and the shape of its first output block.
  virtual KernelShape kernel_shape(const FunctionSpec& cell) const {
    return {name(), shape_of(cell.outputs[0])};
  }

  // The concrete operator f[F] in float64 (Definition 3.5): `in` holds the input blocks of the
  // cell; `out` the components of each output's partial type, output after output, to be filled.
  // Blocks are addressed in the coordinates of whole tensors. Throws InputError for values out of
  // range (ids).
  virtual void reference(const FunctionSpec& cell, std::span<const Array64> in,
                         std::span<Array64> out) const = 0;

  // The same of an operator whose inputs and outputs are ints or bools, in int64: exact, sums and
  // products wrapping. The default computes by `reference`, so it is exact below 2^53 only.
  virtual void integer_reference(const FunctionSpec& cell, std::span<const IntegerArray> in,
                                 std::span<IntegerArray> out) const;

 protected:
  // `outputs` are what the constructor inferred; see `require` for what it throws.
  Operator(std::string name, const OperatorCall& call, std::vector<TensorType> outputs)
      : name_(std::move(name)),
        attributes_(call.attributes),
        inputs_(call.inputs),
        outputs_(std::move(outputs)) {}

 private:
  std::string name_;
  Attributes attributes_;
  std::vector<TensorType> inputs_, outputs_;
};

// The kernel shape of a product of two operands: m, k and n follow from the sizes of its blocks,
// m * k, k * n and m * n, each times a batch, and from its 2 * batch * m * k * n flops.
KernelShape product_shape(const FunctionSpec& cell, double flops);

// Throws GraphError(message) unless `condition` holds. The graph puts the operator, the user's
// names and the shapes before the message, so the message says only what would be legal.
void require(bool condition, const std::string& message);

// Throws GraphError unless an element of `dtype` can hold `value`: any number if it is a float, an
// integer in range if it is an int, 0 or 1 if it is a bool.
void require_representable(DType dtype, double value);

// How an operator treats the dtype of one input before it is made.
enum class Promotion : uint8_t {
  none,      // taken as it is
  common,    // cast to the dtype that all `common` inputs meet in
  floating,  // the same, and ints become float32
  floats,    // the same of floats; others are left, for the operator to refuse
};

struct InputInfo {
  std::string_view name;
  Promotion promotion = Promotion::common;
  enum class Arity : uint8_t { one, optional, variadic } arity = Arity::one;  // variadic: 1 or more
};

struct AttributeInfo {
  std::string_view name;
  AttributeKind kind;
  Attribute default_value = None{};
  bool required = false;
};

// Values an input may hold in a random test: any; or integers of [0, below); or probabilities, ...
struct Domain {
  enum class Kind : uint8_t { any, positive, ids } kind = Kind::any;
  int64_t below = 0;  // of ids
};

// A random legal call, for the conformance tests.
struct Sample {
  OperatorCall call;
  std::vector<Domain> domains = {};  // one an input; empty: any
};

using Random = std::mt19937_64;

// The registry's entry of an operator: all that Python, docs and tests need to offer it.
struct OperatorInfo {
  std::string_view name;
  std::string_view doc;  // one sentence, with the formula
  std::vector<InputInfo> inputs = {};
  std::vector<AttributeInfo> attributes = {};
  std::vector<std::string_view> outputs = {"y"};
  // Infers types, checks, builds. Throws GraphError through `require`.
  std::function<std::unique_ptr<const Operator>(const OperatorCall& call)> make = {};
  // A random legal call: extents with primes, ones and now and then a zero; every attribute at
  // every value sooner or later.
  std::function<Sample(Random& random)> sample = {};
};

// Extents for samples: 1 to 12 with many primes, 0 about once in 30; and a shape of such.
int64_t random_extent(Random& random);
Shape random_shape(Random& random, int64_t rank);
int64_t random_below(Random& random, int64_t n);  // uniform in [0, n)

// `axis` counted from the front: -1 is rank - 1. Throws GraphError naming the legal range.
int64_t normalise_axis(int64_t axis, int64_t rank);
// The axes, sorted; all of them if the attribute is None. Throws GraphError for one given twice.
std::vector<int64_t> normalise_axes(const Attributes& attributes, std::string_view name,
                                    int64_t rank);

}  // namespace einsummable
