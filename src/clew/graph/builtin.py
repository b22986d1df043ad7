"""Names that a language has without any import: what they lead to is outside the project."""

from __future__ import annotations

import builtins
import io

_ECMASCRIPT = frozenset(
    # values
    "Array ArrayBuffer AggregateError Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date Error "
    "EvalError FinalizationRegistry Float32Array Float64Array Function Infinity Int8Array Int16Array Int32Array Intl "
    "Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set "
    "SharedArrayBuffer String Symbol SyntaxError TypeError URIError Uint8Array Uint8ClampedArray Uint16Array "
    "Uint32Array WeakMap WeakRef WeakSet WebAssembly arguments decodeURI decodeURIComponent encodeURI "
    "encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt undefined unescape "
    # hosts
    "AbortController AbortSignal Blob Buffer Bun CustomEvent Deno Document Element Event EventSource EventTarget File "
    "FormData Headers HTMLElement Image IntersectionObserver MessageChannel MutationObserver Node ReadableStream "
    "Request ResizeObserver Response TextDecoder TextEncoder TransformStream URL URLSearchParams WebSocket Window "
    "Worker WritableStream XMLHttpRequest __dirname __filename alert atob btoa cancelAnimationFrame clearImmediate "
    "clearInterval clearTimeout confirm console crypto customElements document exports fetch global history "
    "localStorage location module navigator performance process prompt queueMicrotask require requestAnimationFrame "
    "self sessionStorage setImmediate setInterval setTimeout structuredClone window "
    # tests
    "afterAll afterEach beforeAll beforeEach describe expect it jest test vi "
    # types
    "Awaited AsyncGenerator AsyncIterable AsyncIterableIterator AsyncIterator Capitalize ConstructorParameters "
    "Exclude Extract Generator InstanceType Iterable IterableIterator JSX Lowercase NodeJS NonNullable Omit "
    "Parameters Partial Pick PromiseLike PropertyKey React Readonly ReadonlyArray ReadonlyMap ReadonlySet Record "
    "Required ReturnType ThisType Uncapitalize Uppercase any bigint boolean never null number object string symbol "
    "unknown void".split()
)
_JAVA = frozenset(
    # java.lang
    "Appendable ArithmeticException ArrayIndexOutOfBoundsException ArrayStoreException AssertionError AutoCloseable "
    "Boolean Byte CharSequence Character Class ClassCastException ClassLoader ClassNotFoundException "
    "CloneNotSupportedException Cloneable Comparable Deprecated Double Enum Error Exception Float FunctionalInterface "
    "IllegalAccessException IllegalArgumentException IllegalStateException IndexOutOfBoundsException Integer "
    "InterruptedException Iterable LinkageError Long Math NegativeArraySizeException NoSuchFieldException "
    "NoSuchMethodException NullPointerException Number NumberFormatException Object OutOfMemoryError Override Process "
    "ProcessBuilder Readable Record ReflectiveOperationException Runnable Runtime RuntimeException SafeVarargs "
    "SecurityException Short StackOverflowError StackTraceElement StrictMath String StringBuffer StringBuilder "
    "SuppressWarnings System Thread ThreadLocal Throwable UnsupportedOperationException Void".split()
)
BUILTINS = {
    "python": frozenset(dir(builtins)),
    "javascript": _ECMASCRIPT,
    "typescript": _ECMASCRIPT,
    "tsx": _ECMASCRIPT,
    "java": _JAVA,
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
    "ruby": frozenset(
        "ARGV ArgumentError Array BasicObject Binding Class Comparable Complex Date DateTime Dir ENV EOFError "
        "Encoding Enumerable Enumerator Errno Exception FalseClass Fiber File FileTest Float FloatDomainError "
        "FrozenError GC Hash IO IOError IndexError Integer Interrupt JSON Kernel KeyError LoadError "
        "LocalJumpError Marshal MatchData Math Method Module Mutex NameError NilClass NoMethodError "
        "NotImplementedError Numeric Object ObjectSpace Pathname Proc Process Queue RUBY_ENGINE RUBY_PLATFORM "
        "RUBY_VERSION Random Range RangeError Rational Regexp RegexpError RuntimeError STDERR STDIN STDOUT "
        "ScriptError SecurityError Set Signal SignalException StandardError StopIteration String Struct Symbol "
        "SyntaxError SystemCallError SystemExit SystemStackError Thread ThreadError Time TracePoint TrueClass "
        "TypeError URI UnboundMethod YAML ZeroDivisionError".split()
    ),
}
# Members that things of every language have: of one whose owner is unknown, the name says nothing.
_HELD_BY = (str, bytes, list, dict, set, tuple, int, float, object, BaseException, io.TextIOWrapper, io.BytesIO, range)
COMMON_MEMBERS = frozenset(name for kind in _HELD_BY for name in dir(kind)) | frozenset(
    "add apply at bind call catch charAt clear concat delete done entries equals every exports filter finally find "
    "findIndex flat flatMap forEach get getCause getClass getKey getMessage getName getParameterTypes getReturnType "
    "getType getValue group has hashCode includes indexOf info isEmpty iterator json keys "
    "length log map match message name next of on parse path post prototype push put query reduce render replaceAll "
    "request resolve response result run save send set shift size slice some splice start status stop stringify "
    "substring test text then toString trim type unshift url value valueOf values warn".split()
)
