"""What the daemon does unasked, beside sweeps: one import for jobs that few daemons ever run."""

from wm.ops.helper.merging import propose_merge as propose_merge
from wm.ops.helper.summaries import summarise as summarise
from wm.ops.sync.planning import sync_quietly as sync_quietly
