// Draws figures: a <figure> each, with a Chart.js chart, its table, its CSV, zoom and keyboard.
//
// A figure is {title, about, type: 'line' | 'bar' | 'heat', x: axis, y: axis, ...}, an axis
// {title, unit: key of UNITS, scale: 'linear' | 'log' | 'names', names: [...]}, and then
//   line, bar: series [{label, x: [...], y: [...], low, high, dashed, dots, fill}], common (all x alike),
//              stacked, marks [{x, label}]
//   heat:      xBounds, yBounds (one more than there are cells), rows[y][x], value: unit's key
// All values are in base units.
'use strict';

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function theme() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue('--' + name).trim();
  return {
    ink: colour('ink'), quiet: colour('quiet'), line: colour('line'), card: colour('card'), ground: colour('ground'),
    few: colour('heat-few'), many: colour('heat-many'), series: colour('series').split(/\s+/),
  };
}

// A colour between two of '#rrggbb'.
function between(from, to, share) {
  const part = (at) => {
    const [a, b] = [from, to].map((colour) => parseInt(colour.slice(at, at + 2), 16));
    return Math.round(a + (b - a) * share);
  };
  return `rgb(${part(1)}, ${part(3)}, ${part(5)})`;
}

// At most about `most` round values within the axis' ends: powers of two for bytes, 1-2-5 otherwise.
function logTicks(unit, min, max, most) {
  const base = unit === UNITS.bytes ? 2 : 10;
  const first = Math.floor(Math.log(min) / Math.log(base));
  const last = Math.ceil(Math.log(max) / Math.log(base));
  const step = Math.max(1, Math.ceil((last - first) / most));
  const within = (value) => value >= min * 0.999 && value <= max * 1.001;
  const ticks = [];
  for (let power = first; power <= last; ++power) {
    if (power % step !== 0) continue;
    const factors = base === 10 && (last - first) * 3 <= most ? [1, 2, 5] : [1];
    for (const factor of factors) if (within(factor * base ** power)) ticks.push({value: factor * base ** power});
  }
  return ticks.length > 1 ? ticks : [{value: min}, ...ticks, {value: max}];
}

function scaleOf(axis, colours, values) {
  const unit = UNITS[axis.unit];
  const most = values.reduce((most, value) => Math.max(most, value), 0);
  const shown = axisUnit(unit, most);
  const linear = axis.scale === 'linear';
  const heading = linear && shown.name ? `${axis.title} (${shown.name})` : axis.title;
  const scale = {
    title: {display: true, text: axis.scale === 'log' ? `${heading}, logarithmic` : heading, color: colours.ink},
    ticks: {color: colours.quiet, maxRotation: 45, autoSkipPadding: 8},
    grid: {color: colours.line},
  };
  if (axis.scale === 'names') return Object.assign(scale, {type: 'category', labels: axis.names});
  if (axis.scale === 'log') {
    scale.type = 'logarithmic';
    scale.afterBuildTicks = (built) => { built.ticks = logTicks(unit, built.min, built.max, 9); };
    scale.ticks.callback = (value) => unit.text(value);
    return scale;
  }
  scale.type = 'linear';
  // Round steps in the unit that is shown.
  scale.afterBuildTicks = (built) => {
    const span = (built.max - built.min) / shown.factor;
    const rough = 10 ** Math.floor(Math.log10(span / 5 || 1));
    const step = [1, 2, 5, 10].map((n) => n * rough).find((size) => span / size <= 7) || rough * 10;
    built.ticks = [];
    for (let n = Math.ceil(built.min / shown.factor / step - 1e-9); n * step <= built.max / shown.factor + step * 1e-9; ++n) {
      built.ticks.push({value: n * step * shown.factor});
    }
  };
  scale.ticks.callback = (value) => grouped(Number((value / shown.factor).toPrecision(6)));
  return scale;
}

// As long as the chart is wide: names that are too long lose their middle, since their ends differ.
function shortLabels(chart) {
  const most = Math.max(12, Math.floor(chart.width / 7) - 8);
  const short = (name) => name.length <= most ? name : `${name.slice(0, Math.ceil(most / 2) - 1)}\u2026${name.slice(-Math.floor(most / 2))}`;
  return Chart.defaults.plugins.legend.labels.generateLabels(chart).map((label) => ({...label, text: short(label.text ?? '')}));
}

// The part between `low` and `high` of a series, as two more datasets: drawn, and left out of legend and tooltip.
function bandOf(series, colour) {
  const edge = (values, fill) => ({
    band: true, label: series.label + ' interval', data: series.x.map((x, i) => ({x, y: values[i]})),
    borderWidth: 0, pointRadius: 0, pointHitRadius: 0, backgroundColor: colour + '40', fill,
  });
  return [edge(series.low, false), edge(series.high, '-1')];
}

function datasetsOf(figure, colours) {
  const sets = [];
  figure.series.forEach((series, i) => {
    const colour = colours.series[i % colours.series.length];
    const data = figure.x.scale === 'names' ? series.y : series.x.map((x, k) => ({x, y: series.y[k]}));
    sets.push({
      label: series.label, data, borderColor: colour, backgroundColor: figure.type === 'bar' ? colour : colour + '66',
      borderWidth: figure.type === 'bar' ? 0 : 2, borderDash: series.dashed ? [6, 4] : [], pointHoverRadius: 6,
      pointRadius: series.dots || series.y.length < 40 ? 3 : 0, showLine: !series.dots, fill: Boolean(series.fill),
      pointStyle: ['circle', 'rect', 'triangle', 'rectRot'][i % 4], spanGaps: !series.fill, order: 1,
      stack: figure.stacked ? 'all' : undefined,
    });
    if (series.low) sets.push(...bandOf(series, colour));
  });
  return sets;
}

// Vertical lines with a word on each.
function marksPlugin(figure, colours) {
  return {
    id: 'marks',
    afterDatasetsDraw(chart) {
      const {ctx, chartArea, scales} = chart;
      ctx.save();
      ctx.font = '12px system-ui, sans-serif';
      figure.marks.forEach((mark, i) => {
        const x = scales.x.getPixelForValue(mark.x);
        if (x < chartArea.left || x > chartArea.right) return;
        ctx.strokeStyle = ctx.fillStyle = colours.ink;
        ctx.setLineDash([3, 3]);
        ctx.beginPath();
        ctx.moveTo(x, chartArea.top);
        ctx.lineTo(x, chartArea.bottom);
        ctx.stroke();
        const right = x + 6 + ctx.measureText(mark.label).width > chartArea.right;
        ctx.textAlign = right ? 'right' : 'left';
        ctx.fillText(mark.label, right ? x - 4 : x + 4, chartArea.top + 12 + 14 * (i % 3));
      });
      ctx.restore();
    },
  };
}

// Cells of counts behind a chart without data of its own. The shade is logarithmic: 1 is seen beside 1,000,000.
function heatPlugin(figure, colours) {
  const top = Math.log1p(Math.max(1, ...figure.rows.map((row) => Math.max(0, ...row))));
  return {
    id: 'heat',
    beforeDatasetsDraw(chart) {
      const {ctx, chartArea: area, scales} = chart;
      const xs = figure.xBounds.map((value) => scales.x.getPixelForValue(value));
      const ys = figure.yBounds.map((value) => scales.y.getPixelForValue(value));
      ctx.save();
      ctx.beginPath();
      ctx.rect(area.left, area.top, area.right - area.left, area.bottom - area.top);
      ctx.clip();
      figure.rows.forEach((row, r) => row.forEach((count, c) => {
        if (count === 0) return;
        ctx.fillStyle = between(colours.few, colours.many, Math.log1p(count) / top);
        const [left, upper] = [Math.floor(xs[c]), Math.floor(ys[r + 1])];
        ctx.fillRect(left, upper, Math.max(1, Math.floor(xs[c + 1]) - left), Math.max(1, Math.floor(ys[r]) - upper));
      }));
      ctx.restore();
    },
  };
}

// What is being chosen by dragging.
const selectionPlugin = {
  id: 'selection',
  afterDraw(chart) {
    if (!chart.selection) return;
    const {ctx, chartArea: area} = chart;
    const [from, to] = chart.selection;
    ctx.save();
    ctx.fillStyle = '#88888844';
    ctx.fillRect(Math.min(from, to), area.top, Math.abs(to - from), area.bottom - area.top);
    ctx.restore();
  },
};

function tooltipLines(figure) {
  const [x, y] = [UNITS[figure.x.unit], UNITS[figure.y.unit]];
  return {
    title: (items) => items.length === 0 ? '' :
      `${figure.x.title}: ` + (figure.x.scale === 'names' ? items[0].label : x.text(items[0].raw.x)),
    label: (item) => {
      const value = figure.x.scale === 'names' ? item.raw : item.raw.y;
      const series = figure.series.find((one) => one.label === item.dataset.label);
      const interval = series && series.low ?
        ` (${y.text(series.low[item.dataIndex])} to ${y.text(series.high[item.dataIndex])})` : '';
      return `${item.dataset.label}: ${y.text(value)}${interval}`;
    },
  };
}

function heatTooltipLines(figure) {
  const [x, y, value] = [UNITS[figure.x.unit], UNITS[figure.y.unit], UNITS[figure.value]];
  const cell = (item) => item.raw.cell;
  return {
    title: (items) => items.length === 0 ? '' : `${figure.x.title}: ${x.text(figure.xBounds[cell(items[0]).c])}`,
    label: (item) => [
      `${figure.y.title}: ${y.text(figure.yBounds[cell(item).r])} to ${y.text(figure.yBounds[cell(item).r + 1])}`,
      value.text(figure.rows[cell(item).r][cell(item).c])],
  };
}

function extent(values) {
  return values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
}

// The configuration of Chart.js for a figure.
function configurationOf(figure) {
  const colours = theme();
  const heat = figure.type === 'heat';
  const finite = (values) => values.filter((value) => number(value) !== null);
  const xs = heat ? figure.xBounds : figure.x.scale === 'names' ? [] : figure.series.flatMap((one) => one.x);
  const ys = heat ? figure.yBounds : figure.series.flatMap((one) => finite(one.y));
  const scales = {x: scaleOf(figure.x, colours, xs), y: scaleOf(figure.y, colours, ys)};
  if (figure.x.scale === 'linear') [scales.x.min, scales.x.max] = extent([0, ...xs]);
  if (heat) [scales.y.min, scales.y.max] = extent(ys);
  if (figure.y.scale === 'linear' && !heat) scales.y.beginAtZero = true;
  if (figure.y.most !== undefined) scales.y.max = figure.y.most;
  if (figure.stacked) scales.y.stacked = true;
  const plugins = [selectionPlugin];
  if (heat) plugins.push(heatPlugin(figure, colours));
  if (figure.marks) plugins.push(marksPlugin(figure, colours));
  return {
    type: heat ? 'scatter' : figure.type,
    data: {datasets: heat ? [{data: [], pointRadius: 0, pointHoverRadius: 0}] : datasetsOf(figure, colours)},
    options: {
      animation: false, responsive: true, maintainAspectRatio: false, scales,
      events: heat ? [] : ['mousemove', 'mouseout', 'touchstart'],
      interaction: {mode: figure.common ? 'index' : 'nearest', intersect: false},
      plugins: {
        legend: {display: !heat, position: 'bottom',
                 labels: {color: colours.ink, usePointStyle: figure.type !== 'bar', boxHeight: 8,
                          generateLabels: shortLabels, filter: (item, data) => !data.datasets[item.datasetIndex].band}},
        tooltip: {callbacks: heat ? heatTooltipLines(figure) : tooltipLines(figure),
                  filter: (item) => !item.dataset.band, usePointStyle: true},
      },
    },
    plugins,
  };
}
