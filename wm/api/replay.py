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
    with all for an hour, and without a cache. in_blocks: by the block model, in which whatever was
    sent before within the lifetime is read, and the rest is written. answers: the part of each that
    is for the model's answers, which no policy changes."""

    as_marked: float = 0.0
    five_minutes: float = 0.0
    one_hour: float = 0.0
    in_blocks: float = 0.0
    uncached: float = 0.0
    answers: float = 0.0


class ReplayedTurn(Record):
    """One request. at: "" if the recording has no times. reported: the service's own figures.

    replaced: decisions of the policy that were applied. faults: removed blocks that the answers
    before this request used; exact_faults: those of which a whole line was repeated; refetch: what
    restoring them costs, which is not in `bills`. rereads: reads of a file whose newest copy was
    removed, though unchanged. passages: texts with passages of removed content that it appended;
    used_passages: those that the answers before it needed. unmanaged: bills of the same request
    without the policy.
    broken_thinking: thinking blocks whose prefix changed. wrong: what the service would refuse.
    seconds: time that our own code took.
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
    exact_faults: int = 0
    refetch: Bills = Bills()
    rereads: int = 0
    passages: int = 0
    used_passages: int = 0
    unmanaged: Bills | None = None
    broken_thinking: int = 0
    wrong: tuple[str, ...] = ()
    seconds: float = 0.0


class ReplayedSum(Record):
    """Totals of requests. last_tokens, last_bytes: of the last request; largest_tokens: of the
    largest. reported_requests: number of requests with the service's own figures, which
    `reported` adds up. removals: what each request lacked, added up. removed_blocks,
    removed_tokens: what the policy removed, each block once."""

    requests: int = 0
    tokens: TokenCounts = TokenCounts()
    bills: Bills = Bills()
    reported_requests: int = 0
    reported: TokenCounts = TokenCounts()
    last_tokens: int = 0
    last_bytes: int = 0
    largest_tokens: int = 0
    replaced: int = 0
    removals: int = 0
    removed_blocks: int = 0
    removed_tokens: int = 0
    faults: int = 0
    exact_faults: int = 0
    refetch: Bills = Bills()
    rereads: int = 0
    passages: int = 0
    used_passages: int = 0
    broken_thinking: int = 0
    wrong: int = 0
    seconds: float = 0.0


class ReplayedConversation(Record):
    """unmanaged: the same work without the policy."""

    name: str
    model: str
    sum: ReplayedSum
    unmanaged: ReplayedSum | None = None


class PolicyShare(Record):
    """What a policy costs as a share of the same work without it, for input only: 0.6 saves two
    fifths. bill: with faults. bill_without_faults: without. in_blocks: `bill` by the block model.
    worst: the highest share of a conversation, with faults. highest: the highest share after any
    request, without faults. last: size of the last requests. long: `bill` of conversations over 100
    requests."""

    name: str
    bill: float
    bill_without_faults: float
    in_blocks: float
    worst: float
    highest: float
    last: float
    long: float | None
    faults: int
    exact_faults: int = 0
    rereads: int
    removed_tokens: int


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


class JudgedAnswers(Record):
    """same, different: pairs of answers by what they do. unclear: the verdict depended on their
    order."""

    same: int = 0
    different: int = 0
    unclear: int = 0


class ReplayJudgement(Record):
    """What the helper model does next, by its own verdict. managed: with the policy beside without
    it. control: twice without it, because no model gives the same answer twice. by: the model.
    problem: why it ended early; "" if it did not."""

    by: str
    managed: JudgedAnswers = JudgedAnswers()
    control: JudgedAnswers = JudgedAnswers()
    problem: str = ""


class ReplayReport(Record):
    """before: the same work without the policy; left out if the policy is `none`. compared: this
    policy and others. assumed_model: the model that prices and sizes are of; "" takes those in the
    requests. head_tokens: tool schemas added in front of each request. ttl: the lifetime given to
    every mark; "" keeps the recorded ones. return_limits: how much more similar to one, and
    to two earlier messages a message must be to return to their subject; empty if returns were not
    looked for."""

    policy: str
    assumed_model: str = ""
    head_tokens: int = 0
    ttl: str = ""
    return_limits: tuple[float, ...] = ()
    compared: tuple[PolicyShare, ...] = ()
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
    judged: ReplayJudgement | None = None


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
    """What the policy `safe` would remove. results: number of texts it shortens. sent: tokens that
    would not have been sent; dollars: their cost, with the cache."""

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
