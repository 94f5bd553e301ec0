"""Fitted numbers of the search, from labelled sets. Not options of config.toml.

They depend on each other: changing one alone makes the search worse. `tests/bench` measures
them by building a `RecallSettings` with other values.
"""

from dataclasses import dataclass


@dataclass(frozen=True, eq=False, repr=False)
class RecallFit:
    """Numbers that are not set by hand, with the reason of each."""

    bm25_k1: float = 1.2
    """Term saturation of BM25 [RC-1]."""
    bm25_b: float = 0.75
    """Length normalisation of BM25 [RC-1]."""
    synonym_weight: float = 0.35
    """Weight of a synonym of a query word, of 1 [RC-1]."""
    prefix_weight: float = 0.5
    """Weight of a prefix shared with an unknown query word, of 1 [RC-1]."""
    slip_weight: float = 0.8
    """Weight of a word that differs from an unknown query word by one typing error, of 1 [RC-1]."""
    phrase_bonus: float = 0.25
    """Bonus of a hit that contains the query as a phrase [RC-1]."""
    month_bonus: float = 0.6
    """Bonus of a hit from the month that the query names [RC-1]."""
    decision_bonus: float = 0.25
    """Bonus of a decision when the query asks what was decided [RC-1]."""
    recency_share: float = 0.12
    """Bonus of the newest hit over the oldest; doubled when the query asks for now [RC-1]."""
    superseded_factor: float = 0.7
    """Factor of a superseded statement when the query asks for today [RC-1]."""
    history_factor: float = 1.6
    """Factor of a superseded statement when the query asks for the past [RC-1]."""
    short_floor: float = 0.3
    """Share of a query of up to three words that the best hit must contain, else no hit is shown
    [RC-1]."""
    middle_floor: float = 0.2
    """Share of a query of four words that the best hit must contain, else no hit is shown
    [RC-1]."""
    long_floor: float = 0.1
    """Share of a longer query that the best hit must contain, else no hit is shown [RC-1]."""
    judged_hits: int = 50
    """Best hits that are reranked by phrases and coverage [hits, RC-1]."""
    held_base: float = 0.5
    """Weight of a document's words apart from its coverage of the query [RC-1]."""
    phrase_chars: int = 4000
    """Characters at the beginning of a text that are searched for phrases [chars, RC-1]."""
    vector_share: float = 0.65
    """Weight of similarity in a query without names, of 1; words get the rest [RC-1]."""
    model_share: float = 0.85
    """Weight of similarity in a query without names with an installed model, of 1 [RC-1]."""
    name_lexical: float = 0.3
    """Subtracted from the weight of similarity for a query that consists of names [RC-1]."""
    sentence_words: int = 2
    """Number of words from which a query is a sentence; in a shorter one similarity weighs less
    [words, RC-1]."""
    proper_even: float = 0.6
    """How evenly words and similarity share the weight in a question with a proper name, of 1
    [RC-1]."""
    whitening_ridge: float = 10.0
    """Regularisation of the directions that all vectors have in common [RC-1]."""
    graph_hits: int = 256
    """Candidates that the vector graph gives for a query [documents, RC-3]."""
    neighbour: float = 0.25
    """Share of its score that the next text of a conversation adds [RC-1]."""
    next_neighbour: float = 0.1
    """Share of its score that the text after the next one of a conversation adds [RC-1]."""
    spoken_bonus: float = 0.8
    """Bonus of the user's words over the answer's [deviations, RC-1]."""
    background: int = 100
    """Assumed additional texts when the words of a query are weighted by rarity [texts, RC-1]."""
    kin_told: float = 0.5
    """Coverage that a synonym or a shared prefix of a query word counts, of 1 [RC-1]."""
    name_told: float = 2.0
    """Coverage that an identifier or path of a query counts, in words [RC-1]."""
    pairs_told: float = 0.7
    """Share of the letter pairs of a sentence that is full coverage: the other pairs cross a word
    boundary [RC-1]."""
    chance_likeness: float = 0.075
    """Similarity expected by chance, times the square root of twice the logarithm of the number of
    texts [RC-1]."""
    script_likeness: float = 0.2
    """Most that similarity counts for a query in a script other than Latin with the default model
    [RC-1]."""
    answer_floor: float = 0.1
    """Least sum of the best hit's coverage and its similarity above chance, else no hit is shown
    [RC-1]."""
    short_answer: float = 0.4
    """Added to answer_floor for a query of one word; less for longer ones [RC-1]."""
    pasted_words: int = 10
    """A query of more words is a pasted text: answer_floor is lower, and whole texts are compared
    [RC-1]."""
    answer_words: float = 0.6
    """Coverage from which on a hit answers the query [RC-1]."""
    answer_support: float = 0.8
    """Least sum of coverage and similarity above chance for a hit with half of answer_words
    [RC-1]."""
    answer_margin: float = 0.15
    """Lead of the best hit over every other one that makes it an answer [RC-1]."""
    answer_tokens: int = 200
    """Longest answer [tokens, RC-1]."""
    prompt_sentences: int = 4
    """Sentences at the beginning of a message that are looked up [sentences, RC-1]."""
    prompt_read_chars: int = 2000
    """Characters at the beginning of a message that are looked up [chars, RC-1]."""
    prompt_words: float = 0.4
    """Coverage of a sentence that a recalled entry must have [RC-1]."""
    prompt_floor: float = 0.6
    """Least sum of coverage and similarity above chance of a recalled entry [RC-1]."""
    same_hint: float = 0.7
    """Similarity from which on two entries are reported as perhaps equal [RC-1]."""
    against_hint: float = 0.75
    """Similarity from which on another number or a negation is reported as a contradiction
    [RC-1]."""
    hint_pairs: int = 3
    """Neighbours of one entry that are compared for these reports [entries, RC-1]."""
    alike_floor: float = 0.3
    """Similarity from which on a hit is marked as similar in meaning [RC-1]."""
    fresh_hits: int = 10
    """Best hits among which a newer statement passes an older one [hits, RC-1]."""
    same_floor: float = 0.3
    """Similarity from which on two hits are about the same subject [RC-1]."""
    fresh_reach: float = 0.7
    """A newer statement passes an older one from this share of its score on [RC-1]."""
    value_floor: float = 0.15
    """Similarity that is enough where the query asks for a number [RC-1]."""
    value_reach: float = 0.4
    """Share of the score that is enough where the query asks for a number [RC-1]."""
    piece_tokens: int = 256
    """Longer texts are embedded in pieces of this many tokens [tokens, RC-2]."""
    max_pieces: int = 32
    """Most embedded pieces of one text; its words are all indexed [pieces, RC-2]."""
