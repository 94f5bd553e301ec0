"""The verbs, one folder per topic. `wm.cli.app` names each verb's module; a module loads when its
verb is used. Verbs print through `wm.cli.output` only."""
