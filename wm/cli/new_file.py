"""Writes text to a new file that a person named. Never overwrites one."""

from __future__ import annotations

import os

from wm.errors import UserError


def create(target: str, text: str) -> None:
    """Write a text to a file that only its owner may read. Raises UserError if it exists already
    or cannot be written."""
    try:
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        fix = "Name another file."
        raise UserError(f"{target} already exists; nothing was changed.", fix=fix) from None
    except OSError as error:
        raise _refused(target, error, "Name a file in a folder that you may write to.") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        os.unlink(target)  # a partial file must not look complete
        raise _refused(target, error, "Make room, or name a file on another disk.") from None


def _refused(target: str, error: OSError, fix: str) -> UserError:
    return UserError(f"{target} cannot be written: {error.strerror}.", fix=fix)
