"""Looks at a report's page in Chromium; see report.sh. Usage: report_page.py SCRATCH PAGE.html"""
import base64
import pathlib
import subprocess
import sys

from browser import Browser

TITLES = ['Miss-ratio curve', 'Latency against load', 'Latency against throughput', 'Throughput against load',
          'MB/s against load', 'Hit ratio against load', 'Hit ratio implied and expected',
          'Hit ratio predicted and implied', 'p99(read) against growth', 'hit against growth', 'Headroom', 'Replay slip', 'Replay latency',
          'IOPS over time', 'MB/s over time', 'Queue depth over time', 'Latency over time', 'Latency by operation',
          'Latency by role', 'Addresses over time', 'Size mix']
# Pixels of each canvas inside the axes that are not the ground: text and grid lines alone are fewer.
DRAWN = '''Object.values(Chart.instances).map((chart) => {
  const {left, top, right, bottom} = chart.chartArea, {canvas, currentDevicePixelRatio: ratio} = chart;
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', {willReadFrequently: true});
  copy.drawImage(canvas, 0, 0);
  const data = copy.getImageData(left * ratio, top * ratio, (right - left) * ratio, (bottom - top) * ratio).data;
  let coloured = 0;
  for (let i = 0; i < data.length; i += 4) {
    const [r, g, b, a] = data.slice(i, i + 4);
    if (a > 64 && Math.max(r, g, b) - Math.min(r, g, b) > 40) ++coloured;
  }
  return {title: chart.canvas.closest('figure').querySelector('h3').textContent, coloured};
})'''
# The chart of the figure whose title begins so, and where it is on the screen.
CHART = "Object.values(Chart.instances).find((one) => one.canvas.closest('figure').querySelector('h3').textContent.startsWith({!r}))"


def check(condition, what):
    if not condition:
        raise SystemExit(f'FAILED: {what}')


def tooltip(browser, title):
    chart = CHART.format(title)
    return browser.evaluate(f'''(() => {{ const {{opacity, title, body}} = {chart}.tooltip;
        return opacity > 0 ? [...title, ...body.flatMap((part) => part.lines)].join(' | ') : ''; }})()''')


def place(browser, title, share):
    """The middle of the chart's height, at this share of its width, scrolled into view."""
    chart = CHART.format(title)
    return browser.evaluate(f'''(() => {{ const chart = {chart}; chart.canvas.scrollIntoView({{block: 'center'}});
        const box = chart.canvas.getBoundingClientRect(), {{left, right, top, bottom}} = chart.chartArea;
        return [box.left + left + (right - left) * {share}, box.top + (top + bottom) / 2]; }})()''')


def look_at_charts(browser):
    drawn = browser.evaluate(DRAWN)
    for title in TITLES:
        check(any(one['title'].startswith(title) for one in drawn), f'no chart "{title}"')
    for one in drawn:
        check(one['coloured'] > 60, f'{one["title"]}: {one["coloured"]} coloured pixels')
    check(browser.evaluate("[...document.querySelectorAll('canvas')].every((one) => one.tabIndex === 0 && "
                           "one.getAttribute('aria-label').length > 40)"), 'a chart without label or focus')


def use_the_mouse(browser):
    for title, wanted in [('Latency against load', ' ms'), ('IOPS over time', ' IOPS'), ('Latency over time', ' I/O'),
                          ('Miss-ratio curve', ' %')]:
        x, y = place(browser, title, 0.5)
        browser.mouse('mouseMoved', x, y)
        browser.settle()
        check(wanted in tooltip(browser, title), f'{title}: no tooltip at the mouse, but "{tooltip(browser, title)}"')
    for title in ('IOPS over time', 'Latency over time'):
        chart = CHART.format(title)
        scale = f'[{chart}.scales.x.min, {chart}.scales.x.max]'
        whole = browser.evaluate(scale)
        x, y = place(browser, title, 0.25)
        far, _ = place(browser, title, 0.5)
        browser.mouse('mousePressed', x, y, button='left', buttons=1, clickCount=1)
        browser.mouse('mouseMoved', far, y, button='left', buttons=1)
        browser.mouse('mouseReleased', far, y, button='left', clickCount=1)
        browser.settle()
        low, high = browser.evaluate(scale)
        span = whole[1] - whole[0]
        check(abs(low - span / 4) < span / 50 and abs(high - span / 2) < span / 50, f'{title}: zoomed to {low}..{high}')
        browser.evaluate(f"{chart}.canvas.closest('figure').querySelector('button:not([aria-label])').click()")
        check(browser.evaluate(scale) == whole, f'{title}: not all is shown again')


def use_the_keyboard(browser):
    for title, key in [('Latency against load', 'ArrowRight'), ('Latency over time', 'ArrowRight'), ('Size mix', 'End')]:
        chart = CHART.format(title)
        browser.evaluate(f'{chart}.canvas.focus()')
        browser.press(key)
        browser.settle()
        said = browser.evaluate(f"{chart}.canvas.closest('figure').querySelector('[aria-live]').textContent")
        check(said and tooltip(browser, title), f'{title}: nothing is said at the {key} key')
    before = browser.evaluate(f'{chart}.scales.x.max')
    browser.press('+')
    check(browser.evaluate(f'{chart}.scales.x.max') < before, 'plus does not zoom')
    browser.evaluate(f"{chart}.canvas.closest('figure').querySelector('[aria-label=\"Zoom out\"]').click()")
    check(browser.evaluate(f'{chart}.scales.x.max') == before, 'the button does not zoom out')
    browser.press('+')
    browser.press('Escape')
    check(browser.evaluate(f'{chart}.scales.x.max') == before, 'Escape does not show all')


def look_at_tables(browser):
    browser.evaluate("document.querySelectorAll('figure details').forEach((one) => { one.open = true; })")
    browser.settle()
    rows = browser.evaluate("[...document.querySelectorAll('figure')].map((one) => one.querySelectorAll('tbody tr').length)")
    check(all(rows), f'a table without rows: {rows}')
    slowest = browser.evaluate(f"{CHART.format('Latency against load')}.canvas.closest('figure').textContent")
    check('41.3 ms' in slowest and '28.9 ms' in slowest, "ORION's latencies are not in the table")
    csv = browser.evaluate('''(async () => {
        let blob; const make = URL.createObjectURL; URL.createObjectURL = (one) => make.call(URL, blob = one);
        [...document.querySelectorAll('figure')].find((one) => one.textContent.startsWith('Latency against load'))
          .querySelector('.tools button:last-child').click();
        URL.createObjectURL = make;
        return blob.text(); })()''')
    names = browser.evaluate('''(() => { const names = []; const click = HTMLAnchorElement.prototype.click;
        HTMLAnchorElement.prototype.click = function () { names.push(this.download); };
        document.querySelectorAll('.tools button:last-child').forEach((one) => one.click());
        HTMLAnchorElement.prototype.click = click;
        return names; })()''')
    check('latency-against-load.csv' in names and len(set(names)) == len(names), f'names of files: {names}')
    check(csv.startswith('outstanding I/Os,') and '41290000' in csv, f'the CSV is {csv[:200]}')
    browser.evaluate("document.querySelectorAll('figure details').forEach((one) => { one.open = false; })")


def look_at_words(browser):
    """What a card or a table says of what is known, and of what is not."""
    cards = browser.evaluate("[...document.querySelectorAll('.card')].map((one) => one.textContent)")

    def card(beginning):
        return next(one for one in cards if beginning in one)
    check('disk32 and 8 more' in card('forty.csv'), f'the devices: {card("forty.csv")}')
    fit = card('fitted array')
    check('The curve cannot tell' in fit and 'without a queue' not in fit.split('The curve cannot tell')[0], f'the fit: {fit}')
    plan = card('Candidates: plan.json')
    for words in ('at 2 times the load', 'p99(read)', ' times the load', 'short of'):
        check(words in plan, f'no "{words}" in the plan: {plan}')
    check('3' in card('Left out'), 'what is left out of the plan')
    check('disks' in card('What each part does'), 'the parts of the plan')
    untold = card('untold.json')
    for words in ('It cannot be told whether they differ', 'Cannot be told: damaged.rgt: ', 'of its I/Os are missing'):
        check(words in untold, f'no "{words}" in the comparison that cannot tell: {untold}')
    results = card('95 % intervals: results.json')
    for words in ('different', '8.25 ms (8.06 ms to 8.44 ms)', 'MB/s'):
        check(words in results, f'no "{words}" in the comparison: {results}')
    check('true' not in results and 'false' not in results, f'raw values in the comparison: {results}')


def look_at_the_gap(browser):
    """Where nothing is known of a damaged recording, nothing is drawn; beside it, something is."""
    for title in ('IOPS over time, by role: damaged.rgt', 'Queue depth over time: damaged.rgt'):
        columns = browser.evaluate(f'''(() => {{
            const chart = {CHART.format(title)}, {{top, bottom}} = chart.chartArea, ratio = chart.currentDevicePixelRatio;
            const copy = new OffscreenCanvas(chart.canvas.width, chart.canvas.height).getContext('2d', {{willReadFrequently: true}});
            copy.drawImage(chart.canvas, 0, 0);
            const data = chart.data.datasets[0].data, gap = data.map((point, i) => point.y === null ? i : -1).filter((i) => i >= 0);
            const coloured = (i) => {{
              const pixels = copy.getImageData(chart.scales.x.getPixelForValue(data[i].x) * ratio, top * ratio, 1, (bottom - top) * ratio).data;
              let count = 0;
              for (let p = 0; p < pixels.length; p += 4) {{
                const [r, g, b, a] = pixels.slice(p, p + 4);
                if (a > 64 && Math.max(r, g, b) - Math.min(r, g, b) > 40) ++count;
              }}
              return count;
            }};
            return gap.length === 0 ? [] : [coloured(gap[gap.length >> 1]), coloured(gap[0] >> 1)]; }})()''')
        check(len(columns) == 2 and columns[0] == 0 and columns[1] > 0, f'{title}: {columns} coloured pixels in the gap and before it')


def look_at_legends(browser):
    """No label of a legend runs out of its chart."""
    outside = browser.evaluate('''Object.values(Chart.instances).filter((chart) => chart.legend.options.display)
        .flatMap((chart) => chart.legend.legendHitBoxes.map((box) => box.left + box.width - chart.width)).filter((over) => over > 0)''')
    check(not outside, f'labels of legends are {outside} pixels beyond their charts')


def look_at_paper(pdf):
    """Paper is white, with the charts' colours on it."""
    picture = subprocess.run(['pdftoppm', '-r', '20', pdf], stdout=subprocess.PIPE, check=True).stdout
    light = coloured = pixels = 0
    while picture:
        header, _, rest = picture.partition(b'\n255\n')
        width, height = map(int, header.split()[1:])
        size = 3 * width * height
        page, picture = rest[:size], rest[size:]
        for i in range(0, size, 3):
            low, high = min(page[i:i + 3]), max(page[i:i + 3])
            pixels += 1
            light += low > 200
            coloured += high - low > 60
    check(light > 0.8 * pixels, f'{light} of {pixels} pixels of the paper are light')
    check(coloured > 0.002 * pixels, f'{coloured} of {pixels} pixels of the paper are coloured')


def main(folder, page):
    with Browser(folder) as browser:
        browser.call('Browser.setDownloadBehavior', behavior='deny')
        browser.resize(1280, 900)
        browser.open(page.as_uri())
        check(browser.evaluate('document.title') == 'All <of> it', 'another title')
        look_at_charts(browser)
        use_the_mouse(browser)
        use_the_keyboard(browser)
        look_at_tables(browser)
        look_at_words(browser)
        look_at_the_gap(browser)

        ground = 'getComputedStyle(document.body).backgroundColor'
        light = browser.evaluate(ground)
        browser.emulate(prefers_color_scheme='dark')
        dark = browser.evaluate(ground)
        check(light == 'rgb(255, 255, 255)' and sum(map(int, dark[4:-1].split(','))) < 150, f'{light} turns {dark}')
        look_at_charts(browser)

        # On paper it is light, whatever the screen is.
        paper = base64.b64decode(browser.call('Page.printToPDF', printBackground=True)['data'])
        (folder / 'page.pdf').write_bytes(paper)
        look_at_paper(folder / 'page.pdf')
        browser.emulate(prefers_color_scheme='light')

        browser.resize(360, 740)
        width = browser.evaluate('document.documentElement.scrollWidth')
        check(width <= 360, f'a phone of 360 pixels has to scroll to {width}')
        look_at_charts(browser)
        look_at_legends(browser)

        asked = [one for one in browser.requests if one != page.as_uri() and not one.startswith(('data:', 'blob:'))]
        check(not asked, f'requests: {asked}')
        check(not browser.complaints, f'complaints: {browser.complaints}')


if __name__ == '__main__':
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
