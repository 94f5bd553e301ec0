"""Replay recorded work offline: what it cost, and where the tokens went (PX-11).

Reads files that it is given and writes none. Uses no network, no daemon and no model.
"""
