"""The session contract, the handoff and the budget of instruction files (CT-1..4)."""
