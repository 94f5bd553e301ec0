"""The rules of the table, one family of outputs per module (PR-4).

A module has detectors and reducers only; `rule_table` orders them.
"""
