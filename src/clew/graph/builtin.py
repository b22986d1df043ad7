"""Names that each language has without a definition."""

from __future__ import annotations

import builtins

BUILTINS = {
    "python": frozenset(dir(builtins)),
    "go": frozenset(
        "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string"
        " uint uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear close complex copy delete imag"
        " len make max min new panic print println real recover".split()
    ),
    "rust": frozenset(
        "bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 Box Vec String Option Some"
        " None Result Ok Err Clone Copy Send Sync Sized Drop Fn FnMut FnOnce Iterator IntoIterator Extend"
        " DoubleEndedIterator ExactSizeIterator Default PartialEq Eq PartialOrd Ord AsRef AsMut Into From"
        " ToOwned ToString TryFrom TryInto FromIterator Debug Hash drop derive test println print eprintln"
        " eprint format write writeln vec panic assert assert_eq assert_ne debug_assert debug_assert_eq"
        " debug_assert_ne todo unimplemented unreachable matches dbg concat stringify env include_str"
        " include_bytes cfg line file column module_path compile_error".split()
    ),
    "cpp": frozenset({"std"}),
}
