"""What a session teaches: requests to remember, candidates, and the origin of their words.

Finds and judges texts only; nothing here changes a memory (`wm.domain.memory` does). Pure.
"""
