// Smallest and largest words. A translation unit includes this inside its namespace and its region, after
// bit_pack.inl.
//
// Words are compared as signed numbers, which is what the vectors of all instruction sets can do. Several
// pairs of extremes are kept in turn, so that none waits for the one before.

/// A word so that its order as a signed number is the wanted one: as an unsigned number after the XOR with
/// `flip`, or that of floats by their bits, -NaN the smallest, NaN the largest. The same again gives the
/// word.
template <class Signed>
struct FlippedOrder {
  Signed flip;
  template <class Lanes>
  Lanes operator()(Lanes words) const {
    return static_cast<Lanes>(words ^ flip);
  }
};
template <class Signed>
struct FloatOrder {
  template <class Lanes>
  Lanes operator()(Lanes words) const {
    constexpr Signed below_sign = std::numeric_limits<Signed>::max();
    return static_cast<Lanes>(words ^ ((words >> (8 * sizeof(Signed) - 1)) & below_sign));
  }
};

/// The same, with another word in the place of each that is no number.
template <class Signed>
struct NumberOrder {
  Signed infinity, number;
  template <class Lanes>
  Lanes operator()(Lanes words) const {
    const Lanes magnitude = static_cast<Lanes>(words & std::numeric_limits<Signed>::max());
    const Lanes all_numbers = static_cast<Lanes>(Lanes{} + number);
    return FloatOrder<Signed>{}(magnitude > infinity ? all_numbers : words);
  }
};

/// In that order.
template <class W, class Order>
void find_extremes(const W* words, std::size_t count, const Order& order, W& min, W& max) {
  using Signed = std::make_signed_t<W>;
  using Lanes = typename LanesOf<Signed>::Type;
  constexpr std::size_t turns = 4, lanes = sizeof(Lanes) / sizeof(W);
  Signed low = std::numeric_limits<Signed>::max(), high = std::numeric_limits<Signed>::min();
  std::size_t i = 0;
  if (count >= turns * lanes) {
    Lanes lows[turns], highs[turns];
    for (std::size_t turn = 0; turn < turns; ++turn) {
      lows[turn] = Lanes{} + low;
      highs[turn] = Lanes{} + high;
    }
    for (; i + turns * lanes <= count; i += turns * lanes) {
      for (std::size_t turn = 0; turn < turns; ++turn) {
        Lanes v;
        std::memcpy(&v, words + i + turn * lanes, sizeof v);
        v = order(v);
        lows[turn] = lows[turn] < v ? lows[turn] : v;
        highs[turn] = highs[turn] > v ? highs[turn] : v;
      }
    }
    for (std::size_t turn = 0; turn < turns; ++turn) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        low = lows[turn][lane] < low ? lows[turn][lane] : low;
        high = highs[turn][lane] > high ? highs[turn][lane] : high;
      }
    }
  }
  for (; i < count; ++i) {
    const Signed number = static_cast<Signed>(order(static_cast<Signed>(words[i])));
    low = number < low ? number : low;
    high = number > high ? number : high;
  }
  min = static_cast<W>(low);
  max = static_cast<W>(high);
}

template <class W>
void find_range(const W* words, std::size_t count, W flip, W& min, W& max) {
  using Signed = std::make_signed_t<W>;
  const FlippedOrder<Signed> order{static_cast<Signed>(flip ^ W{1} << (core::word_bits<W> - 1))};
  find_extremes(words, count, order, min, max);
  min = static_cast<W>(order(static_cast<Signed>(min)));
  max = static_cast<W>(order(static_cast<Signed>(max)));
}

template <class W, class Order>
void find_range_of_floats(const W* words, std::size_t count, const Order& order, W& min, W& max) {
  using Signed = std::make_signed_t<W>;
  find_extremes(words, count, order, min, max);
  min = static_cast<W>(FloatOrder<Signed>{}(static_cast<Signed>(min)));
  max = static_cast<W>(FloatOrder<Signed>{}(static_cast<Signed>(max)));
}

template <class W>
void find_float_range(const W* words, std::size_t count, W& min, W& max) {
  find_range_of_floats(words, count, FloatOrder<std::make_signed_t<W>>{}, min, max);
}

template <class W>
void find_range_of_numbers(const W* words, std::size_t count, W infinity, W number, W& min, W& max) {
  using Signed = std::make_signed_t<W>;
  const NumberOrder<Signed> order{static_cast<Signed>(infinity), static_cast<Signed>(number)};
  find_range_of_floats(words, count, order, min, max);
}
