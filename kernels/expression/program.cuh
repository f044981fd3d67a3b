// Programs of the virtual machine that evaluates expressions, as the host passes them.
#pragma once

#include <gdf/types.cuh>

namespace expression {

constexpr int max_columns = 16;
constexpr int max_steps = 64;
constexpr int max_constants = 40;
constexpr int max_outputs = 8;
constexpr int max_cells = 12;
constexpr int max_booleans = 20;

/// The type in which a step computes. Steps in the lane i128 read their operands from slots and constants, and write
/// their results to slots. The other steps also use the accumulator.
enum class lane : int32_t { boolean, i64, u64, f32, f64, i128 };

/// The operation that a step computes from its operands a, b and c. Unless stated otherwise, a row of the result is
/// null if the row of an operand is null.
enum class opcode : int32_t {
  load,       // the column `code`, converted to the lane
  valid,      // whether the rows of the column `code` are not null; never null
  null, // a null in each row
  arithmetic, // a, b: the operator `code`; for shifts, `extra` is the number of bits of the integers
  convert,    // a, converted from the lane `code`; only integers and booleans are converted to the lane i128
  narrow,     // a, converted from the lane i128 to the lane `code`
  wrap,       // a, reduced to the bits of the type `code`
  compare,    // whether a and b are in the order `code`; negated if `extra` is not 0
  not_zero,   // whether a is not 0
  logic,      // a, b: the operator `code` on booleans, which also decides about nulls
  invert,     // the opposite of the boolean a
  is_valid,   // whether a is not null; never null
  valid_if,   // a, null where the boolean c is not true
  select,     // a where the boolean c is true, else b; null where the chosen operand is null
  coalesce,   // a where a is not null, else b
  rounding,   // a: the function `code` of unary operations
  sign,       // the float a with the opposite sign; with a positive sign if `code` is not 0
  bit_count,  // a: the number of set bits
  component,  // the component `code` of the ticks a; the divisors are constants from `extra` on; uses slots
  text,       // whether the text of column `code` is the constant `extra` (its size is the constant after it)
  prefix,     // whether the text of column `code` begins with the constant `extra` (its size is the constant after it)
  decide,     // marks rows by the boolean a, as `code` (a `decided`) states; can continue at step `extra`
  emit,       // stores a as the output `code`
};

/// The rows that a step `decide` excludes from the following steps. If the step excludes all rows of a warp, the
/// program continues with step `extra`. The accumulator then has the result of all these rows.
enum class decided : int32_t {
  if_false, // rows where a is false; their result is false
  if_true,  // rows where a is true; their result is true
};

/// An operand is a slot (0 or greater), the accumulator, nothing, or a constant. The constants are -3, -4 and so on.
constexpr int32_t accumulator = -1;
constexpr int32_t no_operand = -2;
constexpr int32_t first_constant = -3;

struct step {
  int32_t operation; // an opcode
  int32_t form;      // a lane
  int32_t code;
  int32_t extra;
  int32_t a;
  int32_t b;
  int32_t c;
  int32_t store; // the slot that keeps the result, or -1
};

struct constant {
  gdf::u64 low;
  gdf::u64 high;
};

/// A program. The slots below `cells` have a cell per row. The other slots, up to `slots`, have only a bit per row.
struct program {
  step steps[max_steps];
  constant constants[max_constants];
  int32_t count;
  int32_t cells;
  int32_t slots;
  int32_t outputs;
};

} // namespace expression
