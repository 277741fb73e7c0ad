"""The colours keep their promises: contrast, distance in every colour vision, one set of values in all files."""

import itertools
import json
import math
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CSS = ROOT / "site/static/css"
TOKENS = (CSS / "tokens.css").read_text("utf-8")
PALETTE = json.loads((ROOT / "widgets/palette.json").read_text("utf-8"))

THEMES = ("light", "dark")
ROLES = ("move", "compute", "host", "cost", "idle")
SOLID = ("move", "compute", "host", "cost")  # idle is a hatch in its ink, see test_idle_hatch
GROUNDS = ("paper", "surface", "sunken")
TEXT, MARK = 4.5, 3.0  # WCAG 2.2, success criteria 1.4.3 (AA) and 1.4.11
APART = 15.0  # CIEDE2000 between any two fills; 10 is clearly apart
HATCH_OPACITY = 0.7  # of the idle hatch, in the drawings

Rgb = tuple[float, float, float]
Lab = tuple[float, float, float]
Matrix = tuple[Rgb, Rgb, Rgb]

# Linear RGB as a dichromat sees it, severity 1.0: Machado, Oliveira and Fernandes,
# "A Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE TVCG 15(6), 2009, table 2.
VISIONS: dict[str, Matrix] = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


# ---------------------------------------------------------------- reading the files


def blocks(selector: str) -> list[dict[str, str]]:
    """Return the custom properties of every rule with this selector that names `--paper`."""
    rules = re.findall(re.escape(selector) + r"\s*\{([^{}]*)\}", TOKENS)
    found = [dict(re.findall(r"--([\w-]+):\s*([^;]+);", rule)) for rule in rules]
    return [rule for rule in found if "paper" in rule]


def colours(theme: str) -> dict[str, str]:
    """Return a theme's colours by name."""
    selector = ':root, [data-theme="light"]' if theme == "light" else '[data-theme="dark"]'
    (rule,) = blocks(selector)
    return rule


# ---------------------------------------------------------------------- colour arithmetic


def linear(colour: str) -> Rgb:
    """Return "#RRGGBB" as linear RGB, each 0 to 1 (IEC 61966-2-1)."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return _linear(red), _linear(green), _linear(blue)


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2, 0 to 1."""
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2, 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def below(least: float, theme: dict[str, str], pairs: list[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """Return the pairs of a theme's colours whose contrast is less than `least`."""
    ratios = {pair: contrast(theme[pair[0]], theme[pair[1]]) for pair in pairs}
    return {pair: ratio for pair, ratio in ratios.items() if ratio < least}


def over(top: str, ground: str, opacity: float) -> str:
    """Return the colour of a translucent mark on a ground, mixed as a browser mixes it: in sRGB."""
    pairs = ((int(top[i : i + 2], 16), int(ground[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(opacity * a + (1 - opacity) * b):02X}" for a, b in pairs)


def seen(colour: str, vision: str) -> Lab:
    """Return a colour as CIELAB (D65, 2°) in one of the colour visions."""
    rgb = linear(colour)
    mixed = (sum(a * b for a, b in zip(row, rgb, strict=True)) for row in VISIONS[vision])
    red, green, blue = (min(1.0, max(0.0, channel)) for channel in mixed)
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    fx, fy, fz = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def ciede2000(one: Lab, other: Lab) -> float:
    """Return the colour difference of CIE 142-2001, in the form of Sharma, Wu and Dalal (2005)."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean_c7 = ((math.hypot(a1, b1) + math.hypot(a2, b2)) / 2) ** 7
    stretch = 1.5 - 0.5 * math.sqrt(mean_c7 / (mean_c7 + 25**7))
    c1, c2 = math.hypot(stretch * a1, b1), math.hypot(stretch * a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, stretch * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    grey = c1 * c2 == 0
    turn = 0.0 if grey else (h2 - h1 + 180) % 360 - 180
    if turn == -180:
        turn = 180.0
    dl, dc, dh = l2 - l1, c2 - c1, 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    mean_l, mean_c = (l1 + l2) / 2, (c1 + c2) / 2
    mean_h = h1 + h2 if grey else ((h1 + h2) / 2 if abs(h1 - h2) <= 180 else ((h1 + h2 + 360) / 2) % 360)
    t = (
        1
        - 0.17 * math.cos(math.radians(mean_h - 30))
        + 0.24 * math.cos(math.radians(2 * mean_h))
        + 0.32 * math.cos(math.radians(3 * mean_h + 6))
        - 0.20 * math.cos(math.radians(4 * mean_h - 63))
    )
    sl = 1 + 0.015 * (mean_l - 50) ** 2 / math.sqrt(20 + (mean_l - 50) ** 2)
    sc, sh = 1 + 0.045 * mean_c, 1 + 0.015 * mean_c * t
    rotation = 60 * math.exp(-(((mean_h - 275) / 25) ** 2))
    rt = -2 * math.sqrt(mean_c**7 / (mean_c**7 + 25**7)) * math.sin(math.radians(rotation))
    return math.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rt * dc / sc * dh / sh)


def closest(theme: dict[str, str], vision: str) -> tuple[float, str]:
    """Return the smallest difference between two fills, and which two."""
    return min(
        (ciede2000(seen(theme[a], vision), seen(theme[b], vision)), f"{a}/{b}")
        for a, b in itertools.combinations(ROLES, 2)
    )


# -------------------------------------------------------------------- the measures themselves


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [("#000000", "#FFFFFF", 21.0), ("#777777", "#FFFFFF", 4.48), ("#FFFFFF", "#FFFFFF", 1.0)],
)
def test_contrast_agrees_with_published_values(one: str, other: str, ratio: float) -> None:
    # WCAG 2.2 gives the ends of the scale; #777777 on white is the best known near miss of 4.5.
    assert contrast(one, other) == pytest.approx(ratio, abs=0.005)


@pytest.mark.parametrize(
    ("one", "other", "difference"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 3.1571, -77.2803), (50.0, 0.0, -82.7485), 2.8615),
        ((50.0, -1.3802, -84.2814), (50.0, 0.0, -82.7485), 1.0000),
        ((50.0, 0.0, 0.0), (50.0, -1.0, 2.0), 2.3669),
        ((50.0, 2.4900, -0.0010), (50.0, -2.4900, 0.0009), 7.1792),
        ((50.0, 2.4900, -0.0010), (50.0, -2.4900, 0.0011), 7.2195),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_ciede2000_agrees_with_its_test_data(one: Lab, other: Lab, difference: float) -> None:
    # Sharma, Wu and Dalal, "The CIEDE2000 Color-Difference Formula", Color Res. Appl. 30(1), 2005, table 1.
    assert ciede2000(one, other) == pytest.approx(difference, abs=5e-5)
    assert ciede2000(other, one) == pytest.approx(difference, abs=5e-5)


@pytest.mark.parametrize("vision", VISIONS)
def test_every_vision_leaves_grey_alone(vision: str) -> None:
    # Rows of each matrix sum to 1, so a neutral colour stays neutral.
    _, a, b = seen("#808080", vision)
    assert (a, b) == pytest.approx((0, 0), abs=0.02)


# ------------------------------------------------------------------------------ the tokens


@pytest.mark.parametrize("theme", THEMES)
def test_colours_are_literal(theme: str) -> None:
    # Canvases read these values as they stand: no var(), color-mix() or light-dark().
    measured = colours(theme)
    assert {name: value for name, value in measured.items() if not re.fullmatch("#[0-9A-F]{6}", value)} == {}
    assert len(measured) >= 33


def test_dark_by_system_and_by_choice_are_the_same() -> None:
    by_system = blocks(':root:not([data-theme="light"])')
    assert by_system == [colours("dark")]
    assert set(colours("light")) == set(colours("dark"))


@pytest.mark.parametrize("theme", THEMES)
def test_text_on_grounds(theme: str) -> None:
    texts = ["ink", "ink-2", "ink-3", *(f"{role}-ink" for role in ROLES)]
    pairs = [(text, ground) for text in texts for ground in GROUNDS]
    pairs += [(f"{role}-ink", f"{role}-soft") for role in ROLES]
    pairs += [(f"on-{role}", role) for role in ROLES]
    pairs += [("on-ink", "ink"), ("right-ink", "right-soft"), ("right-ink", "surface"), ("ink", "right-soft")]
    assert below(TEXT, colours(theme), pairs) == {}


@pytest.mark.parametrize("theme", THEMES)
def test_marks_and_fields_on_the_card(theme: str) -> None:
    pairs = [(role, "surface") for role in SOLID] + [("field", "surface"), ("field", "sunken"), ("focus", "paper")]
    assert below(MARK, colours(theme), pairs) == {}


@pytest.mark.parametrize("theme", THEMES)
def test_idle_hatch(theme: str) -> None:
    c = colours(theme)
    assert contrast(over(c["idle-ink"], c["surface"], HATCH_OPACITY), c["surface"]) >= MARK


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("vision", VISIONS)
def test_fills_are_apart_in_every_vision(theme: str, vision: str) -> None:
    distance, pair = closest(colours(theme), vision)
    assert distance >= APART, pair


def test_a_palette_that_only_red_and_green_tell_apart_is_refused() -> None:
    # Red and green of equal lightness: far apart for most readers, not for all.
    planted = {**colours("light"), "move": "#C0504D", "cost": "#7A8A33"}
    assert closest(planted, "normal")[0] >= APART
    assert closest(planted, "deuteranopia")[0] < APART


# ------------------------------------------------------------- the palette of the drawings

NEUTRAL = {
    # kind: the tokens behind ink, rest, cell, surface
    "fill": ("ink", "line-2", "cell", "surface"),
    "ink": ("ink", "ink-2", "line", "line-2"),
    "soft": ("sunken", "sunken", "cell", "surface"),
    "on": ("on-ink", "ink", "ink-3", "ink"),
}
OF_ROLE = {"fill": "{}", "ink": "{}-ink", "soft": "{}-soft", "on": "on-{}"}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("kind", OF_ROLE)
def test_palette_repeats_the_tokens(theme: str, kind: str) -> None:
    c = colours(theme)
    names = [OF_ROLE[kind].format(role) for role in ROLES] + list(NEUTRAL[kind])
    assert dict(zip(names, PALETTE[theme][kind], strict=True)) == {name: c[name] for name in names}
    assert PALETTE[theme][kind] == [c[name] for name in names]


@pytest.mark.parametrize("theme", THEMES)
def test_gaps_are_the_card_and_factors_are_the_roles(theme: str) -> None:
    assert PALETTE["factors"] == [*ROLES, "ink", "rest", "cell", "surface"]
    assert PALETTE[theme]["gap"] == [colours(theme)["surface"]] * len(PALETTE["factors"])
    assert set(PALETTE[theme]) == {*OF_ROLE, "gap"}


@pytest.mark.parametrize("file", sorted(set(CSS.glob("*.css")) - {CSS / "tokens.css"}), ids=lambda file: file.name)
def test_other_sheets_name_tokens_and_no_colours(file: Path) -> None:
    literal = set(re.findall(r"#[0-9A-Fa-f]{3,8}\b", re.sub(r"/\*.*?\*/", "", file.read_text("utf-8"), flags=re.S)))
    masks = {"#000"}  # a mask's opaque part: its colour is never seen
    assert literal - masks == set()


def test_drawings_theme_repeats_the_light_tokens() -> None:
    # Axes and labels follow the page by CSS; these values serve what is drawn outside a page.
    text = (ROOT / "widgets/bokeh_theme.json").read_text("utf-8")
    named = set(re.findall(r'"(#[0-9A-Fa-f]{6})"', text))
    assert named
    assert named <= set(colours("light").values())
