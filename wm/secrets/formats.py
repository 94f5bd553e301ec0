"""The table of known secret formats (TR-1): name, literal prefix, shape of what follows.

One row is one format. A row costs nothing until its prefix occurs. Secrets without a fixed
format are not found here but by their label or their randomness (`redact`).
Sources: the vendors' own documentation and the formats that public scanners agree on.
"""

# ruff: noqa: E501  One row, one format: a broken pattern is harder to read than a long line.
from __future__ import annotations

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


FORMATS: tuple[Format, ...] = (
    # Clouds
    *_rows("aws_access_key", "AKIA ASIA ABIA ACCA AGPA AIDA AROA AIPA ANPA ANVA ASCA", r"[A-Z0-9]{16}\b"),
    Format("aws_access_key", "A3T", r"[A-Z0-9][A-Z0-9]{16}\b"),
    Format("aws_bedrock_key", "ABSK", rf"{B64}{{80,}}={{0,2}}"),
    Format("aws_bedrock_key", "bedrock-api-key-", rf"{B64}{{20,}}={{0,2}}"),
    Format("aws_mws_key", "amzn.mws.", UUID),
    Format("google_api_key", "AIza", rf"{WD}{{32,40}}"),
    Format("google_oauth", "ya29.", r"[0-9A-Za-z_.-]{20,}"),
    Format("google_refresh_token", "1//0", rf"{WD}{{30,}}"),
    Format("google_client_secret", "GOCSPX-", rf"{WD}{{20,40}}"),
    Format("alibaba_access_key", "LTAI", rf"{W}{{12,30}}\b"),
    Format("tencent_secret_id", "AKID", rf"{W}{{13,40}}\b"),
    *_rows("digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", rf"{H}{{40,}}"),
    Format("cloudflare_origin_key", "v1.0-", rf"{H}{{20,30}}-{H}{{100,}}"),
    *_rows("cloudflare_token", "cfut_ cfat_ cfk_", rf"{WD}{{30,}}"),
    *_rows("hashicorp_vault", "hvs. hvb. hvr.", rf"{WD}{{18,}}"),
    *_rows("hashicorp_vault", "s.", rf"{W}{{24}}\b"),
    Format("heroku_key", "HRKU-", rf"{WD}{{30,}}"),
    *_rows("fly_token", "fo1_ fm1r_ fm1a_ fm2_", r"[0-9A-Za-z_+/-]{32,}={0,3}"),
    *_rows("planetscale", "pscale_tkn_ pscale_oauth_ pscale_pw_", r"[0-9A-Za-z_=.-]{28,}"),
    Format("databricks_token", "dapi", rf"{H}{{30,40}}(?:-\d)?"),
    Format("databricks_token", "dose", rf"{H}{{32}}\b"),
    Format("openshift_token", "sha256~", rf"{WD}{{40,60}}"),
    Format("supabase_key", "sbp_", rf"{H}{{40}}"),
    *_rows("supabase_key", "sb_secret_", rf"{WD}{{20,}}"),
    Format("vercel_blob", "vercel_blob_rw_", rf"{WD}{{20,}}"),
    *_rows("vercel_token", "vcp_ vci_ vca_ vcr_ vck_", rf"{W}{{24,}}"),
    Format("netlify_token", "nfp_", rf"{W}{{30,60}}"),
    Format("render_key", "rnd_", rf"{W}{{24,60}}"),
    Format("railway_token", "railway_", rf"{WD}{{30,}}"),
    Format("neon_key", "napi_", rf"{W}{{30,}}"),
    Format("turso_token", "turso_", rf"{WD}{{30,}}"),
    Format("scaleway_token", "SCW", r"[A-Z0-9]{17}\b"),
    Format("scalingo_token", "tk-us-", rf"{WD}{{40,60}}"),
    Format("yandex_key", "AQVN", rf"{WD}{{35,40}}"),
    Format("yandex_aws_key", "YCA", rf"{WD}{{36,40}}"),
    Format("yandex_token", "t1.", rf"{WD}{{8,}}={{0,2}}\.{WD}{{80,}}={{0,2}}"),
    Format("yandex_token", "y0_", rf"{WD}{{30,}}"),
    Format("infracost_key", "ico-", rf"{W}{{32}}"),
    Format("pulumi_token", "pul-", rf"{H}{{40}}"),
    Format("doppler_token", "dp.", rf"(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{{2,40}}\.)?{W}{{36,60}}"),
    Format("clickhouse_key", "4b1d", rf"{W}{{38}}\b"),
    Format("prefect_key", "pnu_", rf"{W}{{36}}"),
    Format("prefect_key", "pnb_", rf"{W}{{36}}"),
    Format("ionos_key", "EAAAAE", rf"{WD}{{50,}}"),
    Format("tailscale_key", "tskey-", rf"[a-z]{{2,12}}-{W}{{8,30}}(?:-{W}{{16,}})?"),
    Format("tailscale_key", "tskey-", rf"{W}{{16,}}"),
    Format("ngrok_key", "ak_2", rf"{W}{{24,60}}"),
    Format("defined_networking", "dnkey-", rf"{WD}{{20,30}}-{WD}{{40,60}}"),
    Format("age_key", "AGE-SECRET-KEY-1", r"[0-9A-Za-z]{40,}"),
    Format("age_key", "AGE-SECRET-KEY-PQ-1", r"[0-9A-Za-z]{40,}"),
    # Code hosts
    *_rows("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[0-9A-Za-z_.-]{30,}"),
    Format("github_token", "github_pat_", r"\w{30,}"),
    *_rows(
        "gitlab_token",
        "glpat- gldt- glft- glimt- glagent- gloas- glptt- glrt- glsoat- glffct- glwt- glrtr-",
        r"[0-9A-Za-z_.-]{18,}",
    ),
    Format("gitlab_token", "glcbt-", rf"{W}{{1,5}}_{WD}{{18,}}"),
    Format("gitlab_token", "GR1348941", rf"{WD}{{18,40}}"),
    Format("gitlab_session", "_gitlab_session=", r"[0-9a-zA-Z]{20,}"),
    *_rows("bitbucket_token", "ATBB ATCTT3", r"[0-9A-Za-z_=-]{24,}"),
    *_rows("atlassian_token", "ATATT3 ATSTT3", r"[0-9A-Za-z_=-]{60,}"),
    *_rows("sourcegraph_token", "sgp_", rf"(?:(?:{H}{{16}}|local)_)?{H}{{40}}"),
    Format("sourcegraph_token", "slk_", rf"{H}{{40,}}"),
    Format("azure_devops_token", "azdo_", rf"{W}{{40,}}"),
    Format("gitea_token", "gta_", rf"{W}{{30,60}}"),
    Format("codeberg_token", "fgj_", rf"{W}{{30,60}}"),
    # Package registries
    Format("npm_token", "npm_", rf"{W}{{30,40}}"),
    Format("pypi_token", "pypi-", rf"{WD}{{40,}}"),
    Format("rubygems_key", "rubygems_", rf"{H}{{40,56}}"),
    Format("clojars_token", "CLOJARS_", rf"{W}{{50,}}"),
    *_rows("dockerhub_token", "dckr_pat_ dckr_oat_", rf"{WD}{{20,60}}"),
    Format("crates_token", "cio", rf"{W}{{32}}\b"),
    Format("nuget_key", "oy2", r"[a-z0-9]{43}\b"),
    *_rows("artifactory", "AKCp cmVmd", rf"{W}{{50,}}\b"),
    Format("packagist_token", "packagist_", rf"{W}{{30,}}"),
    Format("cloudsmith_key", "csk_", rf"{W}{{30,}}"),
    Format("hex_key", "hexpm_", rf"{W}{{30,}}"),
    # Models
    Format("anthropic_key", "sk-ant-", r"[0-9A-Za-z_-]{20,}"),
    *_rows("openai_key", "sk-proj- sk-svcacct- sk-admin- sk-None-", rf"{WD}{{20,}}"),
    *_rows("openrouter_key", "sk-or-v1-", rf"{H}{{40,}}"),
    Format("langsmith_key", "lsv2_", rf"[a-z]{{2}}_{H}{{32}}_{H}{{10}}"),
    *_rows("langfuse_key", "sk-lf- pk-lf-", UUID),
    Format("api_key", "sk-", rf"{WD}{{20,}}"),
    *_rows("huggingface_token", "hf_ api_org_", rf"{W}{{30,40}}"),
    Format("groq_key", "gsk_", rf"{W}{{40,60}}"),
    Format("xai_key", "xai-", rf"{W}{{60,}}"),
    Format("perplexity_key", "pplx-", rf"{W}{{32,}}"),
    Format("replicate_token", "r8_", rf"{W}{{32,44}}"),
    Format("fireworks_key", "fw_", rf"{W}{{22,40}}\b"),
    Format("tavily_key", "tvly-", rf"{WD}{{20,60}}"),
    Format("voyage_key", "pa-", rf"{WD}{{40,50}}"),
    Format("pinecone_key", "pcsk_", rf"{WD}{{40,}}"),
    Format("jina_key", "jina_", rf"{W}{{40,}}"),
    Format("nvidia_key", "nvapi-", rf"{WD}{{50,}}"),
    Format("cerebras_key", "csk-", rf"{W}{{40,60}}"),
    Format("llama_cloud_key", "llx-", rf"{W}{{40,60}}"),
    Format("wandb_key", "wandb_v1_", rf"{WD}{{30,}}"),
    Format("elevenlabs_key", "sk_", rf"{H}{{40,}}\b"),
    Format("deepgram_key", "dg_", rf"{W}{{36,60}}"),
    Format("firecrawl_key", "fc-", rf"{H}{{32}}\b"),
    Format("exa_key", "exa_", rf"{W}{{30,60}}"),
    # Payments
    *_rows(
        "stripe_key",
        "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ sk_org_ ",
        r"[0-9A-Za-z_]{10,}",
    ),
    Format("webhook_secret", "whsec_", r"[0-9A-Za-z+/=_-]{20,}"),
    Format("stripe_session", "_secret_", rf"{W}{{20,60}}"),
    *_rows("square_token", "sq0atp- sq0csp- sq0idb-", rf"{WD}{{20,60}}"),
    Format("square_token", "EAAA", rf"{WD}{{40,}}"),
    Format("facebook_token", "EAA", rf"{W}{{60,}}"),
    *_rows("shopify_token", "shpat_ shpca_ shppa_ shpss_ shptka_ shpua_ shpit_", rf"{H}{{30,40}}"),
    *_rows("flutterwave", "FLWSECK_TEST- FLWSECK- FLWPUBK_TEST- FLWPUBK-", rf"{W}{{12,40}}(?:-X)?"),
    Format("paypal_braintree", "access_token$", rf"(?:production|sandbox)\$[0-9a-z]{{16}}\${H}{{32}}"),
    *_rows("plaid_token", "access-sandbox- access-development- access-production-", UUID),
    *_rows("razorpay_key", "rzp_live_ rzp_test_", rf"{W}{{14,30}}"),
    *_rows("paddle_key", "pdl_live_ pdl_sdbx_ pdl_ntfset_", rf"{WD}{{20,}}"),
    *_rows("mollie_key", "live_ test_", r"[0-9A-Za-z_]{30,44}"),
    *_rows("duffel_token", "duffel_test_ duffel_live_", r"[0-9A-Za-z_=-]{40,50}"),
    *_rows("easypost_key", "EZAK EZTK", rf"{W}{{50,60}}"),
    *_rows("shippo_token", "shippo_live_ shippo_test_", rf"{H}{{36,44}}"),
    *_rows("adyen_key", "AQE", r"[0-9A-Za-z+/=_.-]{60,}"),
    Format("lemonsqueezy", "lmsq_", rf"{WD}{{30,}}"),
    *_rows("revenuecat_key", "sk_", r"[A-Za-z]{28,36}\b"),
    *_rows("coinbase_key", "cbkey_", rf"{WD}{{30,}}"),
    # Chat and mail
    *_rows("slack_token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe- xoxe.", r"[0-9A-Za-z%._-]{12,}"),
    *_rows("slack_token", "xapp- xwfp-", r"\d-[0-9A-Za-z-]{12,}"),
    *_rows(
        "webhook_url",
        "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/ "
        "hooks.slack-gov.com/services/ discord.com/api/webhooks/ discordapp.com/api/webhooks/ "
        "ptb.discord.com/api/webhooks/ canary.discord.com/api/webhooks/ "
        "hooks.zapier.com/hooks/catch/ chat.googleapis.com/v1/spaces/ "
        "open.feishu.cn/open-apis/bot/v2/hook/ open.larksuite.com/open-apis/bot/v2/hook/ "
        "outlook.office.com/webhook/ hook.eu1.make.com/ hook.eu2.make.com/ hook.us1.make.com/ "
        "hc-ping.com/ events.pagerduty.com/integration/ maker.ifttt.com/trigger/ "
        "qyapi.weixin.qq.com/cgi-bin/webhook/send?key= oapi.dingtalk.com/robot/send?access_token=",
        r"[0-9A-Za-z_/?&=%.+@-]{12,}",
    ),
    Format("telegram_url", "api.telegram.org/bot", r"\d{6,14}:[0-9A-Za-z_-]{30,40}"),
    Format("sendgrid_key", "SG.", r"[0-9A-Za-z_=-]{16,32}\.[0-9A-Za-z_=-]{30,}"),
    *_rows("sendinblue_key", "xkeysib- xsmtpsib-", rf"{H}{{60,}}-{W}{{12,20}}"),
    *_rows("mailgun_key", "key- pubkey-", rf"{H}{{32}}\b"),
    Format("mailersend_token", "mlsn.", rf"{H}{{60,}}"),
    Format("resend_key", "re_", rf"{W}{{8}}_{W}{{20,30}}"),
    Format("postmark_token", "POSTMARK_API_", rf"{WD}{{20,60}}"),
    Format("twilio_key", "SK", r"[0-9a-f]{32}\b"),
    Format("zoom_token", "zm_", rf"{W}{{30,}}"),
    Format("intercom_token", "dG9rOj", rf"{B64}{{40,}}={{0,2}}"),
    # Project tools
    *_rows("linear_key", "lin_api_ lin_oauth_ lin_wh_", rf"{W}{{30,}}"),
    Format("notion_token", "ntn_", rf"{W}{{40,50}}"),
    Format("notion_token", "secret_", rf"{W}{{43}}\b"),
    Format("airtable_token", "pat", rf"{W}{{14}}\.{H}{{60,}}"),
    Format("figma_token", "figd_", rf"{WD}{{36,60}}"),
    *_rows("figma_token", "figu_ figo_ figor_ figoh_", rf"{WD}{{36,60}}"),
    Format("postman_key", "PMAK-", rf"{H}{{20,28}}-{H}{{30,38}}"),
    Format("typeform_token", "tfp_", r"[0-9A-Za-z_.=-]{40,}"),
    *_rows("asana_token", "ats_ 1/", rf"\d{{12,20}}:{H}{{32}}\b"),
    Format("clickup_token", "pk_", r"\d{5,12}_[0-9A-Z]{32}\b"),
    Format("readme_key", "rdme_", r"[a-z0-9]{60,}"),
    *_rows("hubspot_key", "pat-na1- pat-na2- pat-eu1- pat-ap1-", UUID),
    Format("frameio_token", "fio-u-", r"[0-9A-Za-z_=-]{60,}"),
    *_rows("beamer_token", "b_", r"[0-9A-Za-z_=-]{44}"),
    Format("contentful_token", "CFPAT-", rf"{WD}{{40,50}}"),
    *_rows("storyblok_token", "sb_pat_", rf"{WD}{{20,60}}"),
    Format("calcom_key", "cal_live_", rf"{H}{{32}}"),
    Format("adobe_secret", "p8e-", rf"{WD}{{30,40}}"),
    *_rows("settlemint", "sm_aat_ sm_pat_ sm_sat_", rf"{W}{{16,20}}"),
    *_rows("intra42", "s-s4t2ud- s-s4t2af-", rf"{H}{{60,}}"),
    *_rows("authress_key", "sc_ ext_ scauth_ authress_", r"[0-9a-z]{5,30}\.[0-9a-z]{4,6}\.acc[_-][0-9a-z-]{10,32}\.[0-9A-Za-z+/_=-]{30,}"),
    # Monitoring and build
    *_rows("newrelic_key", "NRAK- NRAL- NRII- NRIQ- NRRA- NRJS- NRSP-", rf"{WD}{{18,50}}"),
    *_rows("sentry_token", "sntrys_ sntryu_ sntrya_", r"[0-9A-Za-z+/=_-]{40,}"),
    *_rows("grafana_token", "glsa_ glc_", r"[0-9A-Za-z+/=_]{32,}"),
    *_rows("grafana_token", "eyJrIjoi", rf"{B64}{{40,}}={{0,3}}"),
    Format("dynatrace_token", "dt0", r"[a-z]\d{2}\.[0-9A-Za-z]{24}\.[0-9A-Za-z]{50,}"),
    *_rows("datadog_key", "ddapi_ ddapp_", rf"{W}{{30,50}}"),
    *_rows("launchdarkly_key", "sdk- api- mob-", UUID),
    Format("octopus_key", "API-", r"[A-Z0-9]{24,32}\b"),
    *_rows("harness_key", "pat. sat.", rf"{WD}{{20,24}}\.{W}{{22,26}}\.{W}{{18,22}}"),
    *_rows("sonar_token", "squ_ sqp_ sqa_", rf"{H}{{40}}"),
    Format("buildkite_token", "bkua_", rf"{H}{{40}}"),
    *_rows("circleci_token", "CCIPAT_ CCIPRJ_", rf"{WD}{{20,30}}_{H}{{40}}"),
    Format("snyk_token", "snyk_", rf"[a-z]{{2,6}}\.{WD}{{20,}}"),
    *_rows("honeycomb_key", "hcaik_ hcxik_", rf"{W}{{40,}}"),
    *_rows("posthog_key", "phx_ phs_", rf"{W}{{30,60}}"),
    *_rows("axiom_token", "xaat- xapt-", UUID),
    Format("betterstack", "bst_", rf"{W}{{24,60}}"),
    Format("logfire_token", "pylf_v1_", rf"[a-z]{{2,8}}_{W}{{30,60}}"),
    Format("splunk_hec", "Splunk ", UUID),
    Format("terraform_token", "tfe_", rf"{WD}{{30,}}"),
    Format("buildbuddy", "x-buildbuddy-api-key=", rf"{W}{{16,40}}"),
    *_rows("expo_token", "expo_", rf"{WD}{{30,60}}"),
    Format("codecov_token", "codecov_", rf"{W}{{30,60}}"),
    *_rows("onepassword", "ops_ey", r"[0-9A-Za-z+/_-]{100,}={0,3}"),
    Format("onepassword", "A3-", r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}"),
    *_rows("mapbox_token", "sk.eyJ tk.eyJ", rf"{WD}{{30,}}\.{WD}{{18,40}}"),
    Format("mapbox_token", "pk.", rf"{WD}{{60,}}\.{WD}{{22}}"),
    Format("dropbox_token", "sl.", r"[0-9A-Za-z_=.-]{100,}"),
    *_rows("okta_token", "SSWS ", rf"{WD}{{30,60}}"),
    Format("zapier_key", "zk_", rf"{W}{{30,60}}"),
    Format("jwt", "eyJ", rf"{WD}{{14,}}={{0,2}}\.[0-9A-Za-z_/+-]{{8,}}={{0,2}}(?:\.[0-9A-Za-z_/+-]{{0,}}={{0,2}}){{0,3}}"),
    Format("jwt", "ZXlK", rf"{B64}{{60,}}={{0,2}}"),
    Format("wireguard_key", "PrivateKey = ", rf"{B64}{{43}}="),
    Format("wireguard_key", "PresharedKey = ", rf"{B64}{{43}}="),
    Format("putty_key", "Private-MAC: ", rf"{H}{{40,}}"),
    Format("minisign_key", "RWRTY0Iy", rf"{B64}{{100,}}={{0,2}}"),
    Format("tor_key", "ED25519-V3:", rf"{B64}{{80,}}={{0,2}}"),
    Format("bip32_key", "xprv", rf"{W}{{100,}}\b"),
    Format("nostr_key", "nsec1", r"[0-9a-z]{50,}\b"),
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

TABLES = Tables("wm.secrets")

WEAK_PREFIXES = frozenset(TABLES.words("weak_prefixes"))
"""Prefixes that also begin ordinary names. A match counts only if the rest does not read like
words."""

VENDORS = TABLES.words("vendors")
"""Services whose name in a key makes a token-like value a secret."""
