"""`python -m gradcli`: the same as the command `gradcli`."""

from __future__ import annotations

import sys

from gradcli.cli import main

if __name__ == "__main__":
    sys.exit(main())
