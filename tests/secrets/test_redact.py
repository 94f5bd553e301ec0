"""Secrets are assembled at run time: this file contains none."""

import base64
import json
import random
import string

import pytest

from wm.secrets import redact
from wm.secrets.formats import FORMATS, WEAK_PREFIXES
from wm.secrets.redact import Redactor

DICE = random.Random(20261121)
ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def tail(length: int, of: str = ALNUM) -> str:
    """A random string that holds a digit and both cases where the alphabet has them."""
    while True:
        made = "".join(DICE.choice(of) for _ in range(length))
        if length < 8 or (len(set(made)) > 5 and any(c.isdigit() for c in made)):
            return made


def digest(secret: str) -> str:
    return f"{sum(map(ord, secret)) * 7919 % 0xFFFFFF:06x}" * 2


REDACTOR = Redactor(digest)

KNOWN = [
    ("aws_access_key", "AKIA" + tail(16, string.ascii_uppercase + "234567")),
    ("github_token", "ghp_" + tail(36)),
    ("github_token", "github_pat_" + tail(22) + "_" + tail(59)),
    ("gitlab_token", "glpat-" + tail(20)),
    ("slack_token", "xoxb-" + tail(12, string.digits) + "-" + tail(24)),
    ("stripe_key", "sk_live_" + tail(24)),
    ("webhook_secret", "whsec_" + tail(32)),
    ("npm_token", "npm_" + tail(36)),
    ("pypi_token", "pypi-AgEI" + tail(80)),
    ("anthropic_key", "sk-ant-api03-" + tail(93) + "AA"),
    ("openai_key", "sk-proj-" + tail(48)),
    ("huggingface_token", "hf_" + tail(34, string.ascii_letters + "7")),
    ("google_api_key", "AIza" + tail(35)),
    ("sendgrid_key", "SG." + tail(22) + "." + tail(43)),
    ("shopify_token", "shpat_" + tail(32, HEX)),
    ("digitalocean_token", "dop_v1_" + tail(64, HEX)),
    ("databricks_token", "dapi" + tail(32, HEX)),
    ("hashicorp_vault", "hvs." + tail(90)),
    ("age_key", "AGE-SECRET-KEY-1" + tail(58, string.ascii_uppercase + "234567")),
    ("linear_key", "lin_api_" + tail(40)),
    ("newrelic_key", "NRAK-" + tail(27, string.ascii_uppercase + string.digits)),
    ("dockerhub_token", "dckr_pat_" + tail(27)),
    ("sentry_token", "sntryu_" + tail(64, HEX)),
    ("square_token", "sq0atp-" + tail(22)),
    ("okta_token", "SSWS 00" + tail(40)),
    ("jwt", "eyJ" + tail(33) + ".eyJ" + tail(60) + "." + tail(43)),
    ("telegram_token", tail(10, string.digits) + ":AA" + tail(33)),
    ("discord_token", "M" + tail(23) + "." + tail(6) + "." + tail(38)),
    ("webhook_url", "https://hooks.slack.com/" + f"services/T{tail(8)}/B{tail(8)}/{tail(24)}"),
    ("azure_storage_key", tail(86) + "=="),
    ("terraform_token", tail(14) + ".atlasv1." + tail(66)),
    ("mailchimp_key", tail(32, HEX) + "-us12"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "secret"), KNOWN, ids=[kind for kind, _ in KNOWN])
def test_a_known_format_is_found_in_any_sentence(kind: str, secret: str) -> None:
    for sentence in ("{}", "deploy with {} today", 'x = "{}";', "- key: {}\n- next", "({})."):
        redacted = REDACTOR.text(sentence.format(secret))
        assert secret not in redacted
        assert f"[secret:{kind}:" in redacted


def test_a_secret_is_replaced_by_a_single_word() -> None:
    for word in ("your", "YOUR", "Your", "xxxx", "XXXX"):
        assert "[secret:" not in REDACTOR.text(f"npm_{word}TokenComesInThisPlaceOfTheLine0")
    for chance in ("yOuR", "YOuR", "xXxX", "XxXx"):
        assert "[secret:npm_token:" in REDACTOR.text("npm_" + tail(20) + chance + tail(12))


def test_http_basic_credentials_are_found_in_base64() -> None:
    for length in range(8, 32):
        sent = base64.b64encode(f"user:{tail(length)}".encode()).decode()
        for sentence in (
            "Authorization: Basic {}",
            "use basic {} there",
            "-H 'authorization: basic {}'",
        ):
            assert sent.rstrip("=") not in REDACTOR.text(sentence.format(sent))
    for text in ("use basic authentication for it", "Basic understanding helps", "basic setup"):
        assert REDACTOR.text(text) == text


def test_every_prefix_of_the_table_selects_its_own_row() -> None:
    assert len({(row.prefix, row.rest) for row in FORMATS}) == len(FORMATS)
    assert len({row.kind for row in FORMATS}) > 120


WORD = "lagune" + "4711"
LABELLED = [
    ("user2fa = {}", "c2c2a8f0b4709298d"),
    ("/hook/k3J9sLq0Zx8PqR7tYvWm2b/password={}", "k2v9x7q4m1z8w5"),
    ("Zx8PqR7tYvWm2bk3J9sL+pw={}", "k2v9x7q4m1z8w5"),
    ("The password is {}", WORD),
    ("password: {}", WORD),
    ("PASSWORD={}", WORD),
    ("with password {} and user dana", WORD),
    ('the password "{}" works', WORD),
    ("DB_PASSWORD='{}'", "two words " + WORD),
    ("mysql -u root -p{} shop", WORD),
    ("curl -u dana:{} https://erp.example.org", WORD),
    ("helm upgrade api --set db.password={}", WORD),
    ("requirepass {}", WORD),
    ("login dana password {}", WORD),
    ("postgres://app:{}@db.example.org/shop", WORD),
    ("redis://:{}@cache:6379/0", WORD),
    ("Server=db;Password={};Encrypt=True;", WORD),
    ("contraseña: {}", WORD),
    ("La contraseña de pruebas es {}", WORD),
    ("Das Passwort lautet {}", WORD),
    ("Kennwort für den Test: {}", WORD),
    ("Mot de passe de la base : {}", WORD),
    ("A senha é {}", WORD),
    ("密码是{}，请保密", WORD),
    ("パスワードは「{}」です", WORD),
    ("비밀번호는 {} 입니다", WORD),
    ("ｐａｓｓｗｏｒｄ：{}", WORD),
    ("Authorization: Basic {}", tail(20) + "=="),
    ("Authorization: Bearer {}", tail(40)),
    ("X-Api-Key: {}", tail(32, HEX)),
    ("Cookie: sessionid={}; theme=dark", tail(32)),
    ("client_secret = {}", tail(36)),
    ("JWT_SECRET={}", tail(64, HEX)),
    ("aws_secret_access_key = {}", tail(39) + "/"),
    ("https://api.example.org/v1?key={}", tail(32)),
    ("otpauth://totp/x:y?secret={}&issuer=x", tail(32, string.ascii_uppercase + "234567")),
    ("//registry.npmjs.org/:_authToken={}", tail(36)),
    ('{{"password": "{}"}}', WORD),
    ("<password>{}</password>", WORD),
    ("kind: Secret\ndata:\n  any: {}\n", tail(24) + "=="),
    ("The token for the ERP is\n\n    {}\n", tail(30)),
    ("db1.internal:5432:shop:app:{}", WORD + "!"),
    ("mnemonic phrase: {}", " ".join(["otter", "lagoon", "copper", "willow"] * 3)),
    ("linkedin_secret: {}", "wg9" + tail(13)),
    ("docker login -u dana -p {}", WORD),
    ("echo {} | sudo -S ls", WORD),
    ("the admin password is {}", "correct horse battery staple"),
    ("my second pass: '{}'", "sesame"),
    ("Licence key of the tool: {}", "0OOGF-4VQGW-KVCCZ-KWJ1Y"),
]


@pytest.mark.parametrize(("sentence", "secret"), LABELLED)
def test_a_named_value_is_redacted(sentence: str, secret: str) -> None:
    redacted = REDACTOR.text(sentence.format(secret))
    assert secret not in redacted
    assert "[secret:" in redacted


HARMLESS = [
    'Address label different in second pass: "start"',
    "Password policy: at least 12 characters.",
    "\x1b[32m PASS \x1b[39m\x1b[22m\x1b[27m\x1b[0m \x1b[2mspec/\x1b[22mcart.spec.js",
    "1. **Password Hashing**: `generate_hash`",
    "unexpected token $end (Using the parser of 3.1)",
    '"token": "#<Lexer::Token:0x00007f4ad632f3c0>"',
    "If I pass `r'^src\\\\gen2'` it fails.",
    "auth: middleware runs before the rate limiter",
    "OAuth: google and microsoft are the two providers.",
    "password: string",
    "password: ********",
    "token: Token = lexer.next_token()",
    "DB_PASSWORD=${DB_PASSWORD}",
    "const key = process.env.STRIPE_SECRET_KEY;",
    "export VAULT_TOKEN=$(vault print token)",
    "GH_TOKEN: ${{ secrets.GITHUB_TOKEN }}",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <TOKEN>",
    "def check(password, token=None, secret=default_secret):",
    "PASSWORD_MIN_LENGTH = 12",
    "The password must be changed every 90 days.",
    "Passwords are hashed with argon2id.",
    "The password is required.",
    "비밀번호는 argon2id 로 해시한다.",
    "パスワードは 12 文字以上にする。",
    "密码必须至少 12 位。",
    "Le mot de passe doit avoir 12 caractères.",
    "Das Token läuft nach 30 Minuten ab.",
    "Token expiry: 30 minutes; refresh token expiry: 14 days",
    "The rate limiter is a token bucket with a burst of 50.",
    "Revert 41d7aa8 and 7c1e9a4 before the release.",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "2fa31c9 1f0c4c2c2a8f0b4709298d41a7c55e0d9b2f6a83 Add the second factor",
    '["9d2fa3cc51e08b47f1", "c2c2a8f0b4709298d1e0b3a7"]',
    '"ad4fa5cc-2fa7-4fa5-aa4d-2f2ba49b005b": "9c2738d77b499441f3172335fff3c30d"',
    "011Q4ZFMFA6Y00JEFDCAA3N8ZR 01ATM8VZAERRJP5DD0N9VQ6MST",
    "request_id=018f3c1e-7b2a-7c40-9a3e-2f6d1c0b5a49",
    "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
    'integrity "sha512-oRBHr8lyhSr1YNVg0ELAPN5Vl8Vk5IvtoJE3rJqBzYcVqW0HPzSu3J1rh8dBaVXcwkn8XWFW"',
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJl3dIeudNqd0DPMRD6OIh65tjkxFNOtwGc dana@host",
    "git@github.com:harbour/ledger.git and ssh://deploy@bastion.example.org:2222",
    "getUserByEmailAndVerificationTokenOrThrow",
    "tests/domain/memory/test_consolidate_many_entries.py::test_the_first_of_two",
    "toolu_012yuiPP1VAfh196GXaAmT8D",
    "entry m_0a1b2c3d4e5f60718293 beat t_9f8e7d6c5b4a39281706",
    "docker compose -p harbour up",
    'fetch(url, { credentials: "include" })',
    "senha: obrigatória",
    "The password is stored using bcrypt hashing",
    "ghp_" + "x" * 36 + " is what such a token looks like",
    "groq: gpt-oss-120b",
    "The key is to keep handlers small; sort key: (tenant_id, created_at)",
    "The word hunter is in the fixtures.",
    "private_key: EcdsaPrivKey",
    "password: GtkPasswordBox",
    "token = GetPageWidth",
    "secret = AwsSecretsMgr",
    "the password field is a QLineEditWithBtn",
    "https://docs.example.org/document/d/1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ/edit",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_talk_about_secrets_and_near_secrets_are_unchanged(text: str) -> None:
    assert REDACTOR.text(text) == text


@pytest.mark.parametrize("kind", ["RSA ", "OPENSSH ", "EC ", "ENCRYPTED ", "DSA ", ""])
def test_a_private_key_is_redacted_as_a_block(kind: str) -> None:
    body = "\n".join(tail(64) for _ in range(4))
    block = f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----"
    redacted = REDACTOR.text(f"cat id\n{block}\nthe end")
    assert redacted.startswith("cat id\n[secret:private_key:")
    assert redacted.endswith("]\nthe end")
    assert "PRIVATE" not in redacted


def test_a_private_key_without_its_end_is_redacted() -> None:
    lines = [tail(64), tail(64), tail(40)]
    begin = "-----BEGIN PRIVATE " + "KEY-----"
    redacted = REDACTOR.text("\n".join(["x", begin, *lines]) + "\n\nAnd then prose goes on.")
    assert not any(line[:12] in redacted for line in lines)
    assert redacted.endswith("And then prose goes on.")


def test_a_public_certificate_is_kept() -> None:
    text = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"
    assert REDACTOR.text(text) == text


@pytest.mark.parametrize("size", [399, 400, 401, 5000])
def test_a_long_value_is_redacted_to_its_end(size: int) -> None:
    secret = "".join(DICE.choice(ALNUM + "+/") for _ in range(size - 1)) + "a"
    assert REDACTOR.text(f"export SESSION_TOKEN={secret} next").split("]")[1:] == [" next"]


def test_a_run_with_many_secrets_is_followed_to_its_end_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []
    follow = redact._unwrapped
    monkeypatch.setattr(
        redact, "_unwrapped", lambda text, span: asked.append(span) or follow(text, span)
    )
    run = "".join(f"api_key={''.join(DICE.choices(ALNUM, k=230))}" for _ in range(50))
    assert REDACTOR.text(f"{run} next").split("]")[-1] == " next"
    assert len(asked) == 1


def test_a_secret_has_the_same_label_everywhere() -> None:
    secret = tail(30)
    one = REDACTOR.text(f"token = {secret}")
    two = REDACTOR.text(f"it was {secret} all along")
    assert one.split(" = ")[1] == two.split(" ")[2]


@pytest.mark.parametrize("mark", "[{")
def test_a_bracket_in_a_password_does_not_make_it_an_element(mark: str) -> None:
    for sentence in ("DB_PASSWORD={}", "mysql -u root -p{}", "curl -u admin:{} https://db.test"):
        for secret in (f"Kx7{mark}mQ9wZ2pL", f"rT{mark}4kf82LmQ1", f"hV3wq8kf82{mark}Lm"):
            assert secret not in REDACTOR.text(sentence.format(secret))
    for code in ("auth[2]", "args[i]", "parts[0:4]", "$row[pass]", "sys.argv[1]", "line[%d]"):
        assert REDACTOR.text(f"password = {code}") == f"password = {code}"


def test_redacting_twice_changes_nothing_more() -> None:
    for sentence, secret in LABELLED:
        once = REDACTOR.text(sentence.format(secret))
        assert REDACTOR.text(once) == once
    for _, secret in KNOWN:
        once = REDACTOR.text(f"password: {secret}")
        assert REDACTOR.text(once) == once


def test_an_allowed_text_is_kept_by_full_or_shown_digest() -> None:
    text = f"The password is {WORD}"
    for allowed in (digest(WORD), digest(WORD)[:6]):
        assert Redactor(digest, frozenset({allowed})).text(text) == text


def test_invisible_characters_do_not_hide_a_secret() -> None:
    secret = "ghp_" + tail(36)
    hidden = secret[:10] + "\u200b" + secret[10:]
    redacted = REDACTOR.text(f"a {hidden} b é")
    assert redacted.startswith("a [secret:github_token:")
    assert redacted.endswith("] b é")


@pytest.mark.parametrize(
    "text", ["The time paſſed slowly.", "Paſſage 3", "pinſa", "xſlack: the channel", "PAſſARAM"]
)
def test_a_long_s_inside_a_word_is_handled(text: str) -> None:
    assert REDACTOR.text(text) == text


@pytest.mark.parametrize(
    "label", ["비밀번호: ", "密码：", "パスワード：", "contraseña: ", "пароль: "]
)
def test_a_label_that_json_wrote_in_ascii_is_read(label: str) -> None:
    secret = f"{tail(9)}*{tail(3)}é"
    for text in (json.dumps(f"{label}{secret} ok"), json.dumps(json.dumps(f"{label}{secret} ok"))):
        found = REDACTOR.text(text)
        head, end = text.index(secret[:9]), text.index(" ok")
        assert (found[:head], found[-len(text[end:]) :]) == (text[:head], text[end:])
        assert found[head:].startswith("[secret:credential:")
        assert secret[:9] not in found
        assert REDACTOR.text(found) == found


def test_an_escaped_mark_before_a_value_is_read_and_stays_as_it_was() -> None:
    secret = tail(20)
    before = r"https://host/x?access_token\u003d"
    assert REDACTOR.text(before + secret).startswith(f"{before}[secret:token:")
    harmless = json.dumps('für die Straße \U0001f600 "so" 다')
    assert REDACTOR.text(harmless) == harmless


def test_values_are_redacted_at_every_depth_and_with_their_key() -> None:
    secret = "glpat-" + tail(20)
    redacted = REDACTOR.value({"a": [{"b": secret}, 3, None], "password": WORD, secret: True})
    assert secret not in str(redacted)
    assert WORD not in str(redacted)
    assert isinstance(redacted, dict)
    assert redacted["a"][1:] == [3, None]


def test_spans_give_position_and_kind() -> None:
    secret = "npm_" + tail(36)
    (span,) = REDACTOR.find(f"é {secret}.")
    assert (span.start, span.end, span.kind) == (2, 2 + len(secret), "npm_token")


def test_a_secret_json_key_keeps_its_value() -> None:
    key = "ghp_" + tail(36)
    assert REDACTOR.value({key: "value"}) == {REDACTOR.text(key): "value"}


def test_in_random_names_only_known_formats_are_secrets() -> None:
    names = Redactor(digest, opaque=False)
    token, made_up = "ghp_" + tail(36), tail(30)
    assert names.text(f"feature/{token}") == f"feature/{REDACTOR.text(token)}"
    assert names.text(made_up) == made_up
    assert REDACTOR.text(made_up) != made_up


def test_allowances_apply_at_the_time_of_redaction() -> None:
    held = "the key is " + KNOWN[0][1]
    allowed: set[str] = set()
    redactor = Redactor(digest, allowed)
    assert redactor.text(held) != held
    allowed.add(digest(KNOWN[0][1]))
    assert redactor.text(held) == held
    allowed.clear()
    assert redactor.text(held) != held


# Every prefix of these counts as weak; WEAK_PREFIXES was once a set of letters and had none.
@pytest.mark.parametrize(
    "name",
    [
        "test_a_set_names_the_patterns_that_match_in",
        "test_dormant_workspace_ages_at_quarter_speed",
        "live_preview_of_the_document_under_edit",
        "railway_station_departure_board_renderer",
        "turso_connection_string_from_environment",
        "expo_application_manifest_with_defaults",
    ],
)
def test_a_long_name_with_a_weak_prefix_is_kept(name: str) -> None:
    assert REDACTOR.text(f"see {name} in the suite") == f"see {name} in the suite"


@pytest.mark.parametrize("prefix", ["test_", "live_", "railway_", "turso_", "expo_"])
def test_a_random_token_with_a_weak_prefix_is_redacted(prefix: str) -> None:
    token = prefix + "".join(random.Random(f"weak {prefix}").choices(ALNUM, k=36))
    assert token not in REDACTOR.text(f"see {token} in the log")


def test_every_weak_prefix_begins_a_known_format() -> None:
    assert {format.prefix for format in FORMATS} >= WEAK_PREFIXES


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("The admin is root and the login is otter7winter, so use that.", "otter7winter"),
        ("Das Login für Staging ist admin / Sommer19fisch.", "Sommer19fisch"),
        ("логин: admin / vydra42more", "vydra42more"),
        ("ログインは admin / kawauso42ao です", "kawauso42ao"),
        ("로그인은 admin / sudal42para 입니다", "sudal42para"),
        ("inloggningen är admin / utter42bla", "utter42bla"),
        ("PINは4711です", "4711"),
        ("PIN은 4711입니다", "4711"),
        ("ПИН-код: 4711", "4711"),
        ("la phrase de passe est chevaux bleus mangent foin", "chevaux bleus mangent foin"),
        ("парольная фраза: sinie loshadi edyat seno", "sinie loshadi edyat seno"),
    ],
)
def test_logins_pins_and_pass_phrases_in_sentences(text: str, secret: str) -> None:
    assert secret not in Redactor(lambda _: "0" * 12).text(text)


@pytest.mark.parametrize(
    "text",
    [
        "The login is O365.",
        "login: src/auth/login.ts / src/auth/session.ts",
        "Our login is SSO / SAML2 only.",
        "PINは4桁です",
        "PIN은 4자리입니다",
        "La phrase de passe est dans le coffre de la maison",
        "Die Passphrase ist im Tresor der Firma hinterlegt",
    ],
)
def test_sentences_about_logins_stay_as_they_are(text: str) -> None:
    assert Redactor(lambda _: "0" * 12).text(text) == text


PLACES = (
    "DB_PASSWORD={}",
    "      - MYSQL_PASSWORD={}",
    "define('DB_PASSWORD', '{}');",
    "the admin password is {}",
    "Das Passwort lautet {}",
    "пароль: {}",
)


@pytest.mark.parametrize("sign", ".-_")
@pytest.mark.parametrize("place", PLACES)
def test_a_word_in_front_does_not_make_random_characters_a_name(place: str, sign: str) -> None:
    dice = random.Random(f"joined {place} {sign}")
    for word in ("maple", "Harbor", "Quartz", "orchid", "zenith"):
        tail = "".join(
            dice.choice(of)
            for of in (string.ascii_uppercase, string.digits, string.ascii_lowercase) * 3
        )
        assert f"{word}{sign}{tail}" not in REDACTOR.text(place.format(f"{word}{sign}{tail}"))
        letters = "".join(dice.choice(of) for of in ("BDFGKMPTVZ", "bdfgkmptvz", "BDFGKMPTVZ") * 3)
        assert f"{word}{sign}{letters}" not in REDACTOR.text(place.format(f"{word}{sign}{letters}"))


@pytest.mark.parametrize(
    "text",
    [
        "password: aws.S3SecretKey",
        "token = self.oauth2Token",
        "password = settings.mySQLPassword",
        "secret: vault.dbUserPassword",
        "the password is my-iPhone-name",
        "password = request.getHTTPHeader",
    ],
)
def test_a_dotted_name_of_words_is_a_reference(text: str) -> None:
    assert REDACTOR.text(text) == text
