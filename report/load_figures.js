// Figures of load curves, of what explains them, of cache models and of replays.
'use strict';

const QUANTILES = [['p50', 'p50'], ['p90', 'p90'], ['p99', 'p99'], ['p999', 'p99.9'],
                   ['p9999', 'p99.99'], ['max', 'max']];

// Percentiles of several distributions: [[label, {mean, p50, ...}], ...].
function percentileFigure(title, about, distributions) {
  const series = distributions.filter(([, times]) => times && number(times.max) !== null).map(([label, times]) =>
    // Nothing is below a nanosecond on a logarithmic axis.
    ({label, y: QUANTILES.map(([key]) => number(times[key]) === null ? null : Math.max(1, times[key])), dots: false}));
  if (series.length === 0) return [];
  return [{title, about, type: 'line', series, x: {title: 'percentile', unit: 'text', scale: 'names',
           names: QUANTILES.map(([, name]) => name)}, y: {title: 'latency', unit: 'time', scale: 'log'}, common: true}];
}

function objects(list) {
  return Array.isArray(list) ? list.filter((entry) => entry !== null && typeof entry === 'object') : [];
}

// One curve for each number of large I/Os beside; of large I/Os alone by their own number.
function curvesOf({name, kind, result}) {
  const known = objects(result.points).filter((point) => number(point.outstanding) !== null);
  const groups = new Map();
  for (const point of known) {
    const large = number(point.outstanding_large) ?? 0;
    const alone = point.outstanding === 0 && large > 0;
    const label = alone ? `${name}, large I/Os` : large > 0 ? `${name}, ${large} large beside` : name;
    if (!groups.has(label)) groups.set(label, []);
    groups.get(label).push({load: alone ? large : point.outstanding, ...point});
  }
  return [...groups].map(([label, points]) =>
    ({label, kind, predicted: typeof result.method === 'string', points: points.sort((a, b) => a.load - b.load)}));
}

function curveSeries(curves, xKey, yKey) {
  return curves.map(({label, predicted, points}) => {
    const drawn = points.filter((point) => number(point[xKey]) !== null && number(point[yKey]) > 0);
    return {label: label + (predicted ? ' (predicted)' : ' (measured)'), dashed: predicted,
            x: drawn.map((point) => point[xKey]), y: drawn.map((point) => point[yKey])};
  }).filter((series) => series.x.length > 0);
}

function loadFigures(inputs) {
  const seen = new Set();
  // A run is often given twice: as itself, and with its explanation, which comes second here.
  const ordered = [...inputs].sort((a, b) => (a.kind === 'explanation') - (b.kind === 'explanation'));
  const curves = ordered.flatMap((input) => curvesOf(input)).filter(({points}) => {
    const print = JSON.stringify(points.map((point) => [point.load, Math.round(point.iops)]));
    return !seen.has(print) && seen.add(print);
  });
  const load = {title: 'outstanding I/Os', unit: 'number', scale: 'linear'};
  const latency = {title: 'mean latency', unit: 'time', scale: 'linear'};
  const iops = {title: 'throughput', unit: 'iops', scale: 'linear'};
  const figures = [
    {title: 'Latency against load', about: 'Mean response time at each number of outstanding I/Os.', x: load, y: latency,
     series: curveSeries(curves, 'load', 'latency_ns')},
    {title: 'Latency against throughput', about: 'The hockey stick: where the curve turns up, the storage is full.',
     x: iops, y: latency, series: curveSeries(curves, 'iops', 'latency_ns')},
    {title: 'Throughput against load', about: 'I/Os a second at each number of outstanding I/Os.', x: load, y: iops,
     series: curveSeries(curves, 'load', 'iops')},
    {title: 'MB/s against load', about: 'Bytes a second at each number of outstanding I/Os, small and large together.', x: load,
     y: {title: 'throughput', unit: 'rate', scale: 'linear'}, series: curveSeries(curves, 'load', 'bytes_per_second')},
    {title: 'Hit ratio against load', about: 'The share of I/Os answered by the cache, where it is known.', x: load,
     y: {title: 'hit ratio', unit: 'ratio', scale: 'linear', most: 1}, series: curveSeries(curves, 'load', 'hit_ratio')},
  ];
  return figures.filter((figure) => figure.series.length > 0).map((figure) => ({type: 'line', ...figure}));
}

function explanationFigures({name, result}) {
  const points = objects(result.points).filter((point) => number(point.hit_ratio_implied) !== null);
  const column = (key) => points.map((point) => number(point[key]));
  const x = column('outstanding');
  if (points.length === 0) return [];
  const implied = {label: 'implied by the throughput', x, y: column('hit_ratio_implied')};
  if (points.every((point) => number(point.hit_ratio_implied_low) !== null && number(point.hit_ratio_implied_high) !== null)) {
    implied.low = column('hit_ratio_implied_low');
    implied.high = column('hit_ratio_implied_high');
  }
  return [{
    title: `Hit ratio implied and expected: ${name}`, type: 'line', common: true,
    about: 'What the measured throughput needs, beside what independent uniform reads can have had by then. ' +
      'The shade allows for disks 25 % faster and slower.',
    x: {title: 'outstanding I/Os', unit: 'number', scale: 'linear'},
    y: {title: 'hit ratio', unit: 'ratio', scale: 'linear', most: 1},
    series: [implied, {label: 'expected', x, y: column('hit_ratio_expected'), dashed: true},
             {label: 'the most there can be', x, y: column('hit_ratio_expected_most'), dashed: true}],
  }];
}

function modelFigures({name, result}) {
  const asked = objects(result.results).filter((entry) => number(entry.cache_bytes) > 0 && number(entry.hit_ratio) !== null);
  const curve = objects(result.curve).filter((entry) => number(entry.cache_bytes) > 0 && number(entry.hit_ratio) !== null);
  const series = [];
  if (curve.length > 0) {
    const line = {label: 'LRU, any size', x: curve.map((entry) => entry.cache_bytes), y: curve.map((entry) => 1 - entry.hit_ratio)};
    if (curve.every((entry) => number(entry.low) !== null && number(entry.high) !== null)) {
      line.low = curve.map((entry) => 1 - entry.high);
      line.high = curve.map((entry) => 1 - entry.low);
    }
    series.push(line);
  }
  for (const policy of new Set(asked.map((entry) => String(entry.policy)))) {
    const own = asked.filter((entry) => String(entry.policy) === policy);
    series.push({label: `${policy}, as asked`, x: own.map((entry) => entry.cache_bytes),
                 y: own.map((entry) => 1 - entry.hit_ratio), dots: true});
  }
  if (series.length === 0) return [];
  const sizes = [...new Set(asked.map((entry) => entry.cache_bytes))];
  return [{
    title: `Miss-ratio curve: ${name}`, type: 'line', series,
    about: 'The share of page accesses that a cache of each size has to fetch. Shaded: the 95 % interval of a sampled answer.',
    x: {title: 'cache size', unit: 'bytes', scale: 'log'}, y: {title: 'miss ratio', unit: 'ratio', scale: 'linear', most: 1},
    marks: sizes.map((bytes) => ({x: bytes, label: UNITS.bytes.text(bytes)})),
  }];
}

// Slip and concurrency over a replay's time.
function replayTimeFigures({name, result}) {
  const timeline = result.timeline;
  if (!timeline || !(number(timeline.interval_ns) > 0)) return [];
  const each = `Of intervals of ${UNITS.time.text(timeline.interval_ns)}.`;
  const figure = (title, about, y, lines) => {
    const series = lines.filter(([, values]) => Array.isArray(values) && values.some((value) => number(value) !== null))
      .map(([label, values]) => ({label, x: values.map((_, i) => i * timeline.interval_ns), y: values.map((value) =>
        number(value) === null || y.scale !== 'log' ? number(value) : Math.max(1, value))}));
    return series.length === 0 ? [] : [{title: `${title}: ${name}`, type: 'line', common: true, series, y,
      about: `${about} ${each}`, x: {title: 'time', unit: 'time', scale: 'linear'}}];
  };
  return [
    ...figure('Replay slip over time', 'How much later than intended I/Os were issued.',
      {title: 'slip', unit: 'time', scale: 'log'}, [['mean', timeline.slip_ns], ['largest', timeline.slip_max_ns]]),
    ...figure('Replay concurrency over time', 'I/Os in flight on average.',
      {title: 'outstanding I/Os', unit: 'number', scale: 'linear'},
      [['as replayed', timeline.outstanding], ['as recorded', timeline.recorded_outstanding]]),
  ];
}

function replayFigures({name, result}) {
  const slip = result.fidelity.slip_ns;
  const figures = [];
  if (slip && number(slip.max) !== null) {
    const keys = QUANTILES.filter(([key]) => number(slip[key]) !== null);
    figures.push({
      title: `Replay slip: ${name}`, type: 'bar', about: 'How much later than intended I/Os were issued.',
      x: {title: 'percentile', unit: 'text', scale: 'names', names: keys.map(([, text]) => text)},
      y: {title: 'slip', unit: 'time', scale: 'log'}, common: true,
      series: [{label: 'slip', y: keys.map(([key]) => Math.max(1, slip[key]))}],
    });
  }
  figures.push(...replayTimeFigures({name, result}));
  const groups = objects(result.groups).sort((a, b) => b.ios - a.ios).slice(0, 6);
  figures.push(...percentileFigure(`Replay latency: ${name}`,
    'Service time is that of the device; response time counts from when the I/O should have been issued.',
    [['service time', result.service_time_ns], ['response time', result.response_time_ns]]));
  figures.push(...percentileFigure(`Replay service time by kind of I/O: ${name}`, 'The kinds with the most I/Os.',
    groups.map((group) => [`${group.role ? group.role + ' ' : ''}${group.op}, up to ${UNITS.bytes.text(number(group.up_to_bytes) ?? 0)}` +
      (objects(result.targets).length > 1 ? `, ${group.target}` : ''), group.service_time_ns])));
  return figures;
}
