"""Comparisons of statements: the same fact, a contradiction, or a change (WM-5, WM-8). Pure."""
