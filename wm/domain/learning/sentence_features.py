"""The sentences and clauses that a user typed, as sets of features (EX-7).

A feature is a concept that the words express (`concepts`), the opening, the form of the sentence,
its place in the message, or a word of it (`word_grams`). `stated` weighs them, with the weights
that `python -m tests.bench fit_stated` writes. Text in quotation marks and code expresses no
concept. Pure and linear (EX-6). Does not decide what lasts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple

from wm.domain.change.statement import marks_change
from wm.domain.learning.concepts import (
    JOINT,
    Found,
    bans_what_follows,
    concepts_in,
    concepts_of,
    folded,
    language,
    phrases,
)
from wm.domain.learning.typed_lines import typed_lines
from wm.text.linear_model import LinearModel, read_model
from wm.text.patterns import Lazy, encoded
from wm.text.patterns import words as word_set
from wm.text.sentence_forms import ASKS, PATH, forms_of, length_of
from wm.text.sentences import without_ordinals
from wm.text.word_grams import JOINED, grams

MAX_CHARS = 400
"""Longest sentence that is judged; a longer one is a text of its own, not a remark."""

MAX_SENTENCES = 60
"""Sentences of a message that are judged. A message with more is a document."""

MAX_CLAUSES = 8
"""Clauses of a sentence; one with more is a list."""

MIN_CLAUSE_CHARS, MIN_JOINED_CHARS = 8, 5
"""Shortest clause that is judged by itself; the second in Chinese, Japanese and Korean."""

MAX_MESSAGE_CHARS = 12_000
"""Beginning of a message that is read; what is longer was pasted."""


class Place(NamedTuple):
    """Where a text is in its message: the number of its sentence, its first and last clause."""

    sentence: int
    first: int = 0
    last: int = MAX_CLAUSES

    def overlaps(self, other: Place) -> bool:
        same = self.sentence == other.sentence
        return same and self.first <= other.last and other.first <= self.last


class Sentence(NamedTuple):
    """A sentence, or clauses of one, that may state something lasting. text: a sentence without its
    opening ("no, …"). grams: its words, their pairs and parts. typed: the sentence with its opening
    and what was cut off at its end. after: the "but …" behind it. around: features of its message
    and its neighbours."""

    text: str
    lang: str
    features: frozenset[str]
    grams: frozenset[str] = frozenset()
    place: Place = Place(0)
    typed: str = ""
    after: str = ""
    around: frozenset[str] = frozenset()


_END = Lazy(
    r"[.!?…]+[\"'”’)]*(?:\s+|$)|\?,\s+|\s+\(?\d\)\s+|[。！？।…]+[」』”）]?|;\s+|；|\s+[—–]\s+|\n+|\.{2,}\s*|"
    r",\s+(?:but|aber|mais|pero|mas|però|maar|ale|но|ama|nhưng)\s+|，但是?|けど、|지만,?\s"
)
_QUOTATION = Lazy(r"\"[^\"\n]+\"|“[^”\n]+”|„[^“”\n]+[“”]|«[^»\n]+»|「[^」\n]+」|`[^`\n]+`")
_CODE = Lazy(
    r"^[ \t\r\f]*(?://|#|/\*|\$ |!\w|const |let |var |def |class |import |return |<\w)|"
    r"(?:[;{}]|\w\(\w*\))[ \t\r\f]*$",
    multi_line=True,
)
_SHORT = Lazy(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|z\.\s?b|d\.\s?h|bzw|ca|p\.\s?ex|approx|no|nr|"
    r"dr|mr|mrs|ms|prof|st|mme|sr|sra|dra|dott|ing|[^\W\d])\.$|:\s*\d\.$",
    ignore_case=True,
)
_BULLET = Lazy(
    r"^[ \t\r\f]*(?:(?:[-*+•]|\d{1,2}[.)]|[a-z]\))[ \t\r\f]+|[・●▪◦][ \t\r\f]*)", multi_line=True
)
_CLAUSE = Lazy(r",\s+|，|、|\s+-\s+|:\s+|：")


@cache
def model() -> LinearModel:
    """The fitted weights."""
    return read_model("wm.domain.learning", "stated.toml")


class _Piece(NamedTuple):
    """but: it ends before a "but", which what follows it begins with."""

    text: str
    asks: bool
    ellipsis: bool
    but: bool = False


def _may_quote(text: str) -> bool:
    return any(map(text.__contains__, '"“„«「`'))


def _quoted(text: str) -> list[tuple[int, int]]:
    return [*_QUOTATION.spans(text)] if _may_quote(text) else []


def _pieces(line: str, lang: str) -> Iterator[_Piece]:
    """The sentences of a typed line. A quotation is not split, nor what is in brackets."""
    start = 0
    quoted = _quoted(line)
    for end in _END.finditer(without_ordinals(line)):
        head = line[start : end.start() + 1]
        if any(first < end.start() < last - 1 for first, last in quoted):
            continue
        mark = end.group()
        if mark[:2].rstrip() == "." and _SHORT.search(head[-8:]) is not None:
            continue
        but = mark[0] in ",，けは지"
        if but and len(head) >= MIN_CLAUSE_CHARS and _restricts(line[end.end() :], lang):
            continue
        if not is_closed(line[start : end.end()]) and is_closed(line[start:]):
            continue
        stop = mark[:1] if mark[:1] in ".。！!" and mark[1:2] != "." else ""
        text = line[start : end.start()].strip() + stop
        yield _Piece(text, bool(ASKS.search(mark)), mark[:2] == "..", but)
        start = end.end()
    yield _Piece(line[start:].strip(), False, False)


def is_closed(text: str) -> bool:
    """Whether every bracket and quotation mark that a text opens is closed in it."""
    pairs = (("(", ")"), ("[", "]"), ("{", "}"), ("（", "）"), ("「", "」"), ("«", "»"))
    return text.count('"') % 2 == 0 and all(text.count(x) == text.count(y) for x, y in pairs)


_STOP = Lazy(r"[,;:!?.()，、；：！？。（）]|$")
_BUT = Lazy(
    r"^(?:(?:but|though|however|aber|mais|pero|mas|ma|però|maar|ale|но|ama|nhưng)\s|但|不过|でも|하지만)",
    ignore_case=True,
)
EXCEPTION_WORDS = 6


def _restricts(text: str, lang: str, ends: bool = True) -> bool:
    """Whether a clause takes something away from the one before it: "(uploads have a limit, but)
    only for guests" or, if `ends`, "(it runs on port 8080, but) the gateway doesn't"."""
    stop = _STOP.search(text)
    clause = folded(text[: stop.start()] if stop is not None else text)
    if concepts_of(clause, lang).first & _TAKES_AWAY:
        return True
    written = " " + clause.replace("' ", "'")
    size = len(clause) // 2 if lang in JOINED else written.count(" ")
    return ends and size <= EXCEPTION_WORDS and written.endswith(_exceptions(lang))


@cache
def _exceptions(lang: str) -> tuple[str, ...]:
    """How a clause ends that says only what is an exception."""
    words = filter(None, phrases("excepted").get(lang, "").split("|"))
    return tuple(word if lang in JOINED else f" {word}" for word in words)


_ALLOWS_BOTH = frozenset({"always", "ban", "must", "only", "prefer", "negated"})
"""A rule may name two things: "every PR must be approved by Mara or Jonas"."""

_BEHIND = frozenset({"doubted", "undecided", "nobody"})


def opening_before(head: str) -> str:
    """The words of a text's sentence that precede it. head: its message up to it."""
    # An end may reach over blank lines into the line; nothing further up matters.
    above = head[: head.rfind("\n") + 1].rstrip()
    near = head[above.rfind("\n") + 1 :]
    return near[max((end for _, end in _END.spans(near)), default=0) :]


def doubts_before(head: str, text: str) -> frozenset[str]:
    """`_doubts` that precede a text in its sentence. head: its message up to it."""
    opening = opening_before(head)
    return _doubts(opening, "", "", language(folded(opening + text)))


def _doubts(before: str, text: str, after: str, lang: str) -> frozenset[str]:
    """Features of a text about what another person says or does, that leaves something open, or
    that is denied or taken back. before: the words of its sentence before it; after: the "but …"
    or the clause behind it."""
    every, said, behind = (
        concepts_of(_unquoted(part), lang) for part in (f"{before} {text}".strip(), text, after)
    )
    unsure = said.anywhere & {"undecided"} | behind.first & {"either"} | behind.anywhere & _BEHIND
    if "own_words" not in every.anywhere | behind.anywhere:
        unsure |= every.anywhere & {"hearsay"}
    if "we" not in every.anywhere:
        unsure |= every.first & {"company"}
    if not every.anywhere & _ALLOWS_BOTH and "task" not in said.first:
        unsure |= said.anywhere & {"either"}
    return every.anywhere & {"denied"} | frozenset({"unsure"} if unsure else ())


LEAD_WORDS = 6


def sentences(message: str, before: str = "") -> list[Sentence]:
    """The sentences of a message with their features, in order. before: the end of the agent's
    last words."""
    read = message[:MAX_MESSAGE_CHARS]
    lines = [x for x in typed_lines(read) if x.text.strip()]
    code = frozenset(_CODE.line_numbers(encoded(read)))
    typed_here = (x for x in lines if not x.origin)
    kept = (x.text for x in typed_here if x.number not in code or _is_about_mark(x.text))
    bare = _BULLET.sub("", "\n".join(_without_banned_items(kept))).split("\n")
    typed = "\n".join(_without_files(_unmarked(line)) for line in bare)
    lang = language(folded(typed[:2000]))
    found_in = (piece for line in typed.split("\n") for piece in _pieces(line, lang))
    pieces = list(islice((p for p in found_in if p.text.strip(".。！!")), MAX_SENTENCES))
    pasted = bool(code) or any(x.origin for x in lines)
    shared = _shared(message, len(pieces), pasted)
    shared |= {"asking"} if any(piece.asks for piece in pieces) else set()
    if before:
        shared |= {"before", "answered"} if before.rstrip().endswith(("?", "？")) else {"before"}
    found: list[Sentence] = []
    for at, piece in enumerate(pieces):
        own = shared | ({"first"} if at == 0 else set())
        if at and pieces[at - 1].but:
            own |= _doubts("", "", piece.text, lang)
        after = pieces[at + 1].text if at + 1 < len(pieces) else ""
        after = after if piece.but or _BUT.is_match(after) else ""
        found.append(_sentence(piece, lang, own, Place(at), after))
    return [one for one in _with_neighbours(found) if len(one.text) <= MAX_CHARS]


def _is_about_mark(line: str) -> bool:
    """Whether a line that looks like a shell command is about a word with such a mark: "!important
    is banned"."""
    words = folded(line[:40]).split() if line.lstrip().startswith("!") else []
    return "copula" in concepts_of(" ".join(words[2:3]), "en").anywhere


def _without_banned_items(lines: Iterable[str]) -> Iterator[str]:
    """The lines without the items that a ban above them lists: "Avoid these:"."""
    is_banned = False
    for line in lines:
        is_banned = is_banned and _BULLET.is_match(line)
        if not is_banned:
            yield line
            is_banned = line.rstrip(" \t*_").endswith((":", "：")) and bans_what_follows(line)


def _unmarked(line: str) -> str:
    """A line without the marks of bold words; `src/**/*.ts` stays."""
    if "**" not in line:
        return line
    words = line.split(" ")
    return " ".join(
        one if "/" in one else one.removeprefix("**").removesuffix("**") for one in words
    )


_FILES = Lazy(r"^\s*(?:@(?:[/\\~]|\w{1,5}:)?[^\s@]*(?:[/\\]|\.\w{1,5}[:\d-]*)(?:\s+|$))+")
_IS_SUBJECT = frozenset({"copula", "present", "must"})


def _without_files(line: str) -> str:
    """A line without the files that a client attaches at its beginning: "@api.py @db.py add a
    test". One that the line is about stays: "@api.py is generated"."""
    files = _FILES.match(line) if line.lstrip()[:1] == "@" else None
    if files is None:
        return line
    rest = line[files.end() :]
    found = concepts_in(rest[:80]).first
    return line if found & _IS_SUBJECT and "task" not in found else rest


_OF_NEIGHBOURS = word_set("""
    retract sarcasm task first:task request first:request asks inner_ask always first:always ban
    first:ban we first:we decide correct past deictic first:alters
""")
"""Features of the sentences before and after that count for a sentence, as prev:… and next:…."""


def _with_neighbours(found: Sequence[Sentence]) -> Iterator[Sentence]:
    every = [one.features & _OF_NEIGHBOURS for one in found]
    openings = [{"retract"} if "lead:retract" in one.features else set() for one in found]
    follows = [one | opening for one, opening in zip(every, openings, strict=True)]
    for one, before, after in zip(found, [None, *every], [*follows[1:], None], strict=False):
        features = {f"prev:{name}" for name in before or ()}
        features |= {"last"} if after is None else {f"next:{name}" for name in after}
        yield one._replace(features=one.features | features, around=one.around | features)


def _shared(message: str, count: int, pasted: bool) -> set[str]:
    found = {"pasted"} if pasted else set()
    found.add("alone" if count == 1 else "few" if count <= 4 else "many")
    size = len(message)
    found.add("brief" if size < 60 else "note" if size < 150 else "text" if size < 600 else "page")
    if size > 1500:
        found.add("huge")
    return found


def _sentence(
    piece: _Piece, lang: str, shared: set[str], place: Place, after: str = ""
) -> Sentence:
    """after: the "but …" behind it."""
    if len(piece.text) > MAX_CHARS:
        return Sentence(piece.text, lang, frozenset(), place=place)
    text, lead = _without_lead(piece.text, lang)
    text, tail = _without_tail(_ended(text, lang), lang)
    shared = shared | ({"asks"} if piece.asks else set())
    shared |= {"ellipsis"} if piece.ellipsis else set()
    head = piece.text[: piece.text.find(text)]
    last = _CLAUSE.sub("\n", text).rpartition("\n")[2]
    doubts = _doubts(head, text, after or (last if _BUT.is_match(last) else ""), lang)
    features = shared | doubts | {f"lead:{c}" for c in lead} | {f"tail:{c}" for c in tail}
    found = _with_form(text, lang, features, concepts_of(_unquoted(text), lang))
    return found._replace(
        place=place, typed=piece.text, after=after, around=frozenset(shared | doubts & {"denied"})
    )


def _ended(text: str, lang: str) -> str:
    """A text without the "and" of a list that goes on in the next line."""
    words, _, last = text.rpartition(" ")
    joints = phrases(JOINT).get(lang, "").split("|")
    return words.rstrip(_BETWEEN) if words and last in joints and last != "so" else text


@lru_cache(maxsize=64)
def _unquoted(text: str) -> str:
    """A `folded` text without its quotations, which are not what the user states."""
    return folded(_QUOTATION.sub(" ", text) if _may_quote(text) else text)


def _with_form(text: str, lang: str, features: set[str], concepts: Found) -> Sentence:
    """A text with what it expresses, its form and its words."""
    features = {*features, *concepts.anywhere, *(f"first:{name}" for name in concepts.first)}
    features |= forms_of(text)
    if _opens_with_noun(text, lang):
        features -= {"task", "first:task", "first:request", "first:subject_not", "first:present"}
    if "retract" in features and features & {"we", "present"} and marks_change(text):
        features -= {"retract", "first:retract"}  # "forget Sass, we use Tailwind from now on"
    if "present" in concepts.anywhere and not concepts.first & _NO_SUBJECT:
        features.add("about_thing")
    if lang not in JOINED and features & {"always", "ban"}:
        features |= _orders(_unquoted(text), lang)
    features.add(length_of(folded(text) if _may_quote(text) else _unquoted(text), lang))
    return Sentence(text, lang, frozenset(features), grams(text, lang, model().grams))


def _orders(plain: str, lang: str) -> frozenset[str]:
    """What a text orders behind "please" and "can you": something for always, or a ban; also where
    "always" follows the verb: "nutze bitte immer …". plain: a folded text."""
    rest = _behind_request(plain, lang)
    first = concepts_of(rest, lang).first
    found = {"orders:ban"} if "ban" in first and rest != plain else set()
    if first >= _FOR_ALWAYS:
        return frozenset(found | {"orders:always"})
    if "task" in first:
        behind = _behind_request(rest.partition(" ")[2], lang)
        found |= {"does:always"} if concepts_of(behind, lang).first >= _FOR_ALWAYS else set()
    return frozenset(found)


_FOR_ALWAYS = frozenset({"always", "for_good"})
"""The concepts of "always" that "each" and "all" do not share."""


def _behind_request(plain: str, lang: str) -> str:
    """A folded text without "please", "can you", "make sure you" and the like at its beginning."""
    known = _requests(lang)
    for _ in range(3):
        if not plain.startswith(known):
            break
        plain = plain[len(next(filter(plain.startswith, known))) :].lstrip()
    return plain


@cache
def _requests(lang: str) -> tuple[str, ...]:
    rows = "|".join(phrases(name).get(lang, "") for name in ("assure", "request"))
    return tuple(f"{phrase} " for phrase in rows.split("|") if phrase)


_COMPOUND = Lazy(r"^(?:\pL[\w./-]* ){1,3}(?:is|are) ")
_OF_COMMAND = Lazy(
    r"^(?:ensure|check|verify|confirm|assume|assert|expect|see|tell|note|show|explain|find|say)\b|"
    r"^(?:wh(?:at|en|ere|ich|ose?|om|y)|how|if|it|there|th(?:is|at|ese|ose|ey))\b|"
    r"^[\w ]* (?:sure|the|an?|my|our|your|all|any|every|no|not|if|that|this|th[eo]se|they|there|it|"
    r"wh\w+|how|in|on|at|to|of|for|from|with|by|and|or|but|so) .*?\b(?:is|are) "
)
_ARTICLE = {"de": Lazy(r"^(?:[Dd]ie|[Dd]as) \p{Lu}"), "es": Lazy(r"^[Ee]l \pL"),
            "nl": Lazy(r"^[Hh]et \pL")}  # fmt: skip


def _opens_with_noun(text: str, lang: str) -> bool:
    """Whether a text opens with a noun that reads like a command ("cache ttl is 60s") or like a
    pronoun ("el backend usa Go")."""
    if lang == "en":
        plain = folded(text[:80]) if " is " in text or " are " in text else ""
        return _COMPOUND.is_match(plain) and not _OF_COMMAND.is_match(plain)
    article = _ARTICLE.get(lang)
    if article is None or not article.is_match(text):
        return False
    return not concepts_of(" ".join(folded(text).split()[1:2]), lang).anywhere & {"copula"}


@cache
def _cut(lang: str) -> Lazy:
    """Where a sentence may be cut into clauses. A joint of another language is a word like any
    other: the German "so", the French "ma"."""
    joints = phrases(JOINT).get(lang, "")
    if not joints:
        return Lazy(r"[,，、：()（）]\s*|:\s+|\s+-\s+|因为|所以|けど|から、|ので|니까|는데")
    also = "|or|which" if lang == "en" else ""
    return Lazy(
        rf"(?:[，、：()（）]\s*|[,:]\s+)(?:(?:{joints}{also})\s+)?|\s+-\s+|\s+(?:{joints})\s+"
    )


def clauses(sentence: Sentence) -> Iterator[Sentence]:
    """Each clause of a sentence, and each two neighbours. What the others express counts as before
    and after them."""
    text, lang = sentence.typed, sentence.lang
    cuts = list(_cuts(text))
    if not 2 <= len(cuts) <= MAX_CLAUSES:
        return
    own = [concepts_of(folded(text[start:end]), lang) for start, end in cuts]
    pairs = [(at, at + 1) for at in range(len(cuts) - 1)] if len(cuts) > 2 else []
    for first, last in sorted([*((at, at) for at in range(len(cuts))), *pairs]):
        start, end = cuts[first][0], cuts[last][1]
        part = text[start:end].strip(_BETWEEN)
        part += "" if is_closed(part) else text[end:].strip()[:1]
        least = MIN_JOINED_CHARS if lang in JOINED else MIN_CLAUSE_CHARS
        if len(part) < least or not is_closed(part) or _is_restricted(own[:first]):
            continue
        after = sentence.after
        if last + 1 < len(cuts):
            after = text[end : cuts[last + 1][1]].strip(_BETWEEN)
            is_short = after[0] in "(（" or _BUT.is_match(after)
            if _restricts(text[slice(*cuts[last + 1])], lang, is_short):
                continue
        features = {*sentence.around, "clause", f"clauses:{last - first + 1}"}
        features |= _doubts(text[:start], part, after, lang)
        features |= {f"lead:{name}" for one in own[:first] for name in one.anywhere}
        features |= {f"tail:{name}" for one in own[last + 1 :] for name in one.anywhere}
        if first:
            features |= {f"lead:first:{name}" for name in own[0].first}
            features.add("after:" + _joint(text[cuts[first - 1][1] : cuts[first][0]]))
        if last + 1 < len(cuts):
            features.discard("asks")
            features |= {f"tail:first:{name}" for name in own[last + 1].first}
            features.add("until:" + _joint(text[cuts[last][1] : cuts[last + 1][0]]))
        concepts = Found(own[first].anywhere | own[last].anywhere, own[first].first)
        found = _with_form(part, lang, features, concepts)
        yield found._replace(place=Place(sentence.place.sentence, first, last))


_RESTRICTS = frozenset({"condition", "hypo", "limit", "only", "soon"})
_TAKES_AWAY = _RESTRICTS | {"negated", "exempt", "example"}
"""A "no" before a clause corrects the agent; a "not" behind it is an exception."""


def _is_restricted(before: Sequence[Found]) -> bool:
    """Whether the clauses before one restrict it: "for now, …"."""
    return any(one.first & _RESTRICTS or one.anywhere & {"hypo", "limit"} for one in before)


def _cuts(text: str) -> Iterator[tuple[int, int]]:
    """The clauses of a sentence as start and end. A quotation is not cut."""
    start, quoted = 0, _quoted(text)
    for cut in _cut(language(folded(text))).finditer(text):
        if any(first < cut.start() < last - 1 for first, last in quoted):
            continue
        if text[start : cut.start()].strip(_BETWEEN):
            yield start, cut.start()
        start = cut.end()
    if text[start:].strip(_BETWEEN + ".?!)"):
        yield start, len(text)


def _joint(text: str) -> str:
    """What joins two clauses: the last word or mark between them."""
    return (text.lower().split() or ["word"])[-1]


_NO_SUBJECT = frozenset({"subject_not", "task", "request", "ask", "joined", "myself", "you"})
"""A sentence that begins with one of these is not about a named thing."""


def _without_lead(text: str, lang: str) -> tuple[str, frozenset[str]]:
    """The sentence without openings such as "no," and "one thing:", and what these express."""
    lead: frozenset[str] = frozenset()
    for _ in range(3):
        mark = _CLAUSE.search(text[:80])
        if mark is None or mark.end() >= len(text):
            break
        head = folded(text[: mark.start()])
        size = len(head) // 2 if lang in ("zh", "ja", "ko") else len(head.split())
        if size > (LEAD_WORDS if mark.group()[0] in ":：" else LEAD_WORDS // 2):
            break
        found = concepts_of(head, lang)
        if PATH.is_match(text[: mark.start()]) or "ban" in found.first:
            break
        opens = {"fyi", "correct", "decide"} if mark.group()[0] in ":：" else {"fyi", "correct"}
        if not found.first & opens and size > 1:
            break
        lead |= found.anywhere or {"other"}
        text = text[mark.end() :].strip()
    return text, lead


_BETWEEN = ",，、:： -"


def _without_tail(text: str, lang: str) -> tuple[str, frozenset[str]]:
    """The sentence without a task after its last comma ("…, please fix"), and the concepts of this
    task. What follows a condition stays: "when you touch the parser, run the fuzz tests"."""
    at = max((start for start, _ in _CLAUSE.spans(text) if text[start] not in ":："), default=0)
    if at < MIN_CLAUSE_CHARS or not is_closed(text[:at]):
        return text, frozenset()
    tail = concepts_of(folded(text[at:].lstrip(_BETWEEN)), lang)
    is_task = tail.first & {"task", "request", "person"} and not tail.first & {"ban", "always"}
    if not is_task or "condition" in concepts_of(folded(text[:40]), lang).first:
        return text, frozenset()
    head = concepts_of(_behind_request(folded(text[:at]), lang), lang).first
    if "choose" in tail.first and head & {"ban", "negated"}:
        return text, frozenset()  # "please no emojis, use icons"
    return text[:at].strip(), tail.anywhere
