"""The table of known secret formats (TR-1): name, literal prefix, shape of what follows.

One row is one format. A row costs nothing until its prefix occurs. Secrets without a fixed
format are not found here but by their label or their randomness (`redact`).
Sources: the vendors' own documentation and the formats that public scanners agree on.
"""

# ruff: noqa: E501  One row, one format: a broken pattern is harder to read than a long line.
from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wm.text.tables import Tables

W = r"[0-9A-Za-z]"
WD = r"[0-9A-Za-z_-]"
H = r"[0-9a-fA-F]"
B64 = r"[0-9A-Za-z+/]"
UUID = rf"{H}{{8}}-{H}{{4}}-{H}{{4}}-{H}{{4}}-{H}{{12}}"


class Format(NamedTuple):
    """kind: the word in the label. prefix: literal start. rest: pattern directly after it."""

    kind: str
    prefix: str
    rest: str


class Shape(NamedTuple):
    """A format without a literal prefix. hint: a pattern that occurs in every match.

    The secret is the first group, or the whole match without one. in_run: every match contains a
    run of at least twenty token characters.
    """

    kind: str
    hint: str
    pattern: str
    in_run: bool = True


def _rows(kind: str, prefixes: str, rest: str) -> list[Format]:
    return [Format(kind, prefix, rest) for prefix in prefixes.split()]


TABLES = Tables("wm.secrets")
_LETTERS = {
    "alnum": "0-9A-Za-z",
    "hex": "0-9a-fA-F",
    "upper": "A-Z0-9",
    "lower": "a-z0-9",
    "letters": "A-Za-z",
}
"""Classes of characters in the table of formats; signs may follow, as in `alnum_-`."""


def _listed() -> Iterator[Format]:
    """The formats whose body is a run of characters of one class: `30+`, `36`, `30-60`; with `!` it
    ends at a border of a word."""
    for kind, characters, size, prefixes in TABLES.rows("formats", columns=4):
        name = characters.rstrip("_./?&=%+@-")
        count = size.rstrip("!").replace("+", ",").replace("-", ",")
        letters = _LETTERS[name] + characters[len(name) :]
        rest = f"[{letters}]{{{count}}}" + r"\b" * size.endswith("!")
        yield from (Format(kind, prefix, rest) for prefix in prefixes.split())


FORMATS: tuple[Format, ...] = (
    *_listed(),
    Format("aws_access_key", "A3T", r"[A-Z0-9][A-Z0-9]{16}\b"),
    Format("aws_mws_key", "amzn.mws.", UUID),
    Format("cloudflare_origin_key", "v1.0-", rf"{H}{{20,30}}-{H}{{100,}}"),
    Format("databricks_token", "dapi", rf"{H}{{30,40}}(?:-\d)?"),
    Format("yandex_token", "t1.", rf"{WD}{{8,}}={{0,2}}\.{WD}{{80,}}={{0,2}}"),
    Format("doppler_token", "dp.", rf"(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{{2,40}}\.)?{W}{{36,60}}"),
    Format("tailscale_key", "tskey-", rf"[a-z]{{2,12}}-{W}{{8,30}}(?:-{W}{{16,}})?"),
    Format("defined_networking", "dnkey-", rf"{WD}{{20,30}}-{WD}{{40,60}}"),
    Format("gitlab_token", "glcbt-", rf"{W}{{1,5}}_{WD}{{18,}}"),
    *_rows("sourcegraph_token", "sgp_", rf"(?:(?:{H}{{16}}|local)_)?{H}{{40}}"),
    Format("langsmith_key", "lsv2_", rf"[a-z]{{2}}_{H}{{32}}_{H}{{10}}"),
    *_rows("langfuse_key", "sk-lf- pk-lf-", UUID),
    *_rows("flutterwave", "FLWSECK_TEST- FLWSECK- FLWPUBK_TEST- FLWPUBK-", rf"{W}{{12,40}}(?:-X)?"),
    Format("paypal_braintree", "access_token$", rf"(?:production|sandbox)\$[0-9a-z]{{16}}\${H}{{32}}"),
    *_rows("plaid_token", "access-sandbox- access-development- access-production-", UUID),
    *_rows("slack_token", "xapp- xwfp-", r"\d-[0-9A-Za-z-]{12,}"),
    Format("telegram_url", "api.telegram.org/bot", r"\d{6,14}:[0-9A-Za-z_-]{30,40}"),
    Format("sendgrid_key", "SG.", r"[0-9A-Za-z_=-]{16,32}\.[0-9A-Za-z_=-]{30,}"),
    *_rows("sendinblue_key", "xkeysib- xsmtpsib-", rf"{H}{{60,}}-{W}{{12,20}}"),
    Format("resend_key", "re_", rf"{W}{{8}}_{W}{{20,30}}"),
    Format("airtable_token", "pat", rf"{W}{{14}}\.{H}{{60,}}"),
    Format("postman_key", "PMAK-", rf"{H}{{20,28}}-{H}{{30,38}}"),
    *_rows("asana_token", "ats_ 1/", rf"\d{{12,20}}:{H}{{32}}\b"),
    Format("clickup_token", "pk_", r"\d{5,12}_[0-9A-Z]{32}\b"),
    *_rows("hubspot_key", "pat-na1- pat-na2- pat-eu1- pat-ap1-", UUID),
    *_rows("authress_key", "sc_ ext_ scauth_ authress_", r"[0-9a-z]{5,30}\.[0-9a-z]{4,6}\.acc[_-][0-9a-z-]{10,32}\.[0-9A-Za-z+/_=-]{30,}"),
    Format("dynatrace_token", "dt0", r"[a-z]\d{2}\.[0-9A-Za-z]{24}\.[0-9A-Za-z]{50,}"),
    *_rows("launchdarkly_key", "sdk- api- mob-", UUID),
    *_rows("harness_key", "pat. sat.", rf"{WD}{{20,24}}\.{W}{{22,26}}\.{W}{{18,22}}"),
    *_rows("circleci_token", "CCIPAT_ CCIPRJ_", rf"{WD}{{20,30}}_{H}{{40}}"),
    Format("snyk_token", "snyk_", rf"[a-z]{{2,6}}\.{WD}{{20,}}"),
    *_rows("axiom_token", "xaat- xapt-", UUID),
    Format("logfire_token", "pylf_v1_", rf"[a-z]{{2,8}}_{W}{{30,60}}"),
    Format("splunk_hec", "Splunk ", UUID),
    Format("okta_token", "SSWS ", rf"{WD}{{30,60}}"),
    Format("onepassword", "A3-", r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}"),
    *_rows("mapbox_token", "sk.eyJ tk.eyJ", rf"{WD}{{30,}}\.{WD}{{18,40}}"),
    Format("mapbox_token", "pk.", rf"{WD}{{60,}}\.{WD}{{22}}"),
    Format("jwt", "eyJ", rf"{WD}{{14,}}={{0,2}}\.[0-9A-Za-z_/+-]{{8,}}={{0,2}}(?:\.[0-9A-Za-z_/+-]{{0,}}={{0,2}}){{0,3}}"),
    Format("wireguard_key", "PrivateKey = ", rf"{B64}{{43}}="),
    Format("wireguard_key", "PresharedKey = ", rf"{B64}{{43}}="),
    Format("putty_key", "Private-MAC: ", rf"{H}{{40,}}"),
)  # fmt: skip

SHAPES: tuple[Shape, ...] = (
    Shape("terraform_token", r"\.atlasv1\.", rf"\b{W}{{14}}\.atlasv1\.[0-9A-Za-z_=-]{{50,}}"),
    Shape("azure_ad_secret", "Q~", r"(?:^|[^0-9A-Za-z_~.-])([0-9A-Za-z_~.]{3}\dQ~[0-9A-Za-z_~.-]{31,34})"),
    Shape("mailchimp_key", r"-us\d", rf"\b{H}{{32}}-us\d{{1,2}}\b"),
    Shape("maxmind_key", "_mmk", rf"\b{W}{{6}}_{W}{{29}}_mmk\b"),
    Shape("discord_token", rf"\.{WD}{{6}}\.", rf"\b[A-Za-z0-9]{WD}{{22,27}}\.{WD}{{6}}\.{WD}{{27,45}}"),
    Shape("telegram_token", r"\d:A", rf"\b\d{{6,14}}:A{WD}{{33,36}}\b", in_run=False),
    Shape("facebook_token", r"\d[|%]", rf"\b\d{{13,18}}(?:\||%(?:7C)?){WD}{{24,44}}", in_run=False),
    Shape("teams_webhook", r"\.webhook\.office\.com/", r"https://[0-9A-Za-z.-]{1,}/webhookb2/[0-9a-zA-Z@/_-]{60,}"),
    Shape("teams_webhook", r"\.logic\.azure\.com", rf"[?&]sig=({WD}{{30,}})"),
    Shape("twitter_bearer", "AAAAAAAAAAAAAAAAAAAAA", r"\bA{20,24}[0-9A-Za-z%]{60,}"),
    Shape("sidekiq_key", "contribsys|CONTRIBSYS", rf"\b({H}{{8}}:{H}{{8}})\b", in_run=False),
    Shape("mailgun_signing_key", rf"-{H}{{8}}-{H}{{8}}\b", rf"\b{H}{{32}}-{H}{{8}}-{H}{{8}}\b"),
    Shape("azure_storage_key", "==", rf"(?:^|[^0-9A-Za-z+/-])({B64}{{86}}==)"),
    Shape("azure_devops_token", "AZDO", rf"\b{W}{{76}}AZDO{W}{{4}}\b"),
    Shape("azure_key", "JQQJ99", rf"\b{W}{{40,}}JQQJ99{W}{{20,40}}\b"),
    Shape("azure_key", "ACDbM", rf"\b{W}{{40,}}ACDbM{W}{{6,12}}\b"),
    Shape("azure_key", r"\+ASt", rf"\b{B64}{{76}}\+ASt{B64}{{6}}=="),
    Shape("azure_key", "AzSe", rf"\b{W}{{40,42}}AzSe{W}{{6}}\b"),
    Shape("azure_key", "AzCa", rf"\b{B64}{{33}}AzCa{B64}{{5}}="),
    Shape("openai_key", "T3BlbkFJ", rf"\b{WD}{{20,}}T3BlbkFJ{WD}{{20,}}"),
    Shape("google_key_id", "private_key_id", rf"private_key_id[\"'\\]{{0,6}}\s?[:=]\s?[\"'\\]{{0,6}}({H}{{40}})\b"),
    Shape("signed_url", "X-(?:Amz|Goog)-Signature=", rf"X-(?:Amz|Goog)-Signature=({H}{{64,}})"),
    Shape("signed_url", "X-Amz-Security-Token=", r"X-Amz-Security-Token=([0-9A-Za-z%+/=_-]{40,})"),
    Shape("signed_url", "sig=", r"[?&;]sig=([0-9A-Za-z%+/=_-]{20,})"),
    Shape("crypt_hash", r"\$[0-9a-z]", r"\$(?:1|5|6|2[abxy]|y|7|argon2(?:id|i|d)|scrypt|apr1|pbkdf2-sha\d+)\$[^\s\"'`:]{20,}", in_run=False),
)  # fmt: skip

WEAK_PREFIXES = frozenset(TABLES.words("weak_prefixes"))
"""Prefixes that also begin ordinary names. A match counts only if the rest does not read like
words."""

VENDORS = TABLES.words("vendors")
"""Services whose name in a key makes a token-like value a secret."""
