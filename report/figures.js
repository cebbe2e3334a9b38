// A figure on the page: the chart, and around it what makes it usable by mouse, touch, keyboard and reader.
'use strict';

// {headings, rows}: what the table shows and the CSV holds, in base units.
function tableOf(figure) {
  const heading = (axis) => ({text: axis.title, unit: UNITS[axis.unit]});
  if (figure.type === 'heat') {
    const rows = [];
    figure.rows.forEach((row, r) => row.forEach((count, c) => {
      if (count !== 0) rows.push([figure.xBounds[c], figure.yBounds[r], count]);
    }));
    return {headings: [heading(figure.x), heading(figure.y), {text: 'in the cell', unit: UNITS[figure.value]}], rows};
  }
  const columns = figure.series.flatMap((series) => [
    {series, values: series.y, text: series.label},
    ...(series.low ? [{series, values: series.low, text: series.label + ', low'},
                      {series, values: series.high, text: series.label + ', high'}] : []),
  ]);
  const headings = [figure.x.scale === 'names' ? {text: figure.x.title, unit: UNITS.text} : heading(figure.x),
                    ...columns.map((column) => ({text: column.text, unit: UNITS[figure.y.unit]}))];
  if (figure.x.scale === 'names') {
    return {headings, rows: figure.x.names.map((name, i) => [name, ...columns.map((column) => column.values[i])])};
  }
  const byX = new Map();
  columns.forEach((column, at) => column.series.x.forEach((x, i) => {
    if (!byX.has(x)) byX.set(x, Array(columns.length).fill(null));
    byX.get(x)[at] = column.values[i];
  }));
  const rows = [...byX].sort((a, b) => a[0] - b[0]).map(([x, values]) => [x, ...values]);
  return {headings, rows};
}

function tableElement({headings, rows}) {
  const words = (heading) => heading.unit === UNITS.text ? 'text' : '';
  const head = element('tr', {}, ...headings.map((heading) =>
    element('th', {scope: 'col', className: words(heading), textContent: heading.text})));
  const body = element('tbody', {}, ...rows.map((row) => element('tr', {}, ...row.map((value, i) =>
    element('td', {className: words(headings[i]), textContent: value === null || value === undefined ? '' :
      headings[i].unit.text(value)})))));
  return element('table', {}, element('thead', {}, head), body);
}

function csvOf({headings, rows}) {
  // A cell that a spreadsheet would take for a formula is made text.
  const cell = (value) => {
    const text = typeof value === 'string' ? value.replace(/^[=+\-@\t\r]/, "'$&") : String(value ?? '');
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const names = headings.map(({text, unit}) => unit.name && unit !== UNITS.text ? `${text} [${unit.name}]` : text);
  return [names, ...rows].map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n';
}

// What is in it, as far as a file's name may say so.
function fileNameOf(figure) {
  return figure.title.toLowerCase().replace(/[^\p{L}\p{N}.]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '').slice(0, 100) + '.csv';
}

const MOST_ROWS_ON_PAPER = 40;

function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], {type: 'text/csv;charset=utf-8'}));
  element('a', {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

class FigureView {
  constructor(figure) {
    this.figure = figure;
    this.cursor = -1;
    this.canvas = element('canvas', {tabIndex: 0});
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label',
      `${figure.title}. ${figure.about} Arrow keys read the values out, plus and minus zoom; a table follows.`);
    this.said = element('p', {className: 'unseen'});
    this.said.setAttribute('aria-live', 'polite');
    this.reset = element('button', {type: 'button', textContent: 'Show all', disabled: true});
    this.reset.addEventListener('click', () => this.zoomTo(null));
    const csv = element('button', {type: 'button', textContent: 'Download CSV'});
    csv.addEventListener('click', () => download(fileNameOf(figure), csvOf(tableOf(figure))));
    const zoom = (text, label, factor) => {
      const button = element('button', {type: 'button', textContent: text, ariaLabel: label});
      button.addEventListener('click', () => this.zoomBy(factor));
      return button;
    };
    this.root = element('figure', {}, element('figcaption', {}, element('h3', {textContent: figure.title}),
      element('p', {textContent: figure.about})), element('div', {className: 'drawing'}, this.canvas),
      ...this.legend(), this.said, element('div', {className: 'tools'}, zoom('+', 'Zoom in', 0.5), zoom('\u2212', 'Zoom out', 2), this.reset, csv), this.table());
    this.listen();
  }

  legend() {
    if (this.figure.type !== 'heat') return [];
    const most = Math.max(0, ...this.figure.rows.map((row) => Math.max(0, ...row)));
    const unit = UNITS[this.figure.value];
    return [element('div', {className: 'legend'}, unit.text(1), element('i'), unit.text(most), ' in a cell')];
  }

  // Filled when it is opened: a page of many charts stays light.
  table() {
    this.scroll = element('div', {className: 'scroll', tabIndex: 0});
    this.details = element('details', {}, element('summary', {textContent: 'The figures as a table'}), this.scroll);
    this.details.addEventListener('toggle', () => { if (this.details.open) this.fill(); });
    return this.details;
  }

  fill() {
    if (!this.scroll.firstChild) this.scroll.append(tableElement(tableOf(this.figure)));
  }

  // On paper the table is there, unless it is longer than anyone reads; afterwards all is as it was.
  print(on) {
    if (!on) {
      if (this.shut) this.details.open = false;
      this.shut = false;
    } else if (!this.details.open && tableOf(this.figure).rows.length <= MOST_ROWS_ON_PAPER) {
      this.shut = true;
      this.fill();
      this.details.open = true;
    }
  }

  draw() {
    const range = this.range;
    if (this.chart) this.chart.destroy();
    this.chart = new Chart(this.canvas, configurationOf(this.figure));
    this.whole = [this.chart.scales.x.min, this.chart.scales.x.max];
    if (range) this.zoomTo(range);
  }

  // null: all of it.
  zoomTo(range) {
    this.range = range;
    this.reset.disabled = range === null;
    const [min, max] = range ?? this.whole;
    Object.assign(this.chart.options.scales.x, {min, max});
    this.chart.update('none');
  }

  zoomBy(factor) {
    const {min, max, type} = this.chart.scales.x;
    const log = type === 'logarithmic';
    const [low, high] = log ? [Math.log(min), Math.log(max)] : [min, max];
    const middle = (low + high) / 2;
    const half = (high - low) / 2 * factor;
    const back = (value) => log ? Math.exp(value) : type === 'category' ? Math.round(value) : value;
    const range = [Math.max(back(middle - half), this.whole[0]), Math.min(back(middle + half), this.whole[1])];
    const all = range[0] <= this.whole[0] && range[1] >= this.whole[1];
    if (range[1] > range[0]) this.zoomTo(all ? null : range);
  }

  listen() {
    const {canvas} = this;
    const at = (event) => {
      const {left, right} = this.chart.chartArea;
      return Math.min(Math.max(event.clientX - canvas.getBoundingClientRect().left, left), right);
    };
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0 || event.pointerType === 'touch') return;
      canvas.setPointerCapture(event.pointerId);
      this.chart.selection = [at(event), at(event)];
    });
    canvas.addEventListener('pointermove', (event) => {
      if (this.chart.selection) {
        this.chart.selection[1] = at(event);
        this.chart.draw();
      } else if (this.figure.type === 'heat') {
        this.pointAt(event);
      }
    });
    canvas.addEventListener('pointerup', () => {
      const chosen = this.chart.selection;
      if (!chosen) return;
      this.chart.selection = null;
      const range = chosen.map((pixel) => this.chart.scales.x.getValueForPixel(pixel)).sort((a, b) => a - b);
      if (Math.abs(chosen[1] - chosen[0]) > 8 && range[1] > range[0]) this.zoomTo(range);
      else this.chart.draw();
    });
    canvas.addEventListener('pointercancel', () => { this.chart.selection = null; });
    canvas.addEventListener('pointerleave', () => { if (this.figure.type === 'heat') this.show([]); });
    canvas.addEventListener('dblclick', () => this.zoomTo(null));
    canvas.addEventListener('keydown', (event) => this.key(event));
    canvas.addEventListener('blur', () => this.show([]));
  }

  key(event) {
    const actions = {
      ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1), Home: () => this.step(-Infinity),
      End: () => this.step(Infinity), '+': () => this.zoomBy(0.5), '=': () => this.zoomBy(0.5),
      '-': () => this.zoomBy(2), Escape: () => { this.zoomTo(null); this.show([]); },
    };
    if (!actions[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    actions[event.key]();
  }

  // Everything that the arrow keys stop at, in order: lists of Chart.js' active elements, or cells.
  stops() {
    if (this.figure.type === 'heat') {
      return this.figure.rows.flatMap((row, r) => row.flatMap((count, c) => count === 0 ? [] : [{r, c}]))
        .sort((a, b) => a.c - b.c || a.r - b.r);
    }
    const shown = this.chart.data.datasets.map((set, i) => [set, i]).filter(([set]) => !set.band);
    const has = (set, i) => set.data[i] !== undefined && set.data[i] !== null;
    if (this.figure.common || this.figure.x.scale === 'names') {
      const longest = Math.max(0, ...shown.map(([set]) => set.data.length));
      return Array.from({length: longest}, (_, index) =>
        shown.filter(([set]) => has(set, index)).map(([, datasetIndex]) => ({datasetIndex, index})));
    }
    return shown.flatMap(([set, datasetIndex]) => set.data.map((_, index) => [{datasetIndex, index}]));
  }

  step(by) {
    const stops = this.stops();
    if (stops.length === 0) return;
    this.cursor = Math.min(Math.max(this.cursor + by, 0), stops.length - 1);
    if (this.figure.type === 'heat') this.showCell(stops[this.cursor]);
    else this.show(stops[this.cursor]);
    const {title, body} = this.chart.tooltip;
    this.said.textContent = [...(title ?? []), ...(body ?? []).flatMap((part) => part.lines)].join('; ');
  }

  show(active) {
    if (!this.chart) return;
    this.chart.setActiveElements(active);
    this.chart.tooltip.setActiveElements(active, {x: 0, y: 0});
    this.chart.update('none');
  }

  showCell(cell) {
    const {figure, chart} = this;
    const middle = (bounds, i) => (bounds[i] + bounds[i + 1]) / 2;
    chart.data.datasets[0].data = [{x: middle(figure.xBounds, cell.c), y: middle(figure.yBounds, cell.r), cell}];
    chart.update('none');
    this.show([{datasetIndex: 0, index: 0}]);
  }

  pointAt(event) {
    const {figure, chart, canvas} = this;
    const box = canvas.getBoundingClientRect();
    const find = (bounds, value) => bounds.findIndex((low, i) => value >= low && value < bounds[i + 1]);
    const c = find(figure.xBounds, chart.scales.x.getValueForPixel(event.clientX - box.left));
    const r = find(figure.yBounds, chart.scales.y.getValueForPixel(event.clientY - box.top));
    if (r < 0 || c < 0 || figure.rows[r][c] === 0) this.show([]);
    else this.showCell({r, c});
  }
}
