"""Compare a text with statements that were said (TR-3).

A statement is a tuple of numbers: digests of its content words, and marks of its structure
(clause borders, negations, the class of the function word before a word), which do not
reveal the text. A statement supports a text if each clause of the text takes its words from one
clause of the statement (values stay with their words), adds only general words ("are run in"), has
the same negation, and keeps who does what to whom, and where. Clauses may move or be left out.
Knows words by class only, in fourteen languages; does not judge meaning. Pure; the length of one
sentence bounds the work.
"""
