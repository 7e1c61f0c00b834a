"""What can go wrong, as exceptions. Each says what, where in the frame, and why."""

from __future__ import annotations


class Error(Exception):
    """Base of all errors of floe.

    Attributes:
        code: The library's name of the error, such as ``"corrupt_frame"``.
        offset: Where in the frame, in bytes, for damaged frames; where in a tree's text for trees; else 0.
        detail: The cause, in words.
    """

    def __init__(self, code: str, offset: int = 0, detail: str = "") -> None:
        self.code: str = code
        self.offset: int = offset
        self.detail: str = detail
        where = f" at byte {offset}" if isinstance(self, CorruptError) or offset else ""
        super().__init__(f"{code}{where}: {detail}" if detail else f"{code}{where}")

    def __reduce__(self) -> tuple[type[Error], tuple[str, int, str]]:
        return type(self), (self.code, self.offset, self.detail)


class InvalidArgumentError(Error, ValueError):
    """An option, a size or a shape that makes no sense. Nothing was done."""


class CorruptError(Error, ValueError):
    """The bytes contradict the format: they were changed, or are no frame of floe."""


class TruncatedError(CorruptError):
    """The bytes end too early."""


class UnsupportedError(Error, TypeError):
    """Written by a newer floe, or a type or codec that floe does not have."""


class OutOfMemoryError(Error, MemoryError):
    """There is no memory, or less is allowed."""


class ReadWriteError(Error, OSError):
    """A file could not be read or written."""


_CLASSES: dict[str, type[Error]] = {
    "invalid_argument": InvalidArgumentError,
    "output_too_small": InvalidArgumentError,
    "corrupt_frame": CorruptError,
    "truncated_frame": TruncatedError,
    "unsupported_version": UnsupportedError,
    "unsupported_codec": UnsupportedError,
    "out_of_memory": OutOfMemoryError,
    "io_error": ReadWriteError,
}


def error_of(code: str, offset: int, detail: str) -> Error:
    """The exception for a status of the library."""
    return _CLASSES.get(code, Error)(code, offset, detail)


def invalid(detail: str) -> InvalidArgumentError:
    """An argument makes no sense."""
    return InvalidArgumentError("invalid_argument", 0, detail)


def unsupported(detail: str) -> UnsupportedError:
    """floe has no such type."""
    return UnsupportedError("unsupported_codec", 0, detail)


for _class in {Error, *_CLASSES.values()}:
    _class.__module__ = "floe"
