"""Drives the page of the theory lab in headless Chromium, and holds its numbers against native code.

    python drive.py FOLDER [--pictures DIR] [--slack FACTOR]

FOLDER is what `go run ./notebooks theory-lab -build` has made. Points and dials are moved by keyboard, mouse and touch; after
each move all numbers of the page must equal those of `go run ./notebooks/theorylab -answer` on the same case to 1e-12. The first
answer must come within 2 s, and the answer to a move within 300 ms in the middle of several, times FACTOR on a machine that is at
other work. Nothing may be fetched but the files of FOLDER. It needs playwright (notebooks/tools/browser/requirements.txt) and
Chromium.
"""

import argparse
import functools
import http.server
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import threading

from playwright.sync_api import sync_playwright

FIRST, MOVED = 2000, 300  # milliseconds
WAIT = 120_000  # for any one answer, so that what is slow is told of by the limits above
ROOT = pathlib.Path(__file__).resolve().parents[2]

failures = []


def check(holds, text):
    """Writes a line down, and as a failure where it does not hold."""
    print(("ok    " if holds else "FAIL  ") + text, flush=True)
    if not holds:
        failures.append(text)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Native:
    """The program that answers as the page's does."""

    def __init__(self):
        env = dict(os.environ, CGO_ENABLED="0", GOMLX_BACKEND="go")
        self.process = subprocess.Popen(["go", "run", "./notebooks/theorylab", "-answer"], cwd=ROOT, env=env, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def answer(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise SystemExit(f"native code refuses {request}: {answer['error']}")
        return answer

    def answers(self, case):
        """Answers all that the page asks of a case, as it stands on the page."""
        if "plane" in case:
            seeding = self.answer(ask="seeding", plane=case["plane"])
            start = next(s for s in seeding["seeding"]["starts"] if s["point"] == case["start"])
            return {**seeding, "chosen": start["rounds"][case["round"]]}
        return {**self.answer(ask="numbers", circle=case["circle"]), **self.answer(ask="gradients", circle=case["circle"])}

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def case_on(page):
    """Reads the case off the points and dials that the page shows."""
    dial = lambda name: float(page.locator(f"#dials [name={name}]").input_value())
    choice = lambda name: page.locator(f"#dials select[name={name}]").input_value()
    theorem = int(page.locator("nav a[aria-current]").get_attribute("href")[-1])
    if theorem == 3:
        def places(kind):
            labels = page.locator(f"svg .point.{kind}").evaluate_all("all => all.map(p => p.getAttribute('aria-label'))")
            return [[int(x) for x in label.replace("−", "-").split(" at ")[1].split(", ")] for label in labels]
        plane = {"labeled": places("labeled"), "hidden": places("hidden"), "negative": places("negative")}
        return {"plane": plane, "start": int(choice("start")), "round": int(dial("round"))}
    at = "all => all.map(p => Number(p.getAttribute('aria-valuenow')))"
    angles = lambda kind: page.locator(f"svg .point.{kind}").evaluate_all(at)
    loss = {"name": choice("loss")}
    if loss["name"] == "own":
        loss |= {name: choice(name) for name in ("labeled", "unlabeled", "with", "repel")}
        loss |= {name: dial(name) for name in ("mix", "weight")}
    dials = "#dials > label > "
    whole = lambda name: int(page.locator(f"{dials}input[name={name}]").input_value())
    return {"circle": {"theorem": theorem, "positive": angles("positive"), "negative": angles("negative"), "prior": dial("prior"),
                       "labeled": whole("labeled"), "unlabeled": whole("unlabeled"), "tau": dial("tau"),
                       "same_view": dial("same_view"), "loss": loss}}


def settle(page):
    """Waits until the page shows the answers to what is set."""
    page.wait_for_selector("body[data-state=current]", timeout=WAIT)


def compare(page, native, what):
    """Holds every number of the page against native code."""
    settle(page)
    answers = native.answers(case_on(page))
    cells = page.locator("#numbers [data-name]").evaluate_all("all => all.map(c => [c.dataset.name, c.dataset.value])")
    worst, wrong = 0.0, []
    for name, shown in cells:
        want = answers
        for field in name.split("."):
            want = want.get(field) if want is not None else None
        if isinstance(want, dict):  # a fraction
            want = want["value"]
        if want is None or shown == "":
            if want is not None or shown != "":
                wrong.append(f"{name} is {shown or 'not there'}, natively {want}")
            continue
        off = abs(float(shown) - want) / max(1, abs(want))
        worst = max(worst, off)
        if not off <= 1e-12:
            wrong.append(f"{name} is {shown}, natively {want!r}")
    if len(cells) < 5:
        wrong.append(f"only {len(cells)} numbers are shown")
    check(not wrong, f"{what}: {len(cells)} numbers, off by {worst:.1g} at most" + "".join("; " + w for w in wrong))


def answered(page, what, key, slack):
    """Presses a key nine times and checks how long answers take, the median of all."""
    latencies = []
    for _ in range(9):
        page.keyboard.press(key)
        settle(page)
        latencies.append(int(page.evaluate("() => document.body.dataset.latency")))
    usual = statistics.median(latencies)
    check(usual <= MOVED * slack, f"{what} is answered after {usual:g} ms, at most {MOVED * slack:g}; {sorted(latencies)}")


def value(page, name):
    settle(page)
    return float(page.locator(f"#numbers [data-name='{name}']").first.get_attribute("data-value"))


def moved(page, native, what, move, name):
    """Moves something, and checks that the number called name has changed, and all numbers are right."""
    before = value(page, name)
    move()
    settle(page)
    check(value(page, name) != before, f"{what}: {name} has changed")
    compare(page, native, what)


def drag(page, start, end, touch=None):
    """Drags from one place of the window to another, by mouse or by touch."""
    steps = [tuple(a + (b - a) * k / 8 for a, b in zip(start, end)) for k in range(9)]
    if touch is None:
        page.mouse.move(*steps[0])
        page.mouse.down()
        for step in steps[1:]:
            page.mouse.move(*step)
        page.mouse.up()
        return
    send = lambda kind, points: touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    send("touchStart", [{"x": steps[0][0], "y": steps[0][1]}])
    for x, y in steps[1:]:
        send("touchMove", [{"x": x, "y": y}])
    send("touchEnd", [])


def middle(page, selector):
    box = page.locator(selector).first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def toward(page, selector, degrees):
    """Returns where a point of the circle lies that is turned by so many degrees."""
    (x, y), (cx, cy) = middle(page, selector), middle(page, "svg .rim")
    angle = math.radians(degrees)
    dx, dy = x - cx, y - cy
    return cx + dx * math.cos(angle) + dy * math.sin(angle), cy - dx * math.sin(angle) + dy * math.cos(angle)


def tab_to(page, selector):
    """Reaches an element by the Tab key alone."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    check(False, f"{selector} is reached by Tab")


def first_answer(page, base, slack):
    page.goto(base)
    settle(page)
    first = int(page.evaluate("() => document.body.dataset.first"))
    check(first <= FIRST * slack, f"first answer after {first} ms, at most {FIRST * slack:g}")


def theorem_1(page, native, slack):
    compare(page, native, "default case")
    point = "svg .point.positive:nth-child(2)"
    tab_to(page, point)
    bias = "numbers.loss.bias"
    moved(page, native, "point by the arrow keys", lambda: [page.keyboard.press("ArrowUp") for _ in range(5)], bias)
    answered(page, "a moved point", "ArrowUp", slack)
    compare(page, native, "after nine moves")
    tab_to(page, "#tools button")
    page.locator("#dials [name=prior]").focus()
    answered(page, "a turned π", "ArrowRight", slack)
    compare(page, native, "π by the arrow keys")
    for name in ("labeled", "tau", "same_view"):
        page.locator(f"#dials [name={name}]").focus()
        moved(page, native, f"dial {name}", lambda: page.keyboard.press("ArrowRight"), bias)
    moved(page, native, "another loss", lambda: page.locator("#dials [name=loss]").select_option("PUCL"), bias)
    moved(page, native, "a loss of one's own", lambda: page.locator("#dials [name=loss]").select_option("own"), bias)
    moved(page, native, "its mixture", lambda: page.locator("#dials [name=mix]").fill("0.25"), bias)
    moved(page, native, "its repulsion", lambda: page.locator("#dials [name=repel]").select_option("DCL"), bias)
    moved(page, native, "a point more", lambda: page.locator("#tools button").nth(1).click(), bias)
    page.keyboard.press("Delete")
    compare(page, native, "a point less")
    moved(page, native, "point by the mouse", lambda: drag(page, middle(page, point), toward(page, point, 40)), bias)
    many = lambda: [page.keyboard.press("ArrowDown") for _ in range(30)]
    page.locator(point).focus()
    moved(page, native, "thirty moves at once", many, bias)


def theorem_3(page, native, base):
    page.goto(base + "#t=3")
    compare(page, native, "theorem 3")
    tab_to(page, "svg .point.negative")
    moved(page, native, "point of the plane by the arrow keys",
          lambda: [page.keyboard.press(key) for key in ("ArrowUp", "ArrowLeft", "Shift+ArrowLeft")], "seeding.seeded.free")
    moved(page, native, "round by the arrow keys",
          lambda: (page.locator("#dials [name=round]").focus(), page.keyboard.press("ArrowRight")), "chosen.potentials.free")
    moved(page, native, "another start", lambda: page.locator("#dials [name=start]").select_option("0"), "chosen.potentials.free")
    moved(page, native, "a hidden point more", lambda: page.locator("#tools button").nth(1).click(), "seeding.seeded.free")


def refusal(page, base):
    """A case with too many batches is refused in words, and the page goes on."""
    page.goto(base + "#t=1&pos=0,20,40,60&neg=180,200&m=4&u=5")
    page.wait_for_selector("body[data-state=error]", timeout=WAIT)
    text = page.locator("#message").inner_text()
    check("take points away" in text, f"too large a case is refused: {text!r}")
    page.locator("#dials [name=unlabeled]").fill("1")
    page.locator("#dials [name=labeled]").fill("1")
    settle(page)
    check(page.locator("#message").inner_text() == "", "and taken back by the dials")
    page.goto(base + "#t=3&lab=1e30,0")
    page.wait_for_selector("body[data-state=error]", timeout=WAIT)
    text = page.locator("#message").inner_text()
    check("1e30" in text or "1e+30" in text, f"a number that is too large is refused: {text!r}")


def ended(context, base):
    """Where the program ends, the page says so and shows no number of a case that was set before, whatever is moved."""
    page = context.new_page()
    page.goto(base)
    settle(page)
    page.workers[0].evaluate("() => setTimeout(() => { throw new Error('ended on purpose') })")
    page.wait_for_selector("body[data-failed]", timeout=WAIT)
    page.locator("#dials [name=labeled]").fill("1")
    text = page.locator("#message").inner_text()
    shown = page.locator("#numbers [data-name]").evaluate_all("all => all.map(c => c.dataset.value).join('')")
    check("ended on purpose" in text, f"a program that ends is told of, and the page does not wait for it: {text[:80]!r}…")
    check(shown == "", f"numbers of another case are not shown {shown}")
    page.close()


def links(page, native, base, presets):
    for preset in presets:
        page.goto(base + f"#t={preset['theorem']}")
        settle(page)
        page.locator("#dials [name=cases]").select_option(label=preset["name"])
        compare(page, native, f"theorem {preset['theorem']}, {preset['name']}")
        cells = "() => [...document.querySelectorAll('#numbers [data-name]')].map(c => c.dataset.value).join()"
        shown, address = page.evaluate(cells), page.url
        page.goto("about:blank")
        page.goto(address)
        settle(page)
        check(page.evaluate(cells) == shown, "    its link opens the same numbers")


def notebook_links(page, base):
    """The page understands every link in a notebook: it leaves the fragment as it is, and answers."""
    for file in sorted(ROOT.glob("notebooks/*.ipynb")):
        cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
        text = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        for fragment in re.findall(r"http://127\.0\.0\.1:\d+/(#[^)\s]*)", text):
            page.goto("about:blank")
            page.goto(base + fragment)
            settle(page)
            check(page.url == base + fragment, f"{file.name}: {fragment}")


def still(context, base, native):
    """Where the program does not come, and where no script runs, the picture stands with the numbers of native code."""
    page = context.new_page()
    page.route("**/lab.wasm.gz", lambda route: route.abort())
    page.goto(base)
    page.wait_for_selector("body[data-failed]", timeout=WAIT)
    why = page.locator("#why").inner_text()
    stands = page.locator("#still svg").is_visible() and "WebAssembly" in why
    check(stands, f"without the program the picture stands: {why[:80]!r}…")
    presets = json.loads(page.locator("#presets").text_content())
    loss = native.answer(ask="numbers", circle=presets[0]["circle"])["numbers"]["loss"]
    shown = page.locator("#still tbody tr").nth(2).inner_text()
    check(f"{loss['loss']:.4f}" in shown and f"{loss['bias']:.4f}" in shown, f"its numbers are those of native code: {shown!r}")
    page.close()
    return presets


def pictures(browser, base, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for theorem in (1, 2, 3, 4):
        for scheme in ("light", "dark"):
            for name, size in (("desk", (1440, 900)), ("phone", (390, 844))):
                page = browser.new_page(viewport=dict(zip(("width", "height"), size)), color_scheme=scheme)
                page.goto(base + f"#t={theorem}")
                settle(page)
                wide = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
                check(wide <= 0, f"theorem {theorem}, {scheme}, {name}: the page fits its width ({wide} over)")
                page.screenshot(path=folder / f"theory-lab-{theorem}-{scheme}-{name}.png", full_page=True)
                page.close()


def main():
    parser = argparse.ArgumentParser(description="Drives the page of the theory lab in headless Chromium.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--pictures", type=pathlib.Path)
    parser.add_argument("--slack", type=float, default=1)
    options = parser.parse_args()
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        raise SystemExit("There is no Chromium on the search path. It is a Debian package: apt-get install chromium")
    handler = functools.partial(Quiet, directory=options.folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}/"
    native = Native()
    native.answer(ask="seeding", plane={"labeled": [[0, 0]], "hidden": [], "negative": [[1, 0]]})  # compiled from here on
    arguments = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
    if os.geteuid() == 0:  # as in most containers, where Chromium has no sandbox
        arguments.append("--no-sandbox")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        problems, elsewhere = [], []
        page.on("console", lambda m: problems.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: problems.append(str(e)))
        context.on("request", lambda r: elsewhere.append(r.url) if not r.url.startswith((base, "data:", "about:")) else None)
        first_answer(page, base, options.slack)
        theorem_1(page, native, options.slack)
        theorem_3(page, native, base)
        refusal(page, base)
        ended(context, base)
        presets = still(context, base, native)
        links(page, native, base, presets)
        notebook_links(page, base)
        check(not problems, f"no word of trouble on the console {problems or ''}")
        finger = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
        phone = finger.new_page()
        phone.goto(base)
        settle(phone)
        point = "svg .point.positive"
        touch = finger.new_cdp_session(phone)
        finger_drag = lambda: drag(phone, middle(phone, point), toward(phone, point, -30), touch)
        moved(phone, native, "point by a finger", finger_drag, "numbers.loss.bias")
        bare = browser.new_context(java_script_enabled=False).new_page()
        bare.goto(base)
        check(bare.locator("#still svg").is_visible(), "without JavaScript the picture stands")
        if options.pictures:
            pictures(browser, base, options.pictures)
        check(not elsewhere, f"nothing was asked of any other host {elsewhere or ''}")
        browser.close()
    native.close()
    if failures:
        print(f"\n{len(failures)} failures:", *failures, sep="\n    ")
    sys.exit(bool(failures))


main()
