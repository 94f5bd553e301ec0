"""Verbs that check the state of the installation and the data. Only a repair changes anything."""
