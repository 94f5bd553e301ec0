"""Declare options of config.toml and their bounds, and check their values.

A section is a frozen struct. A field that is annotated with an `Option` can be set in
config.toml. Any other field is a fixed figure: tests may build the section with another value, a
user cannot. The docstring after a field gives the reason, the unit and the SPEC id, as in
`Longest rationale [chars, WM-1].`
"""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from msgspec import Struct

from wm.errors import UserError


class Option(Struct, frozen=True):
    """What the reader of config.toml needs to know about an option.

    least, most: the bounds of its value. common: one of the options that most people change.
    needs_consent: only the user may turn it on, so it is off while config.toml cannot be used.
    parse: reads a value that is not a number, a text, a switch or a table of these.
    """

    least: float = 0
    most: float | None = None
    common: bool = False
    needs_consent: bool = False
    parse: Callable[[Any, str], Any] | None = None


def one_of(words: tuple[str, ...]) -> Callable[[Any, str], Any]:
    """Return the `parse` of an option that is one of these words."""

    def parse(value: Any, where: str) -> str:
        if value not in words:
            raise UserError(f"{where} is {value!r}.", fix=f"Use one of: {', '.join(words)}.")
        return str(value)

    return parse


def options_of(section: Any) -> dict[str, Option]:
    """The options of a section (its class or a value), by name, in the order of its fields."""
    kind = section if isinstance(section, type) else type(section)
    return {
        name: about
        for base in reversed(kind.__mro__)
        for name, annotation in getattr(base, "__annotations__", {}).items()
        for about in getattr(annotation, "__metadata__", ())
    }


class Description(NamedTuple):
    """The parts of the docstring after a field."""

    text: str
    unit: str
    spec: str


_DESCRIPTION = re.compile(r"(.+?) \[(?:([^],]+), )?([A-Z]+-\d+)\]\.")


def describe(section: type) -> dict[str, Description]:
    """Return the description of each option and fixed figure, from the source of the section."""
    import ast  # here, not above: only `wm config` and the documents need the source
    import inspect

    found = {}
    for kind in reversed(section.__mro__[: section.__mro__.index(Struct)]):
        [made] = ast.parse(inspect.getsource(kind)).body
        assert isinstance(made, ast.ClassDef)
        for node, behind in pairwise(made.body):
            if isinstance(node, ast.AnnAssign) and isinstance(behind, ast.Expr):
                words = " ".join(ast.literal_eval(behind.value).split())
                if parts := _DESCRIPTION.fullmatch(words):
                    text, unit, spec = parts.groups("")
                    found[ast.unparse(node.target)] = Description(f"{text}.", unit, spec)
    return found


_LONGEST = {"days": 36_500, "hours": 876_000, "s": 2_000_000}
"""Upper bounds, by the unit that ends a name. Days and hours: a hundred years, because dates beyond
year 9999 do not exist. Seconds are waits: the system's limit is 31 bits of milliseconds."""
_MOST_NUMBER = 2**53
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}", re.ASCII)


def check_value(value: Any, default: Any, about: Option, where: str) -> Any:
    """Check and return the value of an option. where: file, section and option, the beginning of
    each message.

    Raises UserError for an invalid value.
    """
    if about.parse is not None:
        return about.parse(value, where)
    checked = _checked(value, default, where)
    most = about.most if about.most is not None else _LONGEST.get(where.rpartition("_")[2])
    if most is not None and checked > most:
        raise UserError(f"{where} is {value!r}.", fix=f"The maximum is {most}.")
    if about.least and checked < about.least:
        raise UserError(f"{where} is {value!r}.", fix=f"The minimum is {about.least}.")
    return checked


def _checked(value: Any, default: Any, where: str) -> Any:
    if isinstance(default, dict):
        return {**default, **_checked_table(value, next(iter(default.values())), where)}
    if isinstance(default, bool):
        return _typed(value, bool, where, "Write true or false.")
    if isinstance(default, str):
        return _typed(value, str, where, 'Write a text in "quotes".')
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UserError(f"{where} is {value!r}.", fix="Write a number.")
    if isinstance(default, int) and not isinstance(value, int):
        raise UserError(f"{where} is {value!r}.", fix="Write a whole number.")
    if value < 0:
        raise UserError(f"{where} is {value!r}.", fix="Write a number of 0 or more.")
    if not value <= _MOST_NUMBER:  # also refuses nan and inf
        raise UserError(f"{where} is {value!r}.", fix=f"The maximum is {_MOST_NUMBER}.")
    return value


def _typed(value: Any, kind: type, where: str, fix: str) -> Any:
    if not isinstance(value, kind):
        raise UserError(f"{where} is {value!r}.", fix=fix)
    return value


def _checked_table(value: Any, sample: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UserError(f"{where} must be a table.", fix="Write it as { name = value }.")
    for name in value:
        if not _NAME.fullmatch(name):
            raise UserError(
                f"{where}: {name!r} is not a valid name.",
                fix="A name is up to 32 small letters, digits, - and _, a letter first.",
            )
    return {name: _checked(item, sample, f"{where}.{name}") for name, item in value.items()}


def _wrong_text(_field: str, value: Any) -> str:
    return "" if isinstance(value, str) else 'Write a text: "…".'


class TableKind(Struct, frozen=True):
    """An option that is a list of tables, each with its own name.

    made: the class of a table. noun: what one is called. make: an instance of a table whose fields
    are checked, given the beginning of a message about it; raises UserError. name: what a name must
    match from its beginning. repeated: the message for a name that is used twice, and what to do.
    check: what to write instead of the value of a field, "" for a valid value.
    """

    made: type[Struct]
    noun: str
    header: str
    make: Callable[[Mapping[str, Any], str], Any]
    name: re.Pattern[str] = re.compile(r"[a-z][a-z0-9_-]{0,39}\Z")
    name_fix: str = 'Write name = "…": lower-case letters, _ or -.'
    repeated: tuple[str, str] = ("is the name of an earlier {noun}.", "Rename one.")
    check: Callable[[str, Any], str] = _wrong_text

    def parse(self, value: Any, where: str) -> tuple[Any, ...]:
        """The value of the option. Raises UserError."""
        return tuple(self.make(given, at) for at, given in _read_tables(value, where, self))


def _read_tables(
    value: Any, where: str, kind: TableKind
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each table with the beginning of a message about it."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise UserError(
            f"{where} must be tables.", fix=f"Begin each {kind.noun} with {kind.header}."
        )
    names: set[str] = set()
    for number, given in enumerate(value, 1):
        at, name = f"{where}, {kind.noun} {number}", given.get("name")
        if not isinstance(name, str) or not kind.name.match(name):
            raise UserError(f"{at} has no name.", fix=kind.name_fix)
        if name in names:
            what, fix = kind.repeated
            raise UserError(f"{at}: {name!r} {what.format(noun=kind.noun)}", fix=fix)
        names.add(name)
        at = f"{at} ({name})"
        _check_fields(given, at, kind)
        yield at, given


def _check_fields(given: Mapping[str, Any], at: str, kind: TableKind) -> None:
    known = kind.made.__struct_fields__
    for name, value in given.items():
        if name not in known:
            raise UserError(f"{at} has no field {name!r}.", fix=f"Fields are: {', '.join(known)}.")
        if name != "name" and (fix := kind.check(name, value)):
            raise UserError(f"{at}: {name} is {value!r}.", fix=fix)


def check_expression(text: str, at: str) -> None:
    """Raise UserError if `text` is not an expression of RE2. at: the beginning of the message."""
    import re2  # here, not above: few users have their own rules

    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(text, options=options)
    except re2.error as error:
        reason = error.args[0].decode() if isinstance(error.args[0], bytes) else error.args[0]
        raise UserError.of("config.bad_expression", at=at, text=text, reason=reason) from error
