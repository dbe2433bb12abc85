"""What stands for a module that is not there: it costs nothing until something is really asked of it.

Importing it, annotating with it, decorating a function with it, plotting with it or showing progress with it all
work. Only where its value would matter, in a number, a condition or an array, it raises `ModuleNotFoundError`, whose
`name` is that of the module.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NoReturn

# Show how far an iteration is: what they are given is iterated over.
_PROGRESS = frozenset({"tqdm", "alive_progress", "fastprogress", "progressbar", "stqdm", "rich"})
_RANGES = frozenset({"trange", "prange"})
# Decorate a function that stays what it is, in whatever way they are called.
_WRAPPERS = frozenset({"numba", "jaxtyping", "beartype", "typeguard", "line_profiler", "memory_profiler"})
# Make another function of the one that they decorate.
_TRANSFORMATIONS = frozenset(
    {"vectorize", "guvectorize", "stencil", "grad", "value_and_grad", "vmap", "jacobian", "jacfwd", "jacrev", "hessian"}
)

IsDecorator = Callable[[FrameType], bool]


def _asked(self: Absent, *_arguments: object, **_keywords: object) -> NoReturn:
    raise object.__getattribute__(self, "_origin").failure()


class Origin:
    """Where stand-ins come from: the module, and what happens when something is asked of it.

    Parameters
    ----------
    module
        Its full name.
    is_decorator
        Whether a frame of the student's is just calling a decorator.
    is_quiet
        Whether it comes with the course and is left aside on purpose.
    """

    def __init__(self, module: str, is_decorator: IsDecorator, *, is_quiet: bool = False) -> None:
        self.module = module
        self.is_decorator = is_decorator
        self.is_quiet = is_quiet

    def failure(self) -> ModuleNotFoundError:
        """Return the error to raise."""
        return AbsentModuleError(self)


class AbsentModuleError(ModuleNotFoundError):
    """Something was asked of a module that is not there.

    Attributes
    ----------
    is_quiet
        Whether it is the course's own, of which nobody has to be told.
    """

    def __init__(self, origin: Origin) -> None:
        super().__init__(f"{origin.module} is not there when you are graded", name=origin.module)
        self.is_quiet = origin.is_quiet


# A student reads the name of the base class.
AbsentModuleError.__name__ = AbsentModuleError.__qualname__ = ModuleNotFoundError.__name__


class _NeverMade:
    """The base of a class that is derived from one in a module that is not there."""

    _absent_origin: Origin

    def __new__(cls, *_arguments: object, **_keywords: object) -> _NeverMade:
        raise cls._absent_origin.failure()


class Absent:
    """A module that is not there, something in it, or what that has returned."""

    _origin: Origin
    _name: str
    _given: object

    def __init__(self, origin: Origin, name: str, given: object = None) -> None:
        object.__setattr__(self, "_origin", origin)
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_given", given)

    def _other(self, name: str, given: object = None) -> Absent:
        return Absent(self._origin, name, given)

    def __repr__(self) -> str:
        return f"<{self._origin.module} is not there>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__") and name != "__version__":
            raise AttributeError(name)
        return self._other(name)

    def __setattr__(self, name: str, value: object) -> None:
        """Forget what is set, such as an option of a library that is not there."""

    def __setitem__(self, key: object, value: object) -> None:
        """Forget it, too."""

    def __getitem__(self, key: object) -> Absent:
        return self._other(self._name)

    def __class_getitem__(cls, key: object) -> type[Absent]:
        return cls

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Return what is decorated, or another stand-in."""
        root = self._origin.module.partition(".")[0]
        if self._name in _RANGES:
            return range(*arguments)
        if len(arguments) == 1 and not keywords and callable(arguments[0]) and not isinstance(arguments[0], Absent):
            wraps = root in _WRAPPERS or self._origin.is_decorator(sys._getframe(1))
            if wraps and self._name not in _TRANSFORMATIONS:
                return arguments[0]
        given = keywords.get("iterable", arguments[0] if arguments else None) if root in _PROGRESS else None
        return self._other(self._name, given)

    def __iter__(self) -> Iterator[Any]:
        if self._given is None:
            _asked(self)
        return iter(self._given)  # type: ignore[call-overload,no-any-return]

    def __len__(self) -> int:
        if self._given is None:
            _asked(self)
        return len(self._given)  # type: ignore[arg-type]

    def __enter__(self) -> Absent:
        return self

    def __exit__(self, *_error: object) -> None:
        """Let errors pass."""

    def __mro_entries__(self, _bases: tuple[object, ...]) -> tuple[type, ...]:
        return (type("NeverMade", (_NeverMade,), {"_absent_origin": self._origin}),)

    def __instancecheck__(self, _instance: object) -> bool:
        return False

    def __subclasscheck__(self, _subclass: type) -> bool:
        return False

    def __or__(self, other: object) -> Absent:
        return self

    __ror__ = __or__
    __hash__ = object.__hash__

    __bool__ = __float__ = __int__ = __index__ = __complex__ = __contains__ = __array__ = _asked
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _asked
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _asked
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = _asked
    __and__ = __rand__ = __xor__ = __rxor__ = __neg__ = __pos__ = __abs__ = __invert__ = __round__ = _asked
    __array_ufunc__ = __array_function__ = __fspath__ = __next__ = __reversed__ = _asked


def absent(module: str, is_decorator: IsDecorator, *, is_quiet: bool = False) -> Absent:
    """Return the stand-in for a module.

    Parameters
    ----------
    module, is_decorator, is_quiet
        As for `Origin`.
    """
    return Absent(Origin(module, is_decorator, is_quiet=is_quiet), module.rpartition(".")[2])


def failure_of(value: object) -> ModuleNotFoundError | None:
    """Return the error to raise where a stand-in is handed over as a value; None for other values."""
    return value._origin.failure() if type(value) is Absent else None
