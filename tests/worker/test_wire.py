"""Plain values cross unchanged, everything else becomes a handle, and no frame can do harm."""

import json
import socket
import struct
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader.worker import wire

DTYPES = st.sampled_from(
    ["bool", "int8", "int64", "uint16", "float16", "float32", "float64", "complex128", ">f8", ">i4"]
)
ARRAYS = DTYPES.flatmap(lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, max_side=4)))
SCALARS = DTYPES.flatmap(lambda dtype: hnp.arrays(dtype, ())).map(lambda array: array[()])
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**500), 2**500) | st.floats() | st.text() | ARRAYS | SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(), inner, max_size=4)
    ),
    max_leaves=12,
)


def same(a, b):
    if isinstance(a, np.ndarray | np.generic):
        return (
            type(a) is type(b)
            and a.dtype == np.dtype(b.dtype).newbyteorder(a.dtype.byteorder)
            and a.shape == b.shape
            and a.tobytes() == b.astype(a.dtype).tobytes()
        )
    if type(a) is not type(b):
        return False
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    return a == b or (isinstance(a, float) and a != a and b != b)


def across(value, keep=None):
    packer = wire.Packer(keep or (lambda _: 7))
    tree = packer.pack(value)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sender = threading.Thread(target=wire.send, args=(ours, {"tree": tree}, packer.arrays))
        sender.start()
        message, arrays = wire.receive(theirs, time.monotonic() + 10)
        sender.join()
    return wire.unpack(message["tree"], arrays)


@given(PLAIN)
def test_plain_values_cross_unchanged(value):
    assert same(value, across(value))


class Liar(np.ndarray):
    def __eq__(self, other):
        return True

    def __array_finalize__(self, obj):
        pass


def test_a_subclass_crosses_as_its_plain_data():
    liar = np.arange(3.0).view(Liar)
    got = across([liar])[0]
    assert type(got) is np.ndarray
    assert got.tolist() == [0, 1, 2]


class AlwaysEqual:
    def __eq__(self, other):
        return True

    __hash__ = None


# fmt: off
OTHER_VALUES = [
    AlwaysEqual(), object, {1: 2}, {3.5}, b"bytes", (n for n in "ab"), 1j, 2**4000, np.array([object()]),
    np.datetime64("2026-01-01"), np.array(["a"]), np.zeros(1, [("a", "f8")]), np.zeros(3, np.longdouble),
]
# fmt: on


@pytest.mark.parametrize("value", OTHER_VALUES)
def test_everything_else_becomes_a_handle_that_refuses_to_be_used(value):
    got = across([value])[0]
    assert isinstance(got, wire.Opaque)
    assert got.handle == 7
    for use in (bool, float, int, len, iter, hash, np.asarray, lambda v: v == 1, lambda v: v == 1, lambda v: v < 1):
        with pytest.raises(TypeError):
            use(got)


def test_cycles_and_depth_end_in_a_handle():
    cycle = []
    cycle.append(cycle)
    got = across(cycle)
    depth = 0
    while isinstance(got, list):
        got, depth = got[0], depth + 1
    assert isinstance(got, wire.Opaque)
    assert depth <= wire.MAX_DEPTH + 2


def test_a_view_of_8_terabytes_is_not_copied():
    huge = np.broadcast_to(np.zeros(1), (10**6, 10**6))
    assert isinstance(across([huge])[0], wire.Opaque)


def test_many_parts_end_in_a_handle():
    got = across([[0] * 1000] * 1000)
    assert any(isinstance(part, wire.Opaque) for row in got if isinstance(row, list) for part in row) or any(
        isinstance(row, wire.Opaque) for row in got
    )


def frame(header, body=b""):
    return struct.pack("<II", len(header), len(body)) + header + body


def receive(data, seconds=5):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sender = threading.Thread(target=lambda: (ours.sendall(data), ours.shutdown(socket.SHUT_WR)))
        sender.start()
        try:
            message, arrays = wire.receive(theirs, time.monotonic() + seconds)
            return wire.unpack(message.get("tree"), arrays)
        finally:
            theirs.close()
            sender.join()


@pytest.mark.parametrize(
    "data",
    [
        struct.pack("<II", 2**31, 0),
        struct.pack("<II", 10, 2**32 - 1),
        frame(b"no json"),
        frame(b"[" * 100_000),
        frame(b"[1]"),
        frame(b'{"message": [], "arrays": []}'),
        frame(b'{"message": {}, "arrays": 3}'),
        frame(b'{"message": {}, "arrays": [["<f8", [4]]]}', b"short"),
        frame(b'{"message": {}, "arrays": [["<f8", [-1]]]}'),
        frame(b'{"message": {}, "arrays": [["O", [1]]]}', b"12345678"),
        frame(b'{"message": {}, "arrays": [["<f8", [99999999999999, 0]]]}'),
        frame(b'{"message": {}, "arrays": []}', b"more than announced"),
        frame(b'{"message": {"tree": ["array", 3]}, "arrays": []}'),
        frame(b'{"message": {"tree": ["array", true]}, "arrays": []}'),
        frame(b'{"message": {"tree": ["int", "zz"]}, "arrays": []}'),
        frame(b'{"message": {"tree": ["dict", [1, 2]]}, "arrays": []}'),
        frame(b'{"message": {"tree": ["what"]}, "arrays": []}'),
        frame(b'{"message": {"tree": {}}, "arrays": []}'),
        frame(b'{"message": {"tree": null}, "arrays": []}'),
        frame(json.dumps({"message": {"tree": ["list", [["none"]] * 30_000]}, "arrays": []}).encode()),
    ],
)
def test_malformed_frames_are_refused(data):
    with pytest.raises(wire.Malformed):
        receive(data)


def test_a_frame_that_ends_early_is_an_end():
    with pytest.raises(EOFError):
        receive(frame(b'{"message": {}, "arrays": []}')[:-3])


def test_dripping_gains_no_time():
    ours, theirs = socket.socketpair()
    stop = threading.Event()

    def drip():
        while not stop.wait(0.01):
            ours.send(b"\0")

    with ours, theirs:
        dripper = threading.Thread(target=drip)
        ours.sendall(struct.pack("<II", 10**6, 0))
        dripper.start()
        with pytest.raises(TimeoutError):
            wire.receive(theirs, time.monotonic() + 0.2)
        stop.set()
        dripper.join()


@given(st.binary(max_size=200))
def test_any_bytes_end_in_an_error_of_ours(data):
    with pytest.raises((wire.Malformed, EOFError)):
        receive(frame(data)[: 8 + len(data)] if data else b"")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=20,
)


@given(JSON)
def test_any_tree_is_a_value_or_malformed(tree):
    try:
        wire.unpack(tree, [np.zeros(2)])
    except wire.Malformed:
        pass
