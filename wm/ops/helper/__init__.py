"""The helper model: what may be asked, summaries, answers (HM-1 to HM-3). Off unless config.toml
names a model; nothing waits for it longer than its limit."""
