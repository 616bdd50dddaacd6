// SPDX-License-Identifier: Apache-2.0
// What generated kernels are written with, after the words. It includes nothing, so that NVRTC needs
// no folder of headers.

// Every element below `count`, spread over the threads of all blocks.
#define ES_LOOP(i, count)                                                              \
  for (long long i = block_index() * thread_count() + thread_index(); i < (count);     \
       i += block_count() * thread_count())

// Elements in memory that have no arithmetic of their own.
struct Half {
  unsigned short bits;
};
struct Bfloat {
  unsigned short bits;
};
struct Boolean {
  unsigned char value;
};

// What a kernel that checks ids found first: one out of range, and where.
struct Fault {
  long long found, position, value;
};

template <class F>
ES_DEVICE F infinity() {
  return static_cast<F>(float_of(0x7f800000u));
}
template <class F>
ES_DEVICE F not_a_number() {
  return static_cast<F>(float_of(0x7fc00000u));
}

ES_DEVICE float from_half(unsigned short half) {
  const unsigned sign = (half & 0x8000u) << 16, rest = half & 0x7fffu;
  if (rest >= 0x7c00u) return float_of(sign | 0x7f800000u | ((rest & 0x3ffu) << 13));
  // The bits of a half, moved, are a float 2^112 times as small; subnormal ones too.
  return float_of(sign | bits_of(float_of(rest << 13) * 5.192296858534828e33f));
}

ES_DEVICE unsigned short to_half(float x) {
  const unsigned bits = bits_of(x), sign = (bits >> 16) & 0x8000u, rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return static_cast<unsigned short>(sign | 0x7e00u);
  if (rest >= 0x477ff000u) return static_cast<unsigned short>(sign | 0x7c00u);
  if (rest < 0x38800000u) {
    // A subnormal half: adding 0.5 leaves its rounded fraction in the lowest bits.
    return static_cast<unsigned short>(sign | (bits_of(float_of(rest) + 0.5f) - 0x3f000000u));
  }
  const unsigned rounded = rest - 0x38000000u + 0xfffu + ((rest >> 13) & 1u);
  return static_cast<unsigned short>(sign | (rounded >> 13));
}

ES_DEVICE float from_bfloat(unsigned short bits) {
  return float_of(static_cast<unsigned>(bits) << 16);
}

ES_DEVICE unsigned short to_bfloat(float x) {
  const unsigned bits = bits_of(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<unsigned short>((bits >> 16) | 0x40u);
  return static_cast<unsigned short>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// A double as a float from which rounding again to fewer bits is rounding once: its last bit is set
// if anything was cut off.
ES_DEVICE float to_odd(double x) {
  const float near = static_cast<float>(x);
  const double back = static_cast<double>(near);
  if (back == x || x != x) return near;
  unsigned bits = bits_of(near);
  // Towards zero, then odd.
  if ((back > x) == (x > 0)) --bits;
  return float_of(bits | 1u);
}

// A float with the vocabulary of the scalar functions; numbers in expressions take its type.
template <class F>
struct Real {
  F value;

  Real() = default;
  template <class N>
  ES_DEVICE Real(N number) : value(static_cast<F>(number)) {}

  friend ES_DEVICE Real operator+(Real x, Real y) { return x.value + y.value; }
  friend ES_DEVICE Real operator-(Real x, Real y) { return x.value - y.value; }
  friend ES_DEVICE Real operator*(Real x, Real y) { return x.value * y.value; }
  friend ES_DEVICE Real operator/(Real x, Real y) { return x.value / y.value; }
  friend ES_DEVICE Real operator-(Real x) { return -x.value; }
  friend ES_DEVICE bool operator<(Real x, Real y) { return x.value < y.value; }
  friend ES_DEVICE bool operator<=(Real x, Real y) { return x.value <= y.value; }
  friend ES_DEVICE bool operator>(Real x, Real y) { return x.value > y.value; }
  friend ES_DEVICE bool operator>=(Real x, Real y) { return x.value >= y.value; }
  friend ES_DEVICE bool operator==(Real x, Real y) { return x.value == y.value; }
  friend ES_DEVICE bool operator!=(Real x, Real y) { return x.value != y.value; }
  friend ES_DEVICE Real abs(Real x) { return ::fabs(x.value); }
  friend ES_DEVICE Real exp(Real x) { return ::exp(x.value); }
  friend ES_DEVICE Real expm1(Real x) { return ::expm1(x.value); }
  friend ES_DEVICE Real log(Real x) { return ::log(x.value); }
  friend ES_DEVICE Real log1p(Real x) { return ::log1p(x.value); }
  friend ES_DEVICE Real log2(Real x) { return ::log2(x.value); }
  friend ES_DEVICE Real sqrt(Real x) { return ::sqrt(x.value); }
  friend ES_DEVICE Real sin(Real x) { return ::sin(x.value); }
  friend ES_DEVICE Real cos(Real x) { return ::cos(x.value); }
  friend ES_DEVICE Real tanh(Real x) { return ::tanh(x.value); }
  friend ES_DEVICE Real erf(Real x) { return ::erf(x.value); }
  friend ES_DEVICE Real floor(Real x) { return ::floor(x.value); }
  friend ES_DEVICE Real ceil(Real x) { return ::ceil(x.value); }
  friend ES_DEVICE Real round(Real x) { return ::rint(x.value); }
  friend ES_DEVICE Real trunc(Real x) { return ::trunc(x.value); }
  friend ES_DEVICE Real pow(Real x, Real y) { return ::pow(x.value, y.value); }
  friend ES_DEVICE Real atan2(Real x, Real y) { return ::atan2(x.value, y.value); }
  friend ES_DEVICE Real fma(Real x, Real y, Real z) { return ::fma(x.value, y.value, z.value); }
  friend ES_DEVICE bool isinf(Real x) { return ::fabs(x.value) == infinity<F>(); }
  friend ES_DEVICE bool isfinite(Real x) { return ::fabs(x.value) < infinity<F>(); }
  friend ES_DEVICE Real select(bool condition, Real x, Real y) { return condition ? x : y; }
  friend ES_DEVICE Real maximum(Real x, Real y) { return x > y || x != x ? x : y; }
  friend ES_DEVICE Real minimum(Real x, Real y) { return x < y || x != x ? x : y; }

  friend ES_DEVICE Real remainder(Real x, Real y) {
    const F r = ::fmod(x.value, y.value);
    if (r == 0) return ::copysign(F(0), y.value);
    return (r < 0) != (y.value < 0) ? r + y.value : r;
  }

  // (x - remainder) / y is an integer but for rounding.
  friend ES_DEVICE Real floor_divide(Real x, Real y) {
    if (y.value == 0 || !isfinite(x) || y.value != y.value) return ::floor(x.value / y.value);
    const F r = ::fmod(x.value, y.value);
    F quotient = (x.value - r) / y.value;
    if (r != 0 && (r < 0) != (y.value < 0)) quotient -= 1;
    if (quotient == 0) return ::copysign(F(0), x.value / y.value);
    return ::rint(quotient);
  }
};

// An integer with the vocabulary that integers have. Arithmetic wraps.
struct Integer {
  long long value;
  using Unsigned = unsigned long long;

  Integer() = default;
  template <class N>
  ES_DEVICE Integer(N number) : value(static_cast<long long>(number)) {}
  ES_DEVICE static Integer wrap(Unsigned bits) { return static_cast<long long>(bits); }
  ES_DEVICE Unsigned bits() const { return static_cast<Unsigned>(value); }

  friend ES_DEVICE Integer operator+(Integer x, Integer y) { return wrap(x.bits() + y.bits()); }
  friend ES_DEVICE Integer operator-(Integer x, Integer y) { return wrap(x.bits() - y.bits()); }
  friend ES_DEVICE Integer operator*(Integer x, Integer y) { return wrap(x.bits() * y.bits()); }
  friend ES_DEVICE Integer operator-(Integer x) { return wrap(0 - x.bits()); }
  friend ES_DEVICE bool operator<(Integer x, Integer y) { return x.value < y.value; }
  friend ES_DEVICE bool operator<=(Integer x, Integer y) { return x.value <= y.value; }
  friend ES_DEVICE bool operator>(Integer x, Integer y) { return x.value > y.value; }
  friend ES_DEVICE bool operator>=(Integer x, Integer y) { return x.value >= y.value; }
  friend ES_DEVICE bool operator==(Integer x, Integer y) { return x.value == y.value; }
  friend ES_DEVICE bool operator!=(Integer x, Integer y) { return x.value != y.value; }
  friend ES_DEVICE Integer abs(Integer x) { return x.value < 0 ? -x : x; }
  friend ES_DEVICE Integer floor(Integer x) { return x; }
  friend ES_DEVICE Integer ceil(Integer x) { return x; }
  friend ES_DEVICE Integer round(Integer x) { return x; }
  friend ES_DEVICE Integer trunc(Integer x) { return x; }
  friend ES_DEVICE bool isinf(Integer) { return false; }
  friend ES_DEVICE bool isfinite(Integer) { return true; }
  friend ES_DEVICE Integer select(bool condition, Integer x, Integer y) { return condition ? x : y; }
  friend ES_DEVICE Integer maximum(Integer x, Integer y) { return x.value > y.value ? x : y; }
  friend ES_DEVICE Integer minimum(Integer x, Integer y) { return x.value < y.value ? x : y; }

  friend ES_DEVICE Integer remainder(Integer x, Integer y) {
    if (y.value == 0 || y.value == -1) return 0;
    const long long r = x.value % y.value;
    return r != 0 && (r < 0) != (y.value < 0) ? r + y.value : r;
  }

  friend ES_DEVICE Integer floor_divide(Integer x, Integer y) {
    if (y.value == 0) return 0;
    if (y.value == -1) return -x;
    const long long quotient = x.value / y.value;
    const bool down = x.value % y.value != 0 && (x.value < 0) != (y.value < 0);
    return down ? quotient - 1 : quotient;
  }

  friend ES_DEVICE Integer pow(Integer x, Integer y) {
    if (y.value < 0) {
      if (x.value == 1) return 1;
      if (x.value == -1) return y.value % 2 == 0 ? 1 : -1;
      return 0;
    }
    Integer result = 1;
    for (long long exponent = y.value; exponent != 0; exponent /= 2) {
      if (exponent % 2 == 1) result = result * x;
      x = x * x;
    }
    return result;
  }
};

// What an element T in memory computes as (Value), and its conversions: value_of reads it, element
// rounds to it as an operator of that dtype does, integers wrapping.
template <class T>
struct Element;
template <>
struct Element<float> {
  using Value = Real<float>;
  static ES_DEVICE Value value_of(float x) { return x; }
  static ES_DEVICE float element(Value x) { return x.value; }
};
template <>
struct Element<double> {
  using Value = Real<double>;
  static ES_DEVICE Value value_of(double x) { return x; }
  static ES_DEVICE double element(Value x) { return x.value; }
};
template <>
struct Element<Half> {
  using Value = Real<float>;
  static ES_DEVICE Value value_of(Half x) { return from_half(x.bits); }
  static ES_DEVICE Half element(Value x) { return Half{to_half(x.value)}; }
};
template <>
struct Element<Bfloat> {
  using Value = Real<float>;
  static ES_DEVICE Value value_of(Bfloat x) { return from_bfloat(x.bits); }
  static ES_DEVICE Bfloat element(Value x) { return Bfloat{to_bfloat(x.value)}; }
};
template <>
struct Element<int> {
  using Value = Integer;
  static ES_DEVICE Value value_of(int x) { return x; }
  static ES_DEVICE int element(Value x) { return static_cast<int>(x.value); }
};
template <>
struct Element<long long> {
  using Value = Integer;
  static ES_DEVICE Value value_of(long long x) { return x; }
  static ES_DEVICE long long element(Value x) { return x.value; }
};
template <>
struct Element<Boolean> {
  using Value = Integer;
  static ES_DEVICE Value value_of(Boolean x) { return x.value != 0; }
  static ES_DEVICE Boolean element(Value x) { return Boolean{static_cast<unsigned char>(x != 0)}; }
};
template <class T>
using Value = typename Element<T>::Value;

template <class T, class Pointer>
ES_DEVICE Value<T> load(Pointer pointer, long long i) {
  return Element<T>::value_of(ES_GET(pointer, i));
}
// The value as an element T holds it.
template <class T>
ES_DEVICE Value<T> rounded(Value<T> value) {
  return Element<T>::value_of(Element<T>::element(value));
}

// The value of another dtype as an element T holds it: rounded once, to nearest even; floats become
// integers towards zero, saturating, NaN 0; bool is whether it is not zero.
template <class T>
struct Cast {
  template <class F>
  static ES_DEVICE Value<T> from(Real<F> x) {
    return rounded<T>(Value<T>(x.value));
  }
  static ES_DEVICE Value<T> from(Integer x) { return rounded<T>(Value<T>(x.value)); }
};
template <class T>
struct NarrowCast {
  static ES_DEVICE Value<T> from(Real<float> x) { return rounded<T>(x); }
  static ES_DEVICE Value<T> from(Real<double> x) { return rounded<T>(to_odd(x.value)); }
  static ES_DEVICE Value<T> from(Integer x) {
    // Beyond 2^53 the bits that a double lacks are far below the last one of T.
    const long long high = x.value & ~0xfffLL;
    const bool large = x.value > (1LL << 53) || x.value < -(1LL << 53);
    const long long sticky = large && high != x.value ? high | 0x1000LL : x.value;
    return from(Real<double>(sticky));
  }
};
template <>
struct Cast<Half> : NarrowCast<Half> {};
template <>
struct Cast<Bfloat> : NarrowCast<Bfloat> {};
template <class T>
struct IntegerCast {
  template <class F>
  static ES_DEVICE Integer from(Real<F> x, double least, double most, long long lowest,
                                long long highest) {
    const double value = static_cast<double>(x.value);
    if (value != value) return 0;
    if (value <= least) return lowest;
    if (value >= most) return highest;
    return static_cast<long long>(value);
  }
};
template <>
struct Cast<int> : IntegerCast<int> {
  template <class F>
  static ES_DEVICE Integer from(Real<F> x) {
    return IntegerCast<int>::from(x, -2147483648.0, 2147483647.0, -2147483647LL - 1, 2147483647LL);
  }
  static ES_DEVICE Integer from(Integer x) { return rounded<int>(x); }
};
template <>
struct Cast<long long> : IntegerCast<long long> {
  template <class F>
  static ES_DEVICE Integer from(Real<F> x) {
    return IntegerCast<long long>::from(x, -9223372036854775808.0, 9223372036854775808.0,
                                        -9223372036854775807LL - 1, 9223372036854775807LL);
  }
  static ES_DEVICE Integer from(Integer x) { return x; }
};
template <>
struct Cast<Boolean> {
  template <class F>
  static ES_DEVICE Integer from(Real<F> x) {
    return x.value != 0;
  }
  static ES_DEVICE Integer from(Integer x) { return x != 0; }
};

// Stores a value of any dtype as an element T, rounded once.
template <class T, class Pointer, class Given>
ES_DEVICE void store(Pointer pointer, long long i, Given value) {
  ES_SET(pointer, i, Element<T>::element(Cast<T>::from(value)));
}

// Combines the values of `group` threads of a block into one, which all of them get: in a fixed
// order, by a tree. Threads of one group lie `stride` apart. All threads of the block call it, as it
// waits for all; the block has `threads`.
template <int threads, int group, int stride, class T, class Combine>
ES_DEVICE T combine_block(T value, Combine combine) {
  if constexpr (group > 1) {
    ES_SHARED(T, shared, threads);
    const int lane = thread_index() / stride % group;
    shared[thread_index()] = value;
    barrier();
    for (int step = group / 2; step > 0; step /= 2) {
      if (lane < step) {
        shared[thread_index()] =
            combine(shared[thread_index()], shared[thread_index() + step * stride]);
      }
      barrier();
    }
    value = shared[thread_index() - lane * stride];
    barrier();
  }
  return value;
}
