"""Tests of the local page (UI-1): its routes and its access rules over a real socket. `python -m
tests.page` drives it with a real Chromium."""
