"""Every option and fixed figure, with unit, reason and SPEC id; and all reads of the environment.

Other packages receive a `Settings` value, or one section of it. docs/constants.md is generated
from the sections. Only `load` reads config.toml, only `environment` reads the environment.
"""

from wm.settings.daemon import DaemonSettings, HookSettings, ToolSettings
from wm.settings.environment import (
    NUMERIC_THREADS,
    TOKENIZING_THREADS,
    AgentPaths,
    Desktop,
    ForeignPaths,
    Network,
    Paths,
    activation,
    daemon_environment,
    environment,
    find_agent_paths,
    find_agent_session,
    find_desktop,
    find_foreign_paths,
    find_helper_key,
    find_network,
    find_paths,
    forbid_telemetry,
    git_environment,
    has_editor,
    no_pydantic_plugins,
    one_numeric_thread,
    one_tokenizing_thread,
    wants_colour,
)
from wm.settings.helper import ANTHROPIC, OLLAMA, USUAL_SERVERS, HelperSettings
from wm.settings.load import CONFIGURABLE, SECTIONS, Settings, apply_config, load
from wm.settings.memory import GateSettings, MemorySettings, OriginSettings, Trigger
from wm.settings.page import PageSettings
from wm.settings.project import (
    ACCEPT,
    BudgetSettings,
    ContractSettings,
    ImportSettings,
    TeamSettings,
)
from wm.settings.proxy import ModelPrice, PriceSettings, ProxySettings
from wm.settings.pruning import PruningRule, PruningSettings
from wm.settings.recall import RecallSettings
from wm.settings.schema import describe, options_of
from wm.settings.session import (
    CoreSettings,
    ErrorRule,
    PressureSettings,
    SessionSettings,
    WorkingSettings,
)
from wm.settings.store import StorageSettings, StoreSettings
