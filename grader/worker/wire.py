"""Plain values as a JSON tree plus raw arrays, and frames that carry them.

A plain value is None, a bool, an int, a float, a string, a NumPy number or array, or a list, tuple or dict with
string keys of plain values. Whatever else a student's function returns stays with the student's code and is
represented by an `Opaque`. There is no pickle and no object dtype, and everything has an upper bound.
"""

from __future__ import annotations

import json
import math
import socket
import struct
import time
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

# An honest answer has some hundred parts and less than a megabyte.
MAX_BYTES = 8 * 2**20
MAX_NODES = 10_000
MAX_DEPTH = 24
MAX_HEADER = 2**20
MAX_AXES = 16
MAX_INT_BITS = 512

# Little-endian dtypes that may cross, by the string that names them in a frame: "<f8" and so on.
_CODES = ("|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16")
_DTYPES = {code: np.dtype(code) for code in _CODES}
_LENGTHS = struct.Struct("<II")

Tree = list[Any]


class Malformed(ValueError):
    """A frame or tree that breaks the rules of this module."""


class Opaque:
    """A value that is not plain: it can be handed back to the student's code, and nothing else.

    Comparing, testing or converting it raises `TypeError`, so that no object of a student's can pose as an answer.
    """

    def __init__(self, handle: int, kind: str) -> None:
        self.handle = handle
        self.kind = kind

    def __repr__(self) -> str:
        return f"<{self.kind}>"

    def _refuse(self, *_: object) -> NoReturn:
        raise TypeError(f"a {self.kind} is not a plain value")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __bool__ = __len__ = __iter__ = __float__ = __int__ = __index__ = __array__ = _refuse
    __hash__ = None  # type: ignore[assignment]


class Packer:
    """Turn values into a tree and a list of arrays.

    Parameters
    ----------
    keep
        Called with each value that is not plain; returns the handle under which it can be found again.
    """

    def __init__(self, keep: Callable[[object], int]) -> None:
        self.arrays: list[np.ndarray] = []
        self._keep = keep
        self._bytes = 0
        self._nodes = 0

    def pack(self, value: object, depth: int = 0) -> Tree:
        """Return the tree of one value; its arrays are appended to `arrays`."""
        self._nodes += 1
        if depth > MAX_DEPTH:
            return self._opaque(value, "value nested too deeply")
        if isinstance(value, Opaque):
            return ["opaque", value.handle, value.kind]
        if isinstance(value, np.generic) and not isinstance(value, str):
            return self._numpy_scalar(value)
        if isinstance(value, np.ndarray):
            return self._array(value)
        if value is None:
            return ["none"]
        if isinstance(value, bool):
            return ["bool", bool(value)]
        if isinstance(value, int):
            number = int.__int__(value)
            return ["int", hex(number)] if number.bit_length() <= MAX_INT_BITS else self._opaque(value, "huge integer")
        if isinstance(value, float):
            return ["float", float.__float__(value)]
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list | tuple | dict) and self._nodes + len(value) > MAX_NODES:
            return self._opaque(value, "value with too many parts")
        if isinstance(value, list):
            return ["list", [self.pack(item, depth + 1) for item in list.__iter__(value)]]
        if isinstance(value, tuple):
            return ["tuple", [self.pack(item, depth + 1) for item in tuple.__iter__(value)]]
        if isinstance(value, dict) and all(isinstance(key, str) for key in dict.__iter__(value)):
            pairs = [[str.__str__(key), self.pack(item, depth + 1)] for key, item in dict.items(value)]
            return ["dict", pairs]
        return self._opaque(value, type(value).__name__)

    def _text(self, value: str) -> Tree:
        self._bytes += 4 * str.__len__(value)
        return ["str", str.__str__(value)] if self._bytes <= MAX_BYTES else self._opaque(value, "huge string")

    def _numpy_scalar(self, value: np.generic) -> Tree:
        if _little_endian(value.dtype) is None:
            return self._opaque(value, f"NumPy scalar of type {value.dtype}")
        return ["scalar", self._array(np.asarray(value))]

    def _array(self, value: np.ndarray) -> Tree:
        dtype = _little_endian(value.dtype)
        if dtype is None:
            return self._opaque(value, f"array of dtype {value.dtype}")
        self._bytes += math.prod(value.shape) * dtype.itemsize
        if self._bytes > MAX_BYTES or value.ndim > MAX_AXES:
            return self._opaque(value, f"array of shape {value.shape}, too large to look at")
        # A copy: the student's code keeps no way to change what has been returned.
        self.arrays.append(np.array(value, dtype=dtype, order="C", copy=True, subok=False))
        return ["array", len(self.arrays) - 1]

    def _opaque(self, value: object, kind: str) -> Tree:
        return ["opaque", self._keep(value), kind[:200]]


def unpack(tree: object, arrays: list[np.ndarray], opaque: Callable[[int, str], object] = Opaque) -> Any:
    """Turn a tree back into a value.

    Raises
    ------
    Malformed
        When the tree is not one that `Packer` writes.
    """
    budget = [2 * MAX_NODES]

    def build(node: object, depth: int) -> object:
        budget[0] -= 1
        if budget[0] < 0 or depth > MAX_DEPTH + 1 or not isinstance(node, list) or not node:
            raise Malformed("a value that no honest worker sends")
        match node:
            case ["none"]:
                return None
            case ["bool", bool(flag)]:
                return flag
            case ["int", str(digits)] if len(digits) <= MAX_INT_BITS // 4 + 3:
                return int(digits, 16)
            case ["float", float(number)]:
                return number
            case ["str", str(text)]:
                return text
            case ["list", list(items)]:
                return [build(item, depth + 1) for item in items]
            case ["tuple", list(items)]:
                return tuple(build(item, depth + 1) for item in items)
            case ["dict", list(pairs)]:
                return {_key(pair): build(pair[1], depth + 1) for pair in pairs}
            case ["array", int(index)] if not isinstance(index, bool) and 0 <= index < len(arrays):
                return arrays[index]
            case ["scalar", ["array", int(index)]] if 0 <= index < len(arrays) and arrays[index].shape == ():
                return arrays[index][()]
            case ["opaque", int(handle), str(kind)]:
                return opaque(handle, kind[:200])
        raise Malformed("a value of unknown kind")

    try:
        return build(tree, 0)
    except ValueError as error:
        raise Malformed(str(error)) from None


def _key(pair: object) -> str:
    if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)):
        raise Malformed("a dict that no honest worker sends")
    return pair[0]


def _little_endian(dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """Return the dtype under which an array crosses; None when it may not."""
    return _DTYPES.get(dtype.str if dtype.str[0] != ">" else "<" + dtype.str[1:])


def encode(message: dict[str, Any], arrays: list[np.ndarray]) -> bytes:
    """Return a frame: two lengths, a JSON header, raw little-endian arrays."""
    specifications = [[array.dtype.str, array.shape] for array in arrays]
    header = json.dumps({"message": message, "arrays": specifications}).encode()
    body = b"".join(array.tobytes() for array in arrays)
    return _LENGTHS.pack(len(header), len(body)) + header + body


def decode(header: bytes, body: bytes) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Turn the two parts of a frame into a message and its arrays (writable, owned by the caller).

    Raises
    ------
    Malformed
        When they are not what `encode` writes.
    """
    try:
        fields = json.loads(header)
        message, specifications = fields["message"], fields["arrays"]
    except (ValueError, RecursionError, TypeError, KeyError):
        raise Malformed("a header that is not our JSON") from None
    if not isinstance(message, dict) or not isinstance(specifications, list) or len(specifications) > MAX_NODES:
        raise Malformed("a header with other fields than ours")
    arrays = []
    offset = 0
    for specification in specifications:
        dtype, shape = _array_specification(specification)
        size = math.prod(shape) * dtype.itemsize
        if size > len(body) - offset:
            raise Malformed("less data than announced")
        flat = np.frombuffer(body, dtype, math.prod(shape), offset)
        try:
            arrays.append(flat.reshape(shape).astype(dtype.newbyteorder("="), copy=True))
        except ValueError:
            raise Malformed("a shape that NumPy refuses") from None
        offset += size
    if offset != len(body):
        raise Malformed("more data than announced")
    return message, arrays


def _array_specification(specification: object) -> tuple[np.dtype[Any], tuple[int, ...]]:
    match specification:
        case [str(code), list(shape)] if code in _DTYPES and len(shape) <= MAX_AXES:
            if all(type(size) is int and 0 <= size <= 2**31 for size in shape):
                return _DTYPES[code], tuple(shape)
    raise Malformed("an array of unknown type or shape")


def send(connection: socket.socket, message: dict[str, Any], arrays: list[np.ndarray]) -> None:
    """Write one frame."""
    connection.sendall(encode(message, arrays))


def receive(
    connection: socket.socket, deadline: float | None = None, max_bytes: int = MAX_BYTES
) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Read one frame.

    Parameters
    ----------
    deadline
        On the clock of `time.monotonic`, for the whole frame: dripping bytes gains nothing.
    max_bytes
        The most that all arrays together may hold.

    Raises
    ------
    EOFError
        When the other side has gone.
    TimeoutError
        When the deadline has passed.
    Malformed
        When the frame is too large or not ours.
    """
    header_size, body_size = _LENGTHS.unpack(_read(connection, _LENGTHS.size, deadline))
    if header_size > MAX_HEADER or body_size > max_bytes:
        raise Malformed("a frame beyond the size limit")
    header = _read(connection, header_size, deadline)
    return decode(bytes(header), bytes(_read(connection, body_size, deadline)))


def _read(connection: socket.socket, size: int, deadline: float | None) -> bytearray:
    data = bytearray()
    while len(data) < size:
        if deadline is not None:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                raise TimeoutError
            connection.settimeout(remaining)
        chunk = connection.recv(min(size - len(data), 2**20))
        if not chunk:
            raise EOFError("the other side has gone")
        data += chunk
    return data
