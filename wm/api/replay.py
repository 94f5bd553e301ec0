"""Results of `wm replay` and `wm audit`. Money is US dollars; token counts come from the model of
`wm.wire.cachesim` unless a field says that they were reported."""

from wm.formats.base import Record


class TokenCounts(Record):
    """prompt: all tokens that were read; the four fields after it add up to it."""

    prompt: int = 0
    input: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    output: int = 0

    @property
    def cache_write(self) -> int:
        return self.cache_write_5m + self.cache_write_1h


class Bills(Record):
    """Costs of the same work: with the cache marks as they are, with all of them for five minutes,
    with all for an hour, and without a cache."""

    as_marked: float = 0.0
    five_minutes: float = 0.0
    one_hour: float = 0.0
    uncached: float = 0.0


class ReplayedTurn(Record):
    """One request. at: "" if the recording has no times. reported: the service's own figures.

    replaced: results that the policy shortened. faults: calls that read a file again whose result
    was replaced. broken_thinking: thinking blocks whose prefix changed. wrong: what the service
    would refuse. seconds: time that our own code took.
    """

    number: int
    conversation: str
    call: str
    model: str
    at: str
    bytes: int
    messages: int
    tokens: TokenCounts
    bills: Bills
    reported: TokenCounts | None = None
    replaced: int = 0
    faults: int = 0
    broken_thinking: int = 0
    wrong: tuple[str, ...] = ()
    seconds: float = 0.0


class ReplayedSum(Record):
    """Totals of requests. last_tokens, last_bytes: of the last request; largest_tokens: of the
    largest. reported_requests: number of requests with the service's own figures, which
    `reported` adds up."""

    requests: int = 0
    tokens: TokenCounts = TokenCounts()
    bills: Bills = Bills()
    reported_requests: int = 0
    reported: TokenCounts = TokenCounts()
    last_tokens: int = 0
    last_bytes: int = 0
    largest_tokens: int = 0
    replaced: int = 0
    faults: int = 0
    broken_thinking: int = 0
    wrong: int = 0
    seconds: float = 0.0


class ReplayedConversation(Record):
    name: str
    model: str
    sum: ReplayedSum


class ReplayedModel(Record):
    """priced_as: the row of the price table, "" if the price of the model is unknown
    (known: False); its requests are then in no bill. own: the price is from the user's config.

    factor: applied to estimated tokens, computed from `reported` requests; 1 without any.
    """

    name: str
    priced_as: str
    known: bool
    own: bool = False
    requests: int
    factor: float
    reported: int


class ReplayReport(Record):
    """before: the same work without the policy; left out if the policy is `none`."""

    policy: str
    prices: str
    files: tuple[str, ...]
    total: ReplayedSum
    before: ReplayedSum | None = None
    conversations: tuple[ReplayedConversation, ...]
    turns: tuple[ReplayedTurn, ...]
    models: tuple[ReplayedModel, ...]
    left: dict[str, int]
    """What was not replayed, by reason."""
    timed: bool
    """The recordings contain times; without times no cache entry expires."""


class Share(Record):
    """Where tokens are used. tokens: at first appearance; sent: counted each time they were
    sent."""

    name: str
    tokens: int
    sent: int
    blocks: int


class FileReads(Record):
    """A file that was read more than once. unchanged: repeated reads of the same content, with no
    write to the file between. path: without secrets."""

    path: str
    reads: int
    again: int
    unchanged: int
    tokens: int


class PruningSavings(Record):
    """What pruning at first appearance would remove. results: number of results it shortens. sent:
    tokens that would not have been sent; dollars: their cost, with the cache."""

    results: int
    sent: int
    dollars: float


class AuditReport(Record):
    """amplification: how often a token was sent on average. saved: dollars that the cache saved
    compared with no cache; by the service's figures if all requests have them (`reported`)."""

    files: tuple[str, ...]
    requests: int
    conversations: int
    prices: str
    models: tuple[ReplayedModel, ...]
    tokens: TokenCounts
    bills: Bills
    reported: bool
    saved: float
    amplification: float
    kinds: tuple[Share, ...]
    tools: tuple[Share, ...]
    reads: int
    reads_again: int
    reads_unchanged: int
    rereads: tuple[FileReads, ...]
    pruning: PruningSavings
    left: dict[str, int]
