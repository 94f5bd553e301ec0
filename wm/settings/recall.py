"""Section [recall]: search by words and by meaning. The fitted numbers are in `recall_fit`.

What users may set: the model, waiting times, the sizes of answers, and recall in prompts.
"""

from typing import Annotated

from wm.settings.recall_fit import RecallFit
from wm.settings.schema import Option


class RecallSettings(RecallFit, frozen=True, eq=False):
    """Search by words and by meaning (SPEC section 12)."""

    model: Annotated[str, Option(common=True)] = ""
    """Model for similarity of meaning: embedded, none, the name of an installed model, or the
    folder of one (needs the extra [models]). Empty: what `wm models use` chose, at first embedded.
    Read when a process starts [RC-2]."""
    models_url: Annotated[str, Option(needs_consent=True)] = "https://huggingface.co"
    """Server that `wm models pull` fetches from. A mirror is as good: every file has a pinned
    digest [RC-2]."""
    max_model_bytes: Annotated[int, Option()] = 4 * 1024 * 1024 * 1024
    """Largest file of a model that `wm models import` takes [bytes, RC-2]."""
    max_hits: Annotated[int, Option(least=1, common=True)] = 10
    """Hits of one search unless asked otherwise [hits, RC-1]."""
    graph_from: Annotated[int, Option()] = 20_000
    """Number of vectors from which a graph gives the candidates of a query; below it, all are
    compared [vectors, RC-3]."""
    prompts: Annotated[bool, Option(common=True)] = True
    """Give a session the memories that match the user's message and are not in its prompt
    [RC-1]."""
    prompt_entries: Annotated[int, Option(common=True)] = 3
    """Most entries recalled for one message [entries, RC-1]."""
    prompt_chars: Annotated[int, Option()] = 900
    """Characters of the entries recalled for one message; pinned entries have their own limit
    [chars, RC-1]."""
    embed_wait_s: Annotated[float, Option()] = 0.25
    """Longest wait of a search for vectors; then words alone decide [s, RC-2]."""
    embed_idle_s: Annotated[float, Option()] = 300.0
    """An embedder that is not used for this long is unloaded [s, RC-2]."""

    # Fixed: not options of config.toml.
    pull_wait_s: float = 15.0
    """Longest silence of the server before `wm models pull` gives up [s, RC-2]."""
    standing_entries: int = 6
    """Pinned entries given with every reply [entries, RC-1]."""
    standing_chars: int = 1200
    """Characters of the pinned entries given with a reply; what does not fit is counted [chars,
    RC-1]."""
    search_confidence: float = 0.4
    """A search shows nothing if no hit is this sure [RC-1]."""
    answer_confidence: float = 0.75
    """Least confidence of a hit that answers the query [RC-1]."""
    prompt_confidence: float = 0.7
    """Least confidence of an entry recalled for a message [RC-1]."""
    task_confidence: float = 0.3
    """Least confidence of a rule that is recalled behind a task; measured on 20 tasks and 20
    sentences of chatter, of which none reaches it with `task_lead` [RC-1]."""
    task_lead: float = 0.1
    """Lead in confidence of that rule over the next entry [RC-1]."""
    clear_lead: float = 0.15
    """Lead in confidence that makes one hit clearly better than another [RC-1]."""
    graph_hits: int = 256
    """Candidates that the vector graph gives for a query [documents, RC-3]."""
    answer_tokens: int = 200
    """Longest answer [tokens, RC-1]."""
    prompt_sentences: int = 4
    """Sentences at the beginning of a message that are looked up [sentences, RC-1]."""
    prompt_read_chars: int = 2000
    """Characters at the beginning of a message that are looked up [chars, RC-1]."""
    piece_tokens: int = 256
    """Longer texts are embedded in pieces of this many tokens [tokens, RC-2]."""
    max_pieces: int = 32
    """Most embedded pieces of one text; its words are all indexed [pieces, RC-2]."""
    same_hint: float = 0.7
    """Similarity from which on `wm diag alike` reports two entries as perhaps equal [RC-1]."""
    against_hint: float = 0.75
    """Similarity from which on it reports another number or a negation as a contradiction
    [RC-1]."""
    hint_pairs: int = 3
    """Neighbours of one entry that are compared for these reports [entries, RC-1]."""
    hint_wait_s: float = 20.0
    """Longest wait of `wm diag` for all vectors [s, RC-1]."""
    embed_queue: int = 64
    """Most batches that wait for the embedder [batches, RC-2]."""
    embed_batch: int = 16
    """Most texts that a local model embeds at once [texts, RC-2]."""
