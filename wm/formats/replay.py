"""What `wm replay` and `wm audit` tell. Money is US dollars, tokens are counted by the model of
`wm.wire.cachesim` unless a field says that they were reported."""

from wm.formats.base import Record


class Tokens(Record):
    """prompt: all that was read; the four parts behind it add up to it."""

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
    """The same work with the marks as they are, with all of them for five minutes, all for an
    hour, and without a cache."""

    as_marked: float = 0.0
    five_minutes: float = 0.0
    one_hour: float = 0.0
    uncached: float = 0.0


class ReplayedTurn(Record):
    """One request. at: "" where the recording tells no time. reported: what the service said.

    replaced: results that the policy shortened. faults: calls that read a file again whose result
    was replaced. broken_thinking: blocks whose prefix is no longer theirs. wrong: what the service
    would refuse. seconds: time that our own code took.
    """

    number: int
    conversation: str
    call: str
    model: str
    at: str
    bytes: int
    messages: int
    tokens: Tokens
    bills: Bills
    reported: Tokens | None = None
    replaced: int = 0
    faults: int = 0
    broken_thinking: int = 0
    wrong: tuple[str, ...] = ()
    seconds: float = 0.0


class ReplayedSum(Record):
    """Requests added up. last_tokens, last_bytes: of the last request; largest_tokens: of the
    largest. reported_requests: those that the service's own figures are known of, which
    `reported` adds up."""

    requests: int = 0
    tokens: Tokens = Tokens()
    bills: Bills = Bills()
    reported_requests: int = 0
    reported: Tokens = Tokens()
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
    """priced_as: the row of the table of prices, "" where nobody knows what the model costs
    (known: False): its requests are in no bill. own: the user's configuration has the price.

    factor: what estimated tokens were multiplied with, from `reported` requests; 1 without any.
    """

    name: str
    priced_as: str
    known: bool
    own: bool = False
    requests: int
    factor: float
    reported: int


class ReplayReport(Record):
    """before: the same work without the policy; left out where the policy is `none`."""

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
    """The recordings tell times; without them nothing expires."""


class Share(Record):
    """Where tokens go. tokens: when they first appeared; sent: as often as they were sent."""

    name: str
    tokens: int
    sent: int
    blocks: int


class FileReads(Record):
    """A file that was read more than once. unchanged: reads of what was read before, with no write
    to the file between. path: without secrets."""

    path: str
    reads: int
    again: int
    unchanged: int
    tokens: int


class Pruned(Record):
    """What pruning at first appearance would take away. results: that it shortens. sent: tokens
    that would not have been sent; dollars: what they cost, with the cache."""

    results: int
    sent: int
    dollars: float


class AuditReport(Record):
    """amplification: how often a token was sent on average. saved: what the cache saved against
    none, in dollars; by the service's figures where all requests have them (`reported`)."""

    files: tuple[str, ...]
    requests: int
    conversations: int
    prices: str
    models: tuple[ReplayedModel, ...]
    tokens: Tokens
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
    pruning: Pruned
    left: dict[str, int]
