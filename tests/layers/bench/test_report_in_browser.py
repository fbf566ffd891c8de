"""The page in Debian's Chromium: nothing on the console, nothing too wide, light and dark."""

import re
import shutil
import subprocess
from html import escape
from pathlib import Path

import pytest

from tests.layers.bench.runs import NASTY, journal, summarised
from tidemill.bench.report_page import page

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(
    BROWSER is None, reason="needs chromium: .ci/install-image-tools installs it on Debian"
)
TIMEOUT_S = 120
PNG = b"\x89PNG"

# The browser's own window has a least width that is more than a phone's; a frame has none.
FRAME = """<!doctype html>
<body style="margin:0"><iframe id="page" style="border:0" width="{width}" height="2000"
srcdoc="{page}"></iframe><script>
document.getElementById("page").onload = (event) => {{
  const shown = event.target.contentDocument;
  document.body.dataset.width = shown.documentElement.scrollWidth;
  document.body.dataset.plots = shown.querySelectorAll("svg.plot").length;
  document.body.dataset.paper = getComputedStyle(shown.body).backgroundColor;
}};
</script>"""


class Shown:
    """What a browser makes of a page in a frame of some width."""

    def __init__(self, folder: Path, html: str, *, width: int, dark: bool = False) -> None:
        file, self.picture = folder / "page.html", folder / "page.png"
        file.write_text(FRAME.format(width=width, page=escape(html)), encoding="utf-8")
        command = [
            str(BROWSER),
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            f"--user-data-dir={folder / 'profile'}",
            "--enable-logging=stderr",
            "--window-size=1280,2000",
            f"--blink-settings=preferredColorScheme={0 if dark else 1}",
            f"--screenshot={self.picture}",
            "--dump-dom",
            file.as_uri(),
        ]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT_S, check=True
        )
        self.facts = dict(re.findall(r'data-(\w+)="([^"]*)"', done.stdout))
        self.console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]


@needs_browser
@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize(
    ("dark", "paper"), [(False, "rgb(255, 255, 255)"), (True, "rgb(20, 23, 26)")]
)
def test_the_page_fits_in_light_and_dark_on_a_phone_and_on_a_desk(
    tmp_path: Path, width: int, dark: bool, paper: str
) -> None:
    shown = Shown(tmp_path, page(summarised(journal(name=NASTY))), width=width, dark=dark)
    assert shown.console == []
    assert shown.facts["plots"] == "5"
    assert int(shown.facts["width"]) <= width
    assert shown.facts["paper"] == paper
    assert shown.picture.read_bytes().startswith(PNG)


@needs_browser
def test_an_error_in_a_page_would_be_noticed(tmp_path: Path) -> None:
    shown = Shown(tmp_path, "<script>missing()</script>", width=360)
    assert any("missing is not defined" in line for line in shown.console)
