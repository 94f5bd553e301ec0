"""Writes text to a new file that a person named. Overwrites only an older page."""

from __future__ import annotations

import os

from wm.errors import UserError

PAGE = "/* The page of `wm open`"
"""The first words of the style of each page: a file with them is a page of ours."""


def create(target: str, text: str) -> None:
    """Write a text to a file that only its owner may read. Raises UserError if it exists already
    or cannot be written. A page (--html) replaces an older page."""
    try:
        how = os.O_TRUNC if PAGE in text and _is_page(target) else os.O_EXCL
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | how, 0o600)
    except FileExistsError:
        raise UserError.of("cli.file_exists", target=target) from None
    except OSError as error:
        raise _refused(target, error, "Name a file in a folder that you may write to.") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        os.unlink(target)  # a partial file must not look complete
        raise _refused(target, error, "Make room, or name a file on another disk.") from None


def _is_page(target: str) -> bool:
    with open(target if os.path.isfile(target) else os.devnull, "rb") as file:  # a pipe would wait
        return PAGE.encode() in file.read(4096)


def _refused(target: str, error: OSError, fix: str) -> UserError:
    return UserError(f"{target} cannot be written: {error.strerror}.", fix=fix)
