"""Section [helper]: a small model that summarises removed content and answers questions about it.

Off unless `model` names one. The key is never an option: it is read from a file of its own, or from
WM_HELPER_KEY.
"""

from typing import Annotated, Any

from msgspec import Struct

from wm.errors import UserError
from wm.settings.schema import Option

ANTHROPIC, OLLAMA = "anthropic", "ollama"
USUAL_SERVERS = {ANTHROPIC: "https://api.anthropic.com", OLLAMA: "http://127.0.0.1:11434"}


def _model(value: Any, where: str) -> str:
    provider, _, name = value.partition("/") if isinstance(value, str) else ("", "", "")
    if value != "" and not (provider in USUAL_SERVERS and name.strip()):
        fix = f'Write "{ANTHROPIC}/NAME", "{OLLAMA}/NAME", or "" for none.'
        raise UserError(f"{where} is {value!r}.", fix=fix)
    return str(value)


class HelperSettings(Struct, frozen=True, eq=False):
    """The helper model (SPEC section 16)."""

    model: Annotated[str, Option(needs_consent=True, parse=_model)] = ""
    """Model that summarises removed content and answers questions about it:
    anthropic/claude-haiku-4-5 (needs the extra [helper]) or ollama/qwen2.5:3b. Empty: none
    ([how](concepts/helper.md)) [HM-1]."""
    base_url: Annotated[str, Option(needs_consent=True)] = ""
    """Server of the helper model. Empty: api.anthropic.com, or Ollama on this machine [HM-1]."""
    key_file: Annotated[str, Option()] = ""
    """File with the key of the helper model. Empty: the variable WM_HELPER_KEY [HM-1]."""
    daily_tokens: Annotated[int, Option()] = 1_000_000
    """Tokens that the helper model may read and write in a day (UTC); 0 stops it [tokens, HM-1]."""
    daily_dollars: Annotated[float, Option()] = 0.5
    """Dollars that the helper model may cost in a day (UTC) [dollars, HM-1]."""

    # Fixed: not options of config.toml.
    answer_wait_s: float = 0.5
    """Longest wait for the helper's answer to a question; then passages are returned
    [s, HM-2]."""
    summary_wait_s: float = 30.0
    """Longest wait for a summary, in the background [s, HM-1]."""
    answer_tokens: int = 200
    """Longest answer to a question [tokens, HM-2]."""
    read_chars: int = 48_000
    """Longest text that is sent with one call; a longer one keeps its extractive summary
    [chars, HM-1]."""
    least_chars: int = 3_000
    """A shorter text keeps its extractive summary [chars, HM-1]."""
    per_turn: int = 4
    """Texts that are summarised after one turn [texts, HM-1]."""

    @property
    def provider(self) -> str:
        """`anthropic`, `ollama`, or "" for none."""
        return self.model.partition("/")[0]

    @property
    def name(self) -> str:
        """The model's name in requests."""
        return self.model.partition("/")[2]
