"""The file system of the data folder, and what is refused (ST-2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from wm.errors import StoreError
from wm.store.fstype import classify, kind_in, of, require_supported

MOUNTS = r"""22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw
23 22 0:21 / /home/ada/mnt rw - fuse.sshfs ada@host:/ rw
24 22 0:22 / /srv/my\040disk rw,nosuid shared:5 master:1 - xfs /dev/sdb1 rw
25 22 0:23 / /home rw - btrfs /dev/sdc1 rw
26 22 0:24 / /net rw - ext4 /dev/sdd1 rw
27 26 0:25 / /net rw - nfs4 server:/export rw
broken line
""".splitlines()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "ext4"),
        ("/home", "btrfs"),
        ("/homes/bo", "ext4"),
        ("/home/ada/.local/share/wm", "btrfs"),
        ("/home/ada/mnt/wm", "fuse.sshfs"),
        ("/srv/my disk/wm", "xfs"),
        ("/net/wm", "nfs4"),
    ],
)
def test_the_nearest_and_latest_mount_counts(path: str, kind: str) -> None:
    assert kind_in(MOUNTS, path) == kind


def test_without_a_mount_table_the_kind_is_unknown() -> None:
    assert kind_in([], "/home") == ""


@pytest.mark.parametrize(
    ("path", "kind", "durability"),
    [
        ("/home/ada/wm", "ext4", "durable"),
        ("/home/ada/wm", "apfs", "durable"),
        ("/home/ada/wm", "zfs", "durable"),
        ("/tmp/wm", "tmpfs", "best_effort"),
        ("/wm", "overlay", "best_effort"),
        ("/wm", "fuse.gocryptfs", "best_effort"),
        ("/wm", "", "best_effort"),
        ("/wm", "nfs4", "unsupported"),
        ("/wm", "cifs", "unsupported"),
        ("/wm", "9p", "unsupported"),
        ("/wm", "fuse.sshfs", "unsupported"),
        ("/home/ada/Dropbox/wm", "ext4", "unsupported"),
        ("/home/ada/OneDrive - Firm/wm", "ext4", "unsupported"),
        ("/Users/ada/Library/Mobile Documents/com~apple~CloudDocs/wm", "apfs", "unsupported"),
        ("/home/ada/dropbox-tools/wm", "ext4", "durable"),
    ],
)
def test_each_file_system_has_a_class(path: str, kind: str, durability: str) -> None:
    assert classify(path, kind).durability == durability


def test_a_sync_folder_is_refused_with_what_to_do_unless_allowed(tmp_path: Path) -> None:
    home = tmp_path / "Dropbox" / "wm"
    with pytest.raises(StoreError, match="sync folder 'Dropbox'") as refusal:
        require_supported(home, allow=False)
    assert "allow_network_folder" in refusal.value.fix
    assert require_supported(home, allow=True).sync == "Dropbox"


def test_this_machine_has_a_known_file_system(tmp_path: Path) -> None:
    assert of(tmp_path / "not" / "yet").kind not in ("", "unknown")
