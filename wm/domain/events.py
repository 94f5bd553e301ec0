from wm.formats.events import *  # noqa: F403
