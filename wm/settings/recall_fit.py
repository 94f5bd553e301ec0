"""Fitted numbers of the search, from labelled sets. Not options of config.toml.

They depend on each other: changing one alone makes the search worse. `tests/bench` measures
them by building a `RecallSettings` with other values.
"""

from msgspec import Struct


class RecallFit(Struct, frozen=True, eq=False):
    """Numbers that are not set by hand, with the reason of each."""

    bm25_k1: float = 0.4
    """Term saturation of BM25 [RC-1]."""
    related_weight: float = 0.5
    """Weight of a synonym, a shared prefix or a typing error of a query word, of 1 [RC-1]."""
    background: int = 100
    """Assumed additional texts when the words of a query are weighted by rarity [texts, RC-1]."""
    coverage_power: float = 1.5
    """Exponent of the coverage: two of four words count less than half of all four [RC-1]."""
    vector_share: float = 0.65
    """Weight of similarity with the default model, of 1; words get the rest [RC-1]."""
    model_share: float = 0.8
    """Weight of similarity with an installed model, of 1 [RC-1]."""
    name_share: float = 0.3
    """Subtracted from the weight of similarity for a query that consists of names [RC-1]."""
    whitening_ridge: float = 10.0
    """Regularisation of the directions that all vectors have in common [RC-1]."""
    neighbour: float = 0.35
    """Share of its score that the next text of a conversation adds; of the one after it, the square
    [RC-1]."""
    spoken_bonus: float = 1.2
    """Bonus of the user's words over the answer's [deviations, RC-1]."""
    same_floor: float = 0.2
    """Similarity from which on two hits are about the same subject, if the newer one says that a
    value changed [RC-1]."""
    fresh_reach: float = 0.5
    """A newer hit passes an older one that it repeats or changes from this share of its score on
    [RC-1]."""
    sure_coverage: float = 3.6
    """Effect of the coverage on the confidence [log-odds, RC-1]."""
    sure_similarity: float = 0.65
    """Effect of the similarity above chance on the confidence [log-odds per deviation, RC-1]."""
    sure_base: float = 1.25
    """Subtracted: a hit that has no word and is as similar as by chance is this unlikely [log-odds,
    RC-1]."""
